// What starts TensorRT-LLM before its options as they were read: no package index holds its parser.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "warploom/app/emit/emitted_files_test.h"
#include "warploom/app/serving/engine_manifests.h"
#include "warploom/app/serving/engine_start.h"
#include "warploom/app/serving/serving_setup.h"

namespace warploom {
namespace {

using Types = std::map<std::string, std::string, std::less<>>;

Types types_of(const std::string& file) {
  std::ifstream input(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/published_schemas/" + file);
  EXPECT_TRUE(input.good()) << file;
  Types types;
  for (std::string line; std::getline(input, line);) {
    const std::size_t colon = line.rfind(": ");
    types[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return types;
}

bool is_number(const std::string& word, bool whole) {
  std::istringstream in(word);
  double value = 0;
  return (in >> value) && in.eof() && (!whole || word.find_first_not_of("0123456789") == std::string::npos);
}

// `word` among the words of "a|b|c".
bool is_one_of(const std::string& words, const std::string& word) {
  return ("|" + words + "|").find("|" + word + "|") != std::string::npos;
}

bool fits(const std::string& type, const std::string& word) {
  if (type == "integer" || type == "number") return is_number(word, type == "integer");
  return type == "string" || is_one_of(type, word);
}

// What a parser of these options says of the words behind the program: "" where it takes them.
std::string refusal(const std::vector<std::string>& words, const Types& types) {
  std::size_t models = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) {
      if (++models > 1) return "a second model: " + words[i];
      continue;
    }
    const auto type = types.find(words[i]);
    if (type == types.end()) return "no option: " + words[i];
    if (type->second == "switch") continue;
    if (i + 1 == words.size() || !fits(type->second, words[i + 1]))
      return "no " + type->second + " behind " + words[i];
    ++i;
  }
  return models == 1 ? "" : "no model";
}

void add_unknown(const Json& value, const std::string& path, const Types& types, std::string& found) {
  if (value.is_structured()) {
    for (const auto& [key, inner] : value.items()) {
      std::string inside = path.empty() ? path : path + " ";
      inside += value.is_array() ? std::string("[]") : key;
      add_unknown(inner, inside, types, found);
    }
    return;
  }
  const auto known = types.find(path);
  if (known != types.end()) {
    const std::string& type = known->second;
    if (value.is_string() && (type == "string" || is_one_of(type, value.get<std::string>()))) return;
    if (value.is_number() && (type == "number" || (type == "integer" && value.is_number_integer()))) return;
    if (value.is_boolean() && type == "boolean") return;
    if (value.is_null() && type == "null") return;
  }
  found += path + " = " + value.dump() + "; ";
}

// Keys and values of a file of options that TensorRT-LLM has not.
std::string unknown_in(const std::string& options) {
  std::string found;
  if (!options.empty())
    add_unknown(json_of_text(options, "options"), "", types_of("trtllm_options.txt"), found);
  return found;
}

EngineStart started(const std::function<void(ServingConfig&)>& change) {
  ServingSetupRequest setup;
  setup.model = "Qwen3-30B-A3B";
  setup.config.engine = "trtllm";
  change(setup.config);
  return engine_start(setup, "options.yaml");
}

TEST(TrtllmFiles, OptionsAreThoseThatTheProgramIsToldOf) {
  const auto& flags = engine_manifest("trtllm").serve_flags;
  const Types types = types_of("trtllm_serve.txt");
  EXPECT_EQ(types.size(), flags.size());
  for (const std::string& flag : flags) EXPECT_TRUE(types.contains(flag)) << flag;
}

TEST(TrtllmFiles, AreTakenByItsParserAndItsFile) {
  const Types types = types_of("trtllm_serve.txt");
  const std::vector<std::function<void(ServingConfig&)>> changes{
      [](ServingConfig&) {},
      [](ServingConfig& c) { c.tensor_parallel_size = 4, c.pipeline_parallel_size = 2; },
      [](ServingConfig& c) { c.max_num_seqs = 64, c.max_num_batched_tokens = 4096, c.max_model_len = 9000; },
      [](ServingConfig& c) { c.gpu_memory_utilization = 0.8, c.block_size = 64; },
      [](ServingConfig& c) { c.enable_prefix_caching = false, c.enable_chunked_prefill = true; },
      [](ServingConfig& c) { c.enable_expert_parallel = true, c.tensor_parallel_size = 2; },
      [](ServingConfig& c) {
        c.tensor_parallel_size = 8, c.data_parallel_size = 1, c.enable_dp_attention = true;
      },
      [](ServingConfig& c) { c.kv_cache_dtype = "fp8", c.enforce_eager = true; },
      [](ServingConfig& c) {
        c.cudagraph_capture_sizes = {1, 2, 8};
      },
      [](ServingConfig& c) { c.max_cudagraph_capture_size = 64; },
      [](ServingConfig& c) { c.async_scheduling = false, c.capacity_scheduler_policy = "max_utilization"; },
      [](ServingConfig& c) { c.moe_backend = "flashinfer_trtllm", c.batch_wait_timeout_iters = 4; },
      [](ServingConfig& c) { c.speculative_config = R"({"method":"mtp","num_speculative_tokens":2})"; },
      [](ServingConfig& c) {
        c.speculative_config = R"({"method":"eagle3","model":"a/b","num_speculative_tokens":3})";
      }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const EngineStart start = started(changes[i]);
    EXPECT_EQ(refusal(start.words, types), "") << i;
    EXPECT_EQ(unknown_in(start.options), "") << i;
  }
}

TEST(TrtllmFiles, NoticesWhatItsParserWouldRefuse) {
  const Types types = types_of("trtllm_serve.txt");
  const std::string program = "trtllm-serve";
  EXPECT_NE(refusal({program, "m", "--max-batch-size", "3"}, types), "");
  EXPECT_NE(refusal({program, "m", "--max_batch_size"}, types), "");
  EXPECT_NE(refusal({program, "m", "--max_batch_size", "1.5"}, types), "");
  EXPECT_NE(refusal({program, "m", "n"}, types), "");
  EXPECT_NE(refusal({program, "--port", "8000"}, types), "");
  EXPECT_NE(refusal({program, "m", "--backend", "tgi"}, types), "");
  for (const char* options : {R"({"cuda_graph_config": true})", R"({"kv_cache_dtype": "fp8"})",
                              R"({"moe_config": {"backend": "auto"}})",
                              R"({"scheduler_config": {"capacity_scheduler_policy": "max_utilization"}})",
                              R"({"cuda_graph_config": {"batch_sizes": ["1"]}})"})
    EXPECT_NE(unknown_in(options), "") << options;
}

}  // namespace
}  // namespace warploom
