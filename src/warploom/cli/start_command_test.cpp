// What is written to start an engine is read back as what was meant.
#include <gtest/gtest.h>

#include "warploom/app/serving/engine_start.h"
#include "warploom/app/serving/serving_setup.h"
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

TEST(StartCommand, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(shell_line({"vllm", "serve", R"({"a b":1})", "it's"}), R"(vllm serve '{"a b":1}' 'it'\''s')");
}

}  // namespace
}  // namespace warploom
