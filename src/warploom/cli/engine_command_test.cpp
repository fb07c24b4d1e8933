#include "warploom/cli/engine_command.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(EngineCommand, ReadsAPastedCommand) {
  const EngineCommand command = parse_engine_command(
      "CUDA_VISIBLE_DEVICES=0,1 vllm serve 'meta-llama/Llama-3.1-70B' -tp 4 --max-num-seqs=64 \\\n"
      "  --max_num_batched_tokens 4096 --no-enable-chunked-prefill --enforce-eager --port 8000 "
      "--trust-remote-code \\\n"
      "  --quantization \"fp8\" --dtype bfloat16");
  EXPECT_EQ(command.model, "meta-llama/Llama-3.1-70B");
  EXPECT_EQ(command.quantization, "fp8");
  EXPECT_EQ(command.config.tensor_parallel_size, 4);
  EXPECT_EQ(command.config.max_num_seqs, 64);
  EXPECT_EQ(command.config.max_num_batched_tokens, 4096);
  EXPECT_EQ(command.config.enable_chunked_prefill, false);
  EXPECT_TRUE(command.config.enforce_eager);
  EXPECT_EQ(command.ignored, (std::vector<std::string>{"--port", "--trust-remote-code"}));
}

TEST(EngineCommand, ReadsWhichStepsAreGraphs) {
  const auto config_of = [](const std::string& flags) {
    return parse_engine_command("vllm serve Llama-3.1-8B " + flags).config;
  };
  const ServingConfig json =
      config_of(R"(--compilation-config '{"cudagraph_mode": "FULL_DECODE_ONLY", "pass_config": {"a": 1}}')");
  EXPECT_EQ(json.cudagraph_mode, "FULL_DECODE_ONLY");
  EXPECT_EQ(config_of("-cc.cudagraph_mode=PIECEWISE").cudagraph_mode, "PIECEWISE");
  EXPECT_EQ(config_of("-cc '{\"cudagraph_capture_sizes\": [8, 64, 1]}'").max_cudagraph_capture_size, 64);
  EXPECT_EQ(config_of("--max-cudagraph-capture-size 2048").max_cudagraph_capture_size, 2048);
  EXPECT_EQ(config_of("-cc.cudagraph_capture_sizes=[4,32]").max_cudagraph_capture_size, 32);
  EXPECT_EQ(config_of("-cc.level=3 -cc.max_num_seqs=7").max_num_seqs, std::nullopt);  // no key of ours
  EXPECT_THROW(config_of("-cc.max_cudagraph_capture_size=many"), InvalidInput);
  EXPECT_THROW(config_of("-cc '[3]'"), InvalidInput);
  EXPECT_THROW(config_of("-cc '{\"cudagraph_capture_sizes\": []}'"), InvalidInput);
  EXPECT_THROW(config_of("-cc '{\"max_cudagraph_capture_size\": 0}'"), InvalidInput);
}

TEST(EngineCommand, RefusesWhatItCannotRead) {
  EXPECT_THROW(parse_engine_command(""), InvalidInput);
  EXPECT_THROW(parse_engine_command("python -m lmdeploy"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a b"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve 'a"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs many"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs 0"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --dtype float16"), Unsupported);
  EXPECT_THROW(parse_engine_command("vllm serve a --otlp-traces-endpoint x"), Unsupported);
}

TEST(EngineCommand, ReadsOtherEnginesByTheirOwnFlags) {
  const EngineCommand sglang = parse_engine_command(
      "python3 -m sglang.launch_server --model-path a/b --tp-size 8 --ep-size 8 --max-running-requests 96 "
      "--chunked-prefill-size 4096 --mem-fraction-static 0.8 --disable-radix-cache --host 0.0.0.0");
  EXPECT_EQ(sglang.model, "a/b");
  EXPECT_EQ(sglang.config.engine, "sglang");
  EXPECT_EQ(sglang.config.tensor_parallel_size, 8);
  EXPECT_TRUE(sglang.config.enable_expert_parallel);
  EXPECT_EQ(sglang.config.max_num_seqs, 96);
  EXPECT_EQ(sglang.config.chunked_prefill_size, 4096);
  EXPECT_EQ(sglang.config.gpu_memory_utilization, 0.8);
  EXPECT_FALSE(sglang.config.enable_prefix_caching);
  const EngineCommand trtllm =
      parse_engine_command("trtllm-serve a/b --tp_size 2 --max_batch_size 64 --max_num_tokens=4096");
  EXPECT_EQ(trtllm.config.engine, "trtllm");
  EXPECT_EQ(trtllm.config.tensor_parallel_size, 2);
  EXPECT_EQ(trtllm.config.max_num_batched_tokens, 4096);
  EXPECT_THROW(parse_engine_command("trtllm-serve a --chunked-prefill-size 4096"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --mem-fraction-static 0.8"), Unsupported);
  EXPECT_THROW(parse_engine_command("sglang serve --model-path a --ep-size many"), InvalidInput);
}

TEST(EngineCommand, ReadsDraftsTiersAdaptersAndPolicies) {
  const EngineCommand vllm = parse_engine_command(
      "vllm serve a --speculative-config '{\"method\": \"eagle3\", \"num_speculative_tokens\": 3}' "
      "--kv-offloading-size 64 --kv-offloading-backend native --enable-lora --max-loras 4 --max-lora-rank 32 "
      "--scheduling-policy priority --kv-transfer-config '{\"kv_role\": \"kv_both\"}'");
  EXPECT_EQ(vllm.config.speculative_config, R"({"method": "eagle3", "num_speculative_tokens": 3})");
  EXPECT_EQ(vllm.config.kv_offloading_size, 64);
  EXPECT_TRUE(vllm.config.enable_lora);
  EXPECT_EQ(vllm.config.max_loras, 4);
  EXPECT_EQ(vllm.config.scheduling_policy, "priority");
  EXPECT_EQ(vllm.ignored, std::vector<std::string>{"--kv-transfer-config"});
  const EngineCommand sglang = parse_engine_command(
      "sglang serve --model-path a --speculative-algorithm EAGLE --speculative-num-steps 3 "
      "--speculative-eagle-topk 1 --speculative-num-draft-tokens 4 --enable-hierarchical-cache "
      "--hicache-ratio 3 --schedule-policy lpm --max-loras-per-batch 8 --disaggregation-mode prefill");
  EXPECT_EQ(sglang.config.speculative_algorithm, "EAGLE");
  EXPECT_EQ(sglang.config.speculative_num_draft_tokens, 4);
  EXPECT_TRUE(sglang.config.enable_hierarchical_cache);
  EXPECT_EQ(sglang.config.hicache_ratio, 3);
  EXPECT_EQ(sglang.config.schedule_policy, "lpm");
  EXPECT_EQ(sglang.config.max_loras, 8);
  EXPECT_THROW(parse_engine_command("vllm serve a --hicache-ratio 2"), InvalidInput);
}

TEST(EngineCommand, NamesTheNearestFlag) {
  try {
    parse_engine_command("vllm serve a --max-num-seq 4");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("max_num_seqs"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace warploom
