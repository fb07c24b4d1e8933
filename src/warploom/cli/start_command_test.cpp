// What is written to start an engine is read back as what was meant.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "warploom/app/serving/engine_start.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/manifests/lines/engine_command.h"

namespace warploom {
namespace {

TEST(StartCommand, IsReadBackAsTheSameConfiguration) {
  for (const std::string& engine : engine_names()) {
    ServingConfig config;
    config.engine = engine;
    config.tensor_parallel_size = 4;
    config.pipeline_parallel_size = 2;
    config.max_num_seqs = 96;
    config.max_num_batched_tokens = 4096;
    config.gpu_memory_utilization = 0.85;
    config.enable_expert_parallel = true;
    const StartCommand command = start_command(config, "Qwen/Qwen3-30B-A3B", "");
    const EngineCommand read = parse_engine_command(shell_line(command.words));
    EXPECT_EQ(read.model, "Qwen/Qwen3-30B-A3B") << engine;
    EXPECT_EQ(read.config.engine, engine);
    EXPECT_EQ(read.config.tensor_parallel_size, 4) << engine;
    EXPECT_EQ(read.config.pipeline_parallel_size, 2) << engine;
    EXPECT_EQ(read.config.max_num_seqs, 96) << engine;
    EXPECT_EQ(read.config.max_num_batched_tokens, 4096) << engine;
    EXPECT_EQ(read.config.gpu_memory_utilization, 0.85) << engine;
    EXPECT_TRUE(read.config.enable_expert_parallel) << engine;
    EXPECT_TRUE(command.file.empty()) << engine;
  }
}

TEST(StartCommand, SwitchesPrefixCachesOffAsEachEngineDoes) {
  for (const std::string& engine : engine_names()) {
    ServingConfig config;
    config.engine = engine;
    config.enable_prefix_caching = false;
    const StartCommand command = start_command(config, "m", "");
    if (command.file.empty()) {
      EXPECT_FALSE(parse_engine_command(shell_line(command.words)).config.enable_prefix_caching) << engine;
    } else {
      EXPECT_EQ(command.file.front().first, "kv_cache_config.enable_block_reuse") << engine;
      EXPECT_EQ(command.file.front().second, "false");
    }
  }
}

// The line and its file of options, read back.
ServingConfig read_back(const std::string& engine, const std::function<void(ServingConfig&)>& change) {
  ServingSetupRequest setup;
  setup.model = "Qwen3-30B-A3B";
  setup.config.engine = engine;
  change(setup.config);
  const EngineStart start = engine_start(setup, "options.yaml");
  return parse_engine_commands({start.words}, "line", {{"options.yaml", start.options}}).config;
}

TEST(StartCommand, WritesListsAsEachEngineTakesThem) {
  for (const std::string& engine : engine_names()) {
    const ServingConfig read = read_back(engine, [](ServingConfig& config) {
      config.cudagraph_capture_sizes = {1, 2, 8};
    });
    EXPECT_EQ(read.cudagraph_capture_sizes, (std::vector<std::int64_t>{1, 2, 8})) << engine;
  }
}

TEST(StartCommand, WritesNoGraphsAndNoOverlapAsEachEngineTakesThem) {
  for (const std::string& engine : engine_names()) {
    const ServingConfig read = read_back(engine, [](ServingConfig& config) {
      config.enforce_eager = true;
      config.async_scheduling = false;
    });
    EXPECT_TRUE(read.enforce_eager) << engine;
    EXPECT_EQ(read.async_scheduling, false) << engine;
  }
}

// SGLang takes names away: what is written is what the parser of today lists.
TEST(StartCommand, NamesSglangsFlagsAsItsParserDoes) {
  std::ifstream file(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/engine_flags/sglang_0_5_23.txt");
  std::set<std::string> known, written;
  for (std::string flag; std::getline(file, flag);) known.insert(flag);
  EXPECT_GE(known.size(), 559u);
  for (const EngineFlag& flag : engine_named("sglang").flags) {
    if (!written.insert(std::string(flag.field)).second) continue;
    std::string name = "--" + std::string(flag.flag);
    std::replace(name.begin(), name.end(), '_', '-');
    EXPECT_TRUE(known.contains(name)) << name;
  }
}

// Its file spells values of its own.
TEST(StartCommand, SpellsValuesOfTensorRtLlmsFile) {
  const auto change = [](ServingConfig& config) {
    config.capacity_scheduler_policy = "max_utilization";
    config.moe_backend = "flashinfer_trtllm";
  };
  const ServingConfig read = read_back("trtllm", change);
  EXPECT_EQ(read.capacity_scheduler_policy, "max_utilization");
  EXPECT_EQ(read.moe_backend, "flashinfer_trtllm");
  ServingConfig config;
  config.engine = "trtllm";
  change(config);
  using Entries = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(start_command(config, "m", "").file,
            (Entries{{"moe_config.backend", "TRTLLM"},
                     {"scheduler_config.capacity_scheduler_policy", "MAX_UTILIZATION"}}));
  config.moe_backend = "triton";
  EXPECT_THROW(start_command(config, "m", ""), Unsupported);
}

TEST(StartCommand, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(shell_line({"vllm", "serve", R"({"a b":1})", "it's"}), R"(vllm serve '{"a b":1}' 'it'\''s')");
}

}  // namespace
}  // namespace warploom
