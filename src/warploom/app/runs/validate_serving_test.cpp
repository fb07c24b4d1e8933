#include "warploom/app/runs/validate_serving.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kRun =
    R"({"model": "Llama-3.1-8B", "gpu": "h100_sxm", "vllm_version": "0.19.0", "num_requests": 2,
        "engine_kwargs": {"model": "Llama-3.1-8B", "dtype": "bfloat16", "seed": 42, "max_num_seqs": 128,
                          "max_num_batched_tokens": 2048, "max_model_len": null}})";
constexpr const char* kHeader =
    "request_id,arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s\n";

TEST(ReadRealRun, TakesWhatTheEngineResolvedWhereArgumentsDoNotSay) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& arguments, const std::string& resolved) {
    return read_real_run(
               folder.write("run.json", R"({"model": "Llama-3.1-8B", "gpu": "H200", "engine_kwargs": )" +
                                            arguments + R"(, "resolved": )" + resolved + "}"))
        .setup.config;
  };
  const std::string resolved =
      R"({"max_num_batched_tokens": 2048, "max_num_seqs": 128, "sizes": [1, 2, 4], "moe": "KernelConfig"})";
  const ServingConfig unsaid = read("{}", resolved);
  EXPECT_EQ(unsaid.max_num_batched_tokens, 2048);
  EXPECT_EQ(unsaid.max_num_seqs, 128);
  EXPECT_EQ(unsaid.cudagraph_capture_sizes, (std::vector<std::int64_t>{1, 2, 4}));
  const ServingConfig said = read(R"({"max_num_seqs": 64})", resolved);
  EXPECT_EQ(said.max_num_seqs, 64);
  EXPECT_EQ(said.max_num_batched_tokens, 2048);
  EXPECT_THROW(read("{}", "3"), InvalidInput);
  EXPECT_THROW(read("{}", R"({"max_num_seqs": "many"})"), InvalidInput);
}

TEST(RealRun, ReadsTheEnginesArguments) {
  const ScratchFolder folder;
  const RealRun run = read_real_run(folder.write("run.json", kRun));
  EXPECT_EQ(run.setup.config.max_num_seqs, 128);
  EXPECT_EQ(run.setup.config.max_num_batched_tokens, 2048);
  EXPECT_FALSE(run.setup.config.max_model_len.has_value());
  EXPECT_EQ(run.setup.version, "0.19.0");
}

TEST(RealRun, RefusesWhatItDoesNotKnow) {
  const ScratchFolder folder;
  const auto refused = [&](const char* text) {
    EXPECT_ANY_THROW(read_real_run(folder.write("run.json", text))) << text;
  };
  refused("[]");
  refused(R"({"model": "a", "gpu": "b"})");
  refused(R"({"gpu": "b", "engine_kwargs": {}})");
  refused(R"({"model": "a", "gpu": "b", "engine_kwargs": {"dtype": "float16"}})");
  refused(R"({"model": "a", "gpu": "b", "engine_kwargs": {"max_nun_seqs": 3}})");
  refused(R"({"model": "a", "gpu": "b", "engine_kwargs": {"max_num_seqs": -3}})");
  refused(R"({"model": "Llama-3.1-8B", "gpu": "b", "engine_kwargs": {}, "client_latency_ms": -1})");
  refused(R"({"model": "Llama-3.1-8B", "gpu": "b", "engine_kwargs": {}, "client_latency_ms": "2"})");
  refused(R"({"model": "Llama-3.1-8B", "gpu": "b", "engine_kwargs": {}, "max_concurrency": 0})");
}

// As `python -m warploom.record sglang` writes it.
TEST(RealRun, TakesTheEngineThatTheRecordNames) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& more) {
    const std::string text = R"({"model": "Llama-3.1-8B", "gpu": "h100_sxm")" + more + "}";
    return read_real_run(folder.write("run.json", text)).setup;
  };
  const std::string arguments = R"(, "engine_kwargs": {"chunked_prefill_size": 4096, "block_size": 1})";
  const auto setup = read(R"(, "engine": "sglang", "engine_version": "0.5.14")" + arguments);
  EXPECT_EQ(setup.config.engine, "sglang");
  EXPECT_EQ(setup.version, "0.5.14");
  EXPECT_EQ(setup.config.chunked_prefill_size, 4096);
  EXPECT_EQ(read(R"(, "engine_kwargs": {})").config.engine, "vllm");
  EXPECT_EQ(read(R"(, "engine_kwargs": {"engine": "sglang"})").config.engine, "sglang");
  EXPECT_THROW(read(R"(, "engine": "sglangg", "engine_kwargs": {})"), Unsupported);
  EXPECT_THROW(read(R"(, "engine": 3, "engine_kwargs": {})"), InvalidInput);
  EXPECT_THROW(read(R"(, "engine": "sglang", "engine_kwargs": {"engine": "vllm"})"), InvalidInput);
}

TEST(RealRun, QuantisesOnTheFlyWhatTheCheckpointDoesNot) {
  const ScratchFolder folder;
  const auto quantization = [&](const std::string& model, const std::string& method) {
    const std::string text = R"({"gpu": "h100_sxm", "model": ")" + model +
                             R"(", "engine_kwargs": {"quantization": )" + method + "}}";
    return read_real_run(folder.write("run.json", text)).setup.quantization;
  };
  EXPECT_EQ(quantization("Llama-3.1-8B", R"("fp8")"), "fp8");
  EXPECT_EQ(quantization("Llama-3.1-8B", "null"), "");
  EXPECT_EQ(quantization("Qwen/Qwen3-30B-A3B-FP8", R"("fp8")"), "");  // its checkpoint says so itself
  EXPECT_THROW(quantization("Llama-3.1-8B", R"("awq")"), Unsupported);
}

TEST(RealRun, RoutesExpertsAsItSaysOrAsRandomWeightsDo) {
  const ScratchFolder folder;
  const auto routing = [&](const std::string& model, const std::string& arguments, const std::string& more) {
    const std::string text = R"({"gpu": "h200_sxm", "model": ")" + model + R"(", "engine_kwargs": {)" +
                             arguments + "}" + more + "}";
    return read_real_run(folder.write("run.json", text)).setup.expert_routing;
  };
  const std::string mixture = "Qwen/Qwen3-30B-A3B", random = R"("load_format": "dummy")";
  EXPECT_EQ(routing(mixture, "", ""), "");
  EXPECT_EQ(routing(mixture, random, ""), "uniform");
  EXPECT_EQ(routing(mixture, R"("load_format": "auto")", ""), "");
  EXPECT_EQ(routing("Llama-3.1-8B", random, ""), "");
  EXPECT_EQ(routing(mixture, random, R"(, "expert_routing": "power_law:1.01")"), "power_law:1.01");
  EXPECT_THROW(routing(mixture, "", R"(, "expert_routing": "even")"), InvalidInput);
  EXPECT_THROW(routing(mixture, "", R"(, "expert_routing": 3)"), InvalidInput);
}

TEST(RealRequests, ReadsPrefixesAndClients) {
  const ScratchFolder folder;
  const auto read = [&](const std::string& text) { return read_real_requests(folder.write("r.csv", text)); };
  const std::string header =
      "arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s,group,"
      "prefix_tokens,client\n";
  const auto requests = read(header + "0,100,5,0,0,1,2,7,64,0\n1,100,5,1,1,2,3,,,\n");
  EXPECT_EQ(requests[0].group, 7);
  EXPECT_EQ(requests[0].prefix_tokens, 64);
  EXPECT_EQ(requests[0].client, 0);
  EXPECT_FALSE(requests[1].group.has_value() || requests[1].client.has_value());
  EXPECT_THROW(read(header + "0,100,5,0,0,1,2,7,101,\n"), InvalidInput);
  EXPECT_THROW(read(header + "0,100,5,0,0,1,2,7,0,\n"), InvalidInput);
  EXPECT_THROW(
      read("arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s,group\n"
           "0,100,5,0,0,1,2,7\n"),
      InvalidInput);
}

TEST(RealRequests, RefusesTimesThatRunBackwards) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& rows) {
    EXPECT_THROW(read_real_requests(folder.write("requests.csv", kHeader + rows)), InvalidInput) << rows;
  };
  refused("");
  refused("a,0,10,5,0,1,0.5,2\n");
  refused("a,1,10,5,1,1,1.5,2\nb,0,10,5,1,1,1.5,2\n");
  refused("a,0,0,5,0,0,1,2\n");
  refused("a,0,10,5,0,0,1,nan\n");
}

double predicted_ms(const ServingValidation& result, const std::string& metric,
                    const std::string& statistic) {
  for (const ServingFigure& row : result.latencies)
    if (row.metric == metric && row.statistic == statistic) return row.figure.predicted;
  return -1;
}

constexpr const char* kCachingRun =
    R"({"model": "Llama-3.1-8B", "gpu": "h100_sxm",
        "engine_kwargs": {"max_num_batched_tokens": 2048, "enable_prefix_caching": true}})";

TEST(ValidateServing, SharedPrefixesAreComputedOnce) {
  const ScratchFolder folder;
  const std::string header =
      "arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s,group,prefix_"
      "tokens\n";
  const auto ttft_of = [&](const std::string& group) {
    const std::string rows = "0,1900,2,0,0,1,2,1,1600\n5,1900,2,5,5,6,7," + group + ",1600\n";
    const ValidateServingRequest request{.run = folder.write("run.json", kCachingRun),
                                         .requests = folder.write("r.csv", header + rows)};
    return predicted_ms(validate_serving(request, fixed_latency()), "ttft", "mean");
  };
  EXPECT_LT(ttft_of("1"), ttft_of("2"));
}

TEST(ValidateServing, AClientWaitsForItsAnswer) {
  const ScratchFolder folder;
  const std::string header =
      "arrival_s,input_tokens,output_tokens,queued_s,scheduled_s,first_token_s,last_token_s,client\n";
  const auto duration_of = [&](const std::string& client) {
    // The run took 1 s a request, far more than the simulation's kernels; the second came 0.25 s after the
    // first's end.
    const std::string rows = "0,100,50,0,0,0.5,1,3\n1.25,100,50,1.25,1.25,1.5,2," + client + "\n";
    const ValidateServingRequest request{.run = folder.write("run.json", kCachingRun),
                                         .requests = folder.write("r.csv", header + rows)};
    return validate_serving(request, fixed_latency()).duration.predicted;
  };
  const double apart = duration_of("4"), waiting = duration_of("3");
  EXPECT_GT(apart, 1.25);
  EXPECT_LT(waiting, apart);
  EXPECT_GT(waiting, 0.25);
}

TEST(ValidateServing, FindsNoErrorAgainstItself) {
  const ScratchFolder folder;
  ValidateServingRequest request;
  request.run = folder.write("run.json", kRun);
  request.requests =
      folder.write("one.csv", std::string(kHeader) + "a,0,100,11,0,0,1,2\nb,0.5,200,21,0.5,0.5,1.5,3\n");
  const ServingValidation first = validate_serving(request, fixed_latency());
  const auto predicted = [&](const ServingValidation& result, const std::string& metric,
                             const std::string& statistic) {
    for (const ServingFigure& row : result.latencies) {
      if (row.metric == metric && row.statistic == statistic) return row.figure;
    }
    return Comparison{};
  };
  EXPECT_NEAR(predicted(first, "ttft", "mean").measured, 1000, 1e-9);
  EXPECT_NEAR(predicted(first, "tpot", "mean").measured, 0.5 * (100 + 75), 1e-9);
  EXPECT_NEAR(predicted(first, "e2el", "p50").measured, 2250, 1e-9);
  EXPECT_GT(predicted(first, "tpot", "mean").predicted, 0);
  EXPECT_NEAR(first.start_order_correlation.value(), 1.0, 1e-12);
  EXPECT_FALSE(first.client.has_value());
  EXPECT_EQ(first.requests, 2);
  EXPECT_EQ(first.latencies.size(), 15u);
}

}  // namespace
}  // namespace warploom
