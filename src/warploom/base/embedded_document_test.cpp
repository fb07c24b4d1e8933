#include "warploom/base/embedded_document.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::array<EmbeddedFile, 1> kFiles{{{"one.json", R"({"schema": "warploom_one", "figure": 3})"}}};

TEST(EmbeddedDocument, GivesTheReaderDocumentAndName) {
  const auto read = [](const Json& document, std::string_view where) {
    return std::string(where) + " " + document.at("figure").dump();
  };
  EXPECT_EQ(from_embedded(kFiles, "warploom_one", read), "built-in one.json 3");
}

TEST(EmbeddedDocument, OfAnotherSchemaIsRefusedByNameAndExpectation) {
  try {
    from_embedded(kFiles, "warploom_two", [](const Json&, std::string_view) { return 0; });
    FAIL() << "was read";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "built-in one.json: 'schema' is \"warploom_one\", expected \"warploom_two\"");
  }
}

}  // namespace
}  // namespace warploom
