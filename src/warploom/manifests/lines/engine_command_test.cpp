#include "warploom/manifests/lines/engine_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(config_of("-cc '{\"cudagraph_capture_sizes\": [8, 64, 1]}'").cudagraph_capture_sizes,
            (Sizes{8, 64, 1}));
  EXPECT_EQ(config_of("--cudagraph-capture-sizes 8 64 1").cudagraph_capture_sizes, (Sizes{8, 64, 1}));
  EXPECT_EQ(config_of("--max-cudagraph-capture-size 2048").max_cudagraph_capture_size, 2048);
  EXPECT_EQ(config_of("-cc.cudagraph_capture_sizes=[4,32]").cudagraph_capture_sizes, (Sizes{4, 32}));
  EXPECT_EQ(parse_engine_command("python -m sglang.launch_server --model-path m --cuda-graph-bs 1 2 20")
                .config.cudagraph_capture_sizes,
            (Sizes{1, 2, 20}));
  EXPECT_EQ(config_of("-cc.level=3 -cc.max_num_seqs=7").max_num_seqs, std::nullopt);  // no key of ours
  EXPECT_THROW(config_of("-cc.max_cudagraph_capture_size=many"), InvalidInput);
  EXPECT_THROW(config_of("-cc '[3]'"), InvalidInput);
  EXPECT_THROW(config_of("-cc '{\"cudagraph_capture_sizes\": []}'"), InvalidInput);
  EXPECT_THROW(config_of("-cc '{\"max_cudagraph_capture_size\": 0}'"), InvalidInput);
}

TEST(EngineCommand, ReadsWhoseKernelsRunDeltaNets) {
  const auto backend = [](const std::string& flags) {
    return parse_engine_command("vllm serve Qwen/Qwen3.5-35B-A3B " + flags).config.gdn_prefill_backend;
  };
  EXPECT_EQ(backend(""), "auto");
  EXPECT_EQ(backend("--gdn-prefill-backend triton"), "triton");
  EXPECT_EQ(backend(R"(--additional-config '{"gdn_prefill_backend": "Triton", "other": [1]}')"), "triton");
  EXPECT_EQ(backend("--additional-config.gdn_prefill_backend=flashinfer"), "flashinfer");
  EXPECT_THROW(backend(R"(--additional-config '{"gdn_prefill_backend": 1}')"), InvalidInput);
  EXPECT_THROW(backend("--additional-config '[1]'"), InvalidInput);
}

TEST(EngineCommand, ReadsHowExpertsAreBalanced) {
  const auto vllm = [](const std::string& flags) {
    return parse_engine_command("vllm serve deepseek-ai/DeepSeek-V3 -dp 16 --enable-expert-parallel " + flags)
        .config;
  };
  const ServingConfig json = vllm(
      R"(--enable-eplb --eplb-config '{"window_size": 1000, "num_redundant_experts": 32, "policy": "default"}')");
  EXPECT_TRUE(json.enable_eplb);
  EXPECT_EQ(json.num_redundant_experts, 32);
  EXPECT_EQ(vllm("--enable-eplb --eplb-config.num_redundant_experts=16").num_redundant_experts, 16);
  EXPECT_EQ(vllm("--enable-eplb --eplb-config.num_redundant_experts 48").num_redundant_experts, 48);
  EXPECT_EQ(vllm("--enable-eplb --num-redundant-experts 8").num_redundant_experts, 8);  // before 0.11
  EXPECT_FALSE(vllm("").enable_eplb);
  EXPECT_THROW(vllm("--enable-eplb --eplb-config '{\"num_redundant_experts\": -1}'"), InvalidInput);
  EXPECT_THROW(vllm("--enable-eplb --eplb-config '{\"policy\": \"own\"}'"), Unsupported);
  EXPECT_THROW(vllm("--enable-eplb --eplb-config '[1]'"), InvalidInput);
  const ServingConfig sglang =
      parse_engine_command(
          "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 16 --dp 16 --ep-size 16 "
          "--enable-dp-attention --enable-eplb --ep-num-redundant-experts 32 --eplb-algorithm deepseek")
          .config;
  EXPECT_TRUE(sglang.enable_eplb);
  EXPECT_EQ(sglang.num_redundant_experts, 32);
  EXPECT_EQ(sglang.eplb_algorithm, "deepseek");
}

// What stands in the way of a flag that is known is its value or what it needs, never that nobody knows it.
void expect_every_flag_known(const std::string& start, const std::string& file, std::size_t at_least) {
  std::ifstream flags(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/engine_flags/" + file);
  ASSERT_TRUE(flags.good()) << file;
  std::size_t seen = 0;
  for (std::string flag; std::getline(flags, flag); ++seen) {
    for (const char* value : {"", " 1"}) {
      try {
        const EngineCommand read = parse_engine_command(start + " " + flag + value, ConfigFiles::Refused);
        EXPECT_TRUE(read.unknown.empty()) << flag;
      } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find(flag + " is not modelled"), std::string::npos)
            << error.what();
      }
    }
  }
  EXPECT_GE(seen, at_least);
}

TEST(EngineCommand, KnowsEveryFlagOfVllm033) {
  expect_every_flag_known("vllm serve Llama-3.1-8B", "vllm_0_33_0.txt", 433);
  EXPECT_THROW(parse_engine_command("vllm serve Llama-3.1-8B --cpu-offload-gb 4"), Unsupported);
  EXPECT_EQ(parse_engine_command("vllm serve Llama-3.1-8B --no-enable-ssl-refresh --ssl-keyfile a").ignored,
            (std::vector<std::string>{"--no-enable-ssl-refresh", "--ssl-keyfile"}));
}

TEST(EngineCommand, KnowsEveryFlagOfSglang0523) {
  const std::string served = "sglang serve --model-path a";
  expect_every_flag_known(served, "sglang_0_5_23.txt", 559);
  EXPECT_THROW(parse_engine_command(served + " --enable-torch-compile"), Unsupported);
  EXPECT_THROW(parse_engine_command(served + " --enable-lmcache"), Unsupported);
  const EngineCommand read = parse_engine_command(
      served + " --random-seed 3 --gc-threshold 700 10 10 --attention-backend fa3 --enable-metrics");
  EXPECT_EQ(read.ignored, (std::vector<std::string>{"--random-seed", "--gc-threshold", "--enable-metrics"}));
  EXPECT_EQ(read.approximated, std::vector<std::string>{"--attention-backend"});
}

// A flag that is refused does nothing at its default, so a line that spells it out is read.
TEST(EngineCommand, ReadsRefusedFlagsAtTheirDefaults) {
  const EngineCommand read = parse_engine_command(
      "sglang serve --model-path a --num-continuous-decode-steps 1 --radix-eviction-policy=lru");
  EXPECT_EQ(read.ignored,
            (std::vector<std::string>{"--num-continuous-decode-steps", "--radix-eviction-policy"}));
  EXPECT_EQ(parse_engine_command("sglang serve --model-path a --device cuda").ignored.size(), 1u);
  EXPECT_THROW(parse_engine_command("sglang serve --model-path a --num-continuous-decode-steps 2"),
               Unsupported);
  EXPECT_THROW(parse_engine_command("sglang serve --model-path a --device cpu"), Unsupported);
  EXPECT_EQ(parse_engine_command("vllm serve a --cpu-offload-gb 0").ignored.size(), 1u);
}

// Since 0.5.23 SGLang's groups of attention have a flag of their own, and graphs of steps that decode.
TEST(EngineCommand, ReadsSglangsNewerSpellings) {
  const auto read = [](const std::string& flags) {
    return parse_engine_command("sglang serve --model-path a --tp 8 " + flags).config;
  };
  for (const char* flag : {"--attn-dp-size 4", "--attention-data-parallel-size=4",
                           "--dp-size 4 --enable-dp-attention", "--dp 4 --attn-dp-size 4"}) {
    EXPECT_EQ(read(flag).data_parallel_size, 4) << flag;
    EXPECT_TRUE(read(flag).enable_dp_attention) << flag;
  }
  EXPECT_FALSE(read("--attn-dp-size 1").enable_dp_attention);
  EXPECT_TRUE(read("--expert-parallel-size 8").enable_expert_parallel);
  EXPECT_EQ(read("--cuda-graph-max-bs-decode 64").max_cudagraph_capture_size, 64);
  EXPECT_EQ(read("--cuda-graph-bs-decode 1 2 8").cudagraph_capture_sizes,
            (std::vector<std::int64_t>{1, 2, 8}));
  EXPECT_THROW(read("--dp 2 --attn-dp-size 4"), InvalidInput);
  EXPECT_THROW(read("--attn-dp-size 0"), InvalidInput);
  EXPECT_THROW(read("--attn-dp-size four"), InvalidInput);
}

// The three flags of 0.33 that each give one key of --speculative-config, in any order beside it.
TEST(EngineCommand, JoinsVllmsFlagsOfSpeculation) {
  const auto config = [](const std::string& flags) {
    return parse_engine_command("vllm serve a " + flags).config.speculative_config;
  };
  EXPECT_EQ(config("--spec-method eagle3 --spec-model org/drafter --spec-tokens 3"),
            R"({"method":"eagle3","model":"org/drafter","num_speculative_tokens":3})");
  EXPECT_EQ(config("--spec-tokens 2 --speculative-config '{\"method\": \"mtp\"}'"),
            R"({"num_speculative_tokens":2,"method":"mtp"})");
  EXPECT_EQ(config("--speculative-config '{\"method\": \"mtp\"}' --spec_tokens=2"),
            R"({"method":"mtp","num_speculative_tokens":2})");
  EXPECT_EQ(config("--speculative-config.method mtp --speculative-config.num-speculative-tokens=2"),
            R"({"method":"mtp","num_speculative_tokens":2})");
  EXPECT_EQ(config("-sc.method=mtp"), R"({"method":"mtp"})");
  EXPECT_THROW(config("-sc.method mtp --spec-method mtp"), InvalidInput);
  EXPECT_THROW(config("--spec-method mtp --speculative-config '{\"method\": \"mtp\"}'"), InvalidInput);
  EXPECT_THROW(config("--spec-tokens three"), InvalidInput);
  EXPECT_THROW(config("--spec-tokens 0"), InvalidInput);
  EXPECT_THROW(parse_engine_command("sglang serve --model-path a --spec-method mtp"), Unsupported);
}

// Context parallelism of SGLang changes every step of a prompt: it is refused, not left out.
TEST(EngineCommand, RefusesContextParallelismOfSglangUnlessItIsOff) {
  const std::string served = "python -m sglang.launch_server --model-path a --tp 8 ";
  for (const char* flag : {"--attn-cp-size 8", "--attention-context-parallel-size 8",
                           "--enable-nsa-prefill-context-parallel", "--enable-prefill-cp", "--moe-dp-size 2"})
    EXPECT_THROW(parse_engine_command(served + flag), Unsupported) << flag;
  EXPECT_EQ(parse_engine_command(served + "--attn-cp-size 1").config.tensor_parallel_size, 8);
}

// As they stand in scripts, unit files and documents.
TEST(EngineCommand, ImageModesOfBothEnginesAreOneField) {
  const auto mode = [](const std::string& line) {
    return parse_engine_command(line, ConfigFiles::Refused).config.mm_encoder_tp_mode;
  };
  EXPECT_EQ(mode("vllm serve a/b --mm-encoder-tp-mode data"), kWholeImages);
  EXPECT_EQ(mode("sglang serve --model-path a/b --mm-enable-dp-encoder"), kWholeImages);
  EXPECT_EQ(mode("sglang serve --model-path a/b --mm-enable-dp-encoder --no-mm-enable-dp-encoder"),
            "weights");
  EXPECT_EQ(mode("sglang serve --model-path a/b"), "weights");
}

TEST(EngineCommand, ReadsLinesAsTheyArePasted) {
  const auto read = [](const std::string& line) { return parse_engine_command(line, ConfigFiles::Refused); };
  for (const std::string line :
       {"docker run --gpus all -p 8000:8000 --ipc=host vllm/vllm-openai:v0.24.0 --model a/b --max-num-seqs 7",
        "docker run docker.io/vllm/vllm-openai@sha256:12 --model a/b --max-num-seqs 7",
        "python3 -m vllm.entrypoints.openai.api_server --model a/b --max-num-seqs 7",
        "cd /srv && CUDA_VISIBLE_DEVICES=0 nohup vllm serve a/b --max-num-seqs 7 > log.txt 2>&1 &",
        "vllm serve a/b --max-num-seqs 7 >>log 2>/dev/null | tee x --max-num-seqs 9",
        "# start it\nvllm serve a/b \\\n  --max-num-seqs 7  # as many\n",
        "kill 1; vllm serve a/b -O3 --max-num-seqs=7"}) {
    EXPECT_EQ(read(line).model, "a/b") << line;
    EXPECT_EQ(read(line).config.max_num_seqs, 7) << line;
  }
  EXPECT_EQ(
      read("docker run lmsysorg/sglang:latest python3 -m sglang.launch_server --model-path m").config.engine,
      "sglang");
}

TEST(EngineCommand, TakesSizesWithALetterAsTheEngineDoes) {
  const auto length = [](const std::string& text) {
    return parse_engine_command("vllm serve m --max-model-len " + text).config.max_model_len;
  };
  EXPECT_EQ(length("32k"), 32'000);
  EXPECT_EQ(length("32K"), 32'768);
  EXPECT_EQ(length("25.6k"), 25'600);
  EXPECT_EQ(length("1M"), 1'048'576);
  EXPECT_EQ(length("auto"), std::nullopt);
  EXPECT_THROW(length("32q"), InvalidInput);
  EXPECT_THROW(length("k"), InvalidInput);
}

TEST(EngineCommand, LeavesOutFlagsThatNobodyKnows) {
  const EngineCommand read =
      parse_engine_command("vllm serve a/b --brand-new-knob 3 --shiny --max-num-seqs 7 --other=4 -x");
  EXPECT_EQ(read.model, "a/b");
  EXPECT_EQ(read.config.max_num_seqs, 7);
  EXPECT_EQ(read.unknown, (std::vector<std::string>{"--brand-new-knob", "--shiny", "--other", "-x"}));
  EXPECT_EQ(parse_engine_command("vllm serve --shiny a/b").model, "a/b");
  EXPECT_EQ(parse_engine_command("vllm serve a/b --runner generate --max-num-seqs 3").config.max_num_seqs, 3);
  EXPECT_THROW(parse_engine_command("vllm serve a/b --runner pooling"), Unsupported);
}

TEST(EngineCommand, CastsWeightsAsTheEngineDoes) {
  for (const char* half : {"half", "float16"})
    EXPECT_EQ(parse_engine_command(std::string("vllm serve a --dtype ") + half).quantization, "fp16");
  EXPECT_EQ(parse_engine_command("vllm serve a --dtype auto").quantization, "");
  EXPECT_EQ(parse_engine_command("vllm serve a --dtype half --quantization fp8").quantization, "fp8");
}

TEST(EngineCommand, RefusesWhatItCannotRead) {
  EXPECT_THROW(parse_engine_command(""), InvalidInput);
  EXPECT_THROW(parse_engine_command("python -m lmdeploy"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a b"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve 'a"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs many"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --max-num-seqs 0"), InvalidInput);
  EXPECT_THROW(parse_engine_command("vllm serve a --dtype float32"), Unsupported);
  EXPECT_THROW(parse_engine_command("vllm serve a --cpu-offload-gb 3"), Unsupported);
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

class ConfigFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        (std::filesystem::temp_directory_path() / ("warploom_config_" + std::to_string(::getpid()) + ".yaml"))
            .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string write(const std::string& text) const {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string path_;
};

TEST_F(ConfigFile, OfVllmYieldsToTheCommandLine) {
  const std::string path = write(
      "tensor-parallel-size: 4\nmax-num-seqs: 64\nenforce-eager: true\nasync-scheduling: false\n"
      "compilation-config: {cudagraph_mode: PIECEWISE}\n");
  const EngineCommand command = parse_engine_command("vllm serve m --max-num-seqs 32 --config " + path);
  EXPECT_EQ(command.config.tensor_parallel_size, 4);
  EXPECT_EQ(command.config.max_num_seqs, 32);
  EXPECT_TRUE(command.config.enforce_eager);
  EXPECT_EQ(command.config.cudagraph_mode, "PIECEWISE");
}

TEST_F(ConfigFile, OfTensorRtLlmRulesTheCommandLine) {
  const std::string path = write(
      "max_batch_size: 256\nenable_attention_dp: true\nprint_iter_log: true\n"
      "cuda_graph_config:\n  enable_padding: true\n  batch_sizes: [1, 8, 128]\n"
      "kv_cache_config:\n  dtype: fp8\n  free_gpu_memory_fraction: 0.8\n  enable_block_reuse: false\n"
      "scheduler_config: {capacity_scheduler_policy: MAX_UTILIZATION}\n"
      "speculative_config: {decoding_type: MTP, num_nextn_predict_layers: 3}\n");
  const EngineCommand command =
      parse_engine_command("trtllm-serve m --tp_size 8 --max_batch_size 8 --extra_llm_api_options=" + path);
  EXPECT_EQ(command.config.tensor_parallel_size, 8);
  EXPECT_EQ(command.config.max_num_seqs, 256);
  EXPECT_TRUE(command.config.enable_dp_attention);
  EXPECT_EQ(command.config.cudagraph_capture_sizes, (std::vector<std::int64_t>{1, 8, 128}));
  EXPECT_EQ(command.config.kv_cache_dtype, "fp8");
  EXPECT_EQ(command.config.gpu_memory_utilization, 0.8);
  EXPECT_FALSE(command.config.enable_prefix_caching);
  EXPECT_EQ(command.config.capacity_scheduler_policy, "max_utilization");
  EXPECT_NE(command.config.speculative_config.find("mtp"), std::string::npos);
  EXPECT_EQ(command.ignored.size(), 2u);
}

TEST_F(ConfigFile, RefusesWhatItCannotRead) {
  const auto trtllm = [](const std::string& path) {
    return parse_engine_command("trtllm-serve m --config " + path);
  };
  EXPECT_THROW(trtllm("/no/such/file.yaml"), NotFound);
  EXPECT_THROW(trtllm(write("a: [1")), InvalidInput);
  EXPECT_THROW(trtllm(write("- 1")), InvalidInput);
  EXPECT_THROW(trtllm(write("enable_attention_dp: perhaps")), InvalidInput);
  EXPECT_THROW(trtllm(write("cuda_graph_config: {batch_sizes: many}")), InvalidInput);
  EXPECT_THROW(trtllm(write("max_batch_sise: 4")), Unsupported);
  EXPECT_THROW(trtllm(write("speculative_config: {decoding_type: Lookahead}")), Unsupported);
  EXPECT_TRUE(trtllm(write("cuda_graph_config: null")).config.enforce_eager);
  EXPECT_THROW(parse_engine_command("vllm serve m --config"), InvalidInput);
}

TEST(EngineCommand, TakesTheShortFormsOfSizes) {
  const EngineCommand command = parse_engine_command(
      "python -m sglang.launch_server --model-path m --tp 8 --dp 8 --enable-dp-attention --ep 8 "
      "--moe-a2a-backend "
      "deepep --cuda-graph-max-bs 128");
  EXPECT_EQ(command.config.tensor_parallel_size, 8);
  EXPECT_EQ(command.config.data_parallel_size, 8);
  EXPECT_TRUE(command.config.enable_dp_attention);
  EXPECT_TRUE(command.config.enable_expert_parallel);
  EXPECT_EQ(command.config.moe_a2a_backend, "deepep");
  EXPECT_EQ(command.config.max_cudagraph_capture_size, 128);
}

}  // namespace
}  // namespace warploom
