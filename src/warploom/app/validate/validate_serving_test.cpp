#include "warploom/app/validate/validate_serving.h"

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
  EXPECT_NEAR(first.start_order_correlation, 1.0, 1e-12);
  EXPECT_EQ(first.requests, 2);
  EXPECT_EQ(first.latencies.size(), 12u);
}

}  // namespace
}  // namespace warploom
