// Fields and flags of what is emitted are those that published schemas and parsers have.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warploom/app/emit/emitted_files_test.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

// Lines "path: type" of tests/fixtures/published_schemas.
std::map<std::string, std::string> published_fields(const std::string& file) {
  std::ifstream input(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/published_schemas/" + file);
  EXPECT_TRUE(input.good()) << file;
  std::map<std::string, std::string> fields;
  for (std::string line; std::getline(input, line);) {
    const std::size_t colon = line.rfind(": ");
    fields[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return fields;
}

std::string type_of(const Json& value) {
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  return value.is_string() ? "string" : value.type_name();
}

bool same_path(const std::vector<std::string>& path, const std::string& pattern) {
  std::istringstream parts(pattern);
  std::size_t at = 0;
  for (std::string part; parts >> part; ++at)
    if (at >= path.size() || (part != "*" && part != path[at])) return false;
  return at == path.size();
}

// Every value whose path has no line, or whose type (or text) is not that line's.
void add_unpublished(const Json& value, std::vector<std::string>& path,
                     const std::map<std::string, std::string>& fields, std::vector<std::string>& found) {
  if (value.is_structured()) {
    for (const auto& [key, inner] : value.items()) {
      path.push_back(value.is_array() ? "[]" : key);
      add_unpublished(inner, path, fields, found);
      path.pop_back();
    }
    return;
  }
  for (const auto& [pattern, type] : fields)
    if (same_path(path, pattern) && (type == type_of(value) || value == type)) return;
  std::string where;
  for (const std::string& part : path) where += part + " ";
  found.push_back(where + "= " + value.dump());
}

std::vector<std::string> unpublished(const Json& document, const std::string& file) {
  std::vector<std::string> found, path;
  add_unpublished(document, path, published_fields(file), found);
  return found;
}

TEST(PublishedSchemas, WritesNoFieldThatDynamoOrTheChartLacks) {
  const std::vector<std::string> none;
  Configuration large;
  large.shape = {.tensor_parallel = 8, .pipeline_parallel = 2};
  for (const std::string& engine : kEngines) {
    const Fleet fleet{.instances = 1, .decode = 2};
    for (const Configuration& configuration : {Configuration{}, pools_of(2, 4), large}) {
      const auto kinds = documents_of(emitted(engine, "dynamo", configuration, fleet).at("dynamo.yaml"));
      const Json& graph = kinds.at("DynamoGraphDeployment").at(0);
      EXPECT_EQ(unpublished(graph, "dynamo_graph_deployment.txt"), none);
      Json wrong = graph;
      wrong["spec"]["services"]["DecodeWorker"]["resources"]["limits"]["gpu"] = 2;
      EXPECT_EQ(unpublished(wrong, "dynamo_graph_deployment.txt").size(), 1U);
    }
  }
  for (const Configuration& configuration : {Configuration{}, pools_of(2, 4)}) {
    const Fleet fleet{.instances = 1, .decode = 2};
    Json values = json_of_text(emitted("vllm", "llm-d", configuration, fleet).at("values.yaml"), "values");
    EXPECT_EQ(unpublished(values, "llm_d_values.txt"), none);
    values["decode"]["nodeSelector"]["nvidia.com/gpu.product"] = "x";
    EXPECT_EQ(unpublished(values, "llm_d_values.txt").size(), 1U);
  }
}

// The chart's GPUs of a pod are `tensor` times `data`, whatever its limits say, and its own flag of tensor
// parallelism comes before those of `args`.
TEST(PublishedSchemas, AsksTheChartOfLlmDForTheGpusOfAllStages) {
  Configuration configuration;
  configuration.shape = {.tensor_parallel = 2, .pipeline_parallel = 2};
  const Json values = json_of_text(emitted("vllm", "llm-d", configuration).at("values.yaml"), "values");
  EXPECT_EQ(values["decode"]["parallelism"]["tensor"], 4);
  const Json& words = values["decode"]["containers"][0]["args"];
  const auto last = std::find(words.rbegin(), words.rend(), "--tensor-parallel-size");
  ASSERT_NE(last, words.rend()) << words;
  EXPECT_EQ(*last.base(), "2") << words;
}

// The words of one worker of pools of Dynamo.
std::string worker_words(const std::string& engine, const char* worker) {
  const std::string text =
      emitted(engine, "dynamo", pools_of(2, 4), {.instances = 1, .decode = 2}).at("dynamo.yaml");
  const Json spec = documents_of(text).at("DynamoGraphDeployment").at(0)["spec"];
  std::string words;
  for (const Json& word : spec["services"][worker]["extraPodSpec"]["mainContainer"]["args"])
    words += word.get<std::string>() + " ";
  return words;
}

// vLLM's workers in Dynamo are told their role otherwise since 1.0.0, and one of prompts is refused without
// its transfers (dynamo/vllm/args.py).
TEST(PublishedSchemas, TellsDynamosWorkersTheirRoleAsTheReleaseTakesIt) {
  const std::string now = worker_words("vllm", "PrefillWorker");
  const std::string before = worker_words("vllm:0.14.1", "PrefillWorker");
  EXPECT_NE(
      now.find("--disaggregation-mode prefill --kv-transfer-config {\"kv_connector\":\"NixlConnector\""),
      std::string::npos)
      << now;
  EXPECT_EQ(now.find("--is-prefill-worker"), std::string::npos) << now;
  EXPECT_NE(before.find("--is-prefill-worker"), std::string::npos) << before;
  EXPECT_EQ(before.find("--disaggregation-mode"), std::string::npos) << before;
}

// A parser takes workers without these words all the same: decoding ones then reach no bootstrap server of
// SGLang, and TensorRT-LLM hands no cache on.
TEST(PublishedSchemas, LetsDynamosPoolsHandTheirCachesOn) {
  const std::string sglang = worker_words("sglang", "PrefillWorker");
  EXPECT_NE(sglang.find("--disaggregation-transfer-backend nixl --host 0.0.0.0"), std::string::npos)
      << sglang;
  EXPECT_NE(worker_words("sglang", "DecodeWorker").find("--disaggregation-transfer-backend nixl"),
            std::string::npos);
  const std::string overlap = "\"disable_overlap_scheduler\":true";
  for (const char* worker : {"PrefillWorker", "DecodeWorker"}) {
    const std::string words = worker_words("trtllm", worker);
    EXPECT_NE(words.find("{\"cache_transceiver_config\":{\"backend\":\"DEFAULT\"}"), std::string::npos)
        << words;
    EXPECT_EQ(words.find(overlap) != std::string::npos, worker == std::string("PrefillWorker")) << words;
  }
}

TEST(PublishedSchemas, RefusesExpertsApartByNameInEveryFormat) {
  PlanRequest request = request_for("vllm");
  request.model = "Qwen3-30B-A3B";
  Configuration configuration;
  configuration.shape = {.tensor_parallel = 1, .data_parallel = 2, .expert_parallel = true};
  configuration.shape.feed_forward_ranks = 2;
  for (const char* format : {"auto", "vllm", "k8s", "llm-d", "dynamo"}) {
    try {
      emitted(request, plan_with(request, configuration, {}), format);
      ADD_FAILURE() << format;
    } catch (const Unsupported& error) {
      EXPECT_NE(std::string(error.what()).find("num_ffn_ranks"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace warploom
