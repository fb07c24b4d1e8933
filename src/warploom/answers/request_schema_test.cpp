#include "warploom/answers/request_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

// Those whose fields are known here. Under sanitizers the judge is left out, which alone knows some.
std::vector<DescribedRequest> known_requests() {
  std::vector<DescribedRequest> known;
  for (const DescribedRequest& request : described_requests())
    if (request.table != nullptr) known.push_back(request);
#ifndef WARPLOOM_SANITIZED
  EXPECT_EQ(known.size(), described_requests().size());
#endif
  return known;
}

TEST(RequestSchema, IsOfDraft2020AndHasEveryField) {
  for (const DescribedRequest& request : known_requests()) {
    const Json schema = request_schema(request.name);
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema") << request.name;
    EXPECT_EQ(schema["title"], request.name);
    EXPECT_EQ(schema["type"], "object");
    for (const Field& field : request.table->fields) {
      ASSERT_TRUE(schema["properties"].contains(field.name)) << request.name << " " << field.name;
      EXPECT_TRUE(schema["properties"][field.name].contains("description"))
          << request.name << " " << field.name << ": one line says what it is";
    }
  }
}

TEST(RequestSchema, NamesAreUnique) {
  std::set<std::string> names;
  for (const DescribedRequest& request : known_requests()) {
    EXPECT_TRUE(names.insert(request.name).second) << request.name;
    std::set<std::string> fields;
    for (const Field& field : request.table->fields)
      EXPECT_TRUE(fields.insert(field.name).second) << request.name << " " << field.name;
  }
}

// Ranges of a request as it comes hold, and what is written is read back.
TEST(RequestSchema, DefaultsAreReadBack) {
  for (const DescribedRequest& request : known_requests()) {
    const auto one = request.make(), other = request.make();
    const Json written = write_fields(*request.table, one.get());
    try {
      read_fields(written, *request.table, other.get(), request.name);
    } catch (const InvalidInput& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(write_fields(*request.table, other.get()), written) << request.name;
  }
}

TEST(RequestSchema, NamesWhatATextTakesWhereItIsKnown) {
  const Json run = request_schema("simulate")["properties"];
  const Json workloads = run["source"]["properties"]["workload"]["examples"];
  EXPECT_NE(std::find(workloads.begin(), workloads.end(), "agents"), workloads.end()) << workloads;
  const Json engines = run["setup"]["properties"]["config"]["properties"]["engine"]["examples"];
  EXPECT_NE(std::find(engines.begin(), engines.end(), "sglang"), engines.end()) << engines;
  const Json schemes = run["setup"]["properties"]["quantization"]["examples"];
  EXPECT_NE(std::find(schemes.begin(), schemes.end(), "fp8"), schemes.end()) << schemes;
}

TEST(RequestSchema, ListsTheOperatorsOfEveryFamily) {
  const Json op = request_schema("predict")["properties"]["operator"];
  bool gemm = false;
  for (const Json& family : op["oneOf"])
    if (family["properties"]["family"]["const"] == "gemm") gemm = family["properties"].contains("k");
  EXPECT_TRUE(gemm);
}

TEST(RequestSchema, RefusesAnUnknownNameWithTheNearest) {
  try {
    (void)request_schema("simulat");
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("simulate"), std::string::npos) << error.what();
  }
}

// The page starts there: a size that a model has, where the defaults are 1.
TEST(RequestSchema, AnOperatorsExampleIsOneThatCanBePredicted) {
  const Json schema = request_schema("predict");
  const Json& families = schema["properties"]["operator"]["oneOf"];
  EXPECT_EQ(families.size(), EnumNames<Family>::kNames.size());
  for (const Json& family : families) {
    Json example = family["examples"].at(0);
    example["family"] = family["properties"]["family"]["const"];
    EXPECT_NO_THROW(operator_from_json(example, "example")) << example.dump();
    for (const auto& [name, value] : example.items())
      EXPECT_TRUE(family["properties"].contains(name)) << name;
  }
}

}  // namespace
}  // namespace warploom
