// The engine against a real one. The step time is what the real engine needed (fitted on the same run from
// its token times alone), so what is left is the behaviour of scheduler, queue and event loop.
#include <gtest/gtest.h>

#include <cstdlib>

#include "warploom/base/csv.h"
#include "warploom/base/statistics.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/workload/trace_file.h"

namespace warploom {
namespace {

struct RealRun {
  Workload workload;
  LatencySummary ttft, tpot, e2el;
  std::vector<double> scheduled;
};

RealRun read_run(const std::filesystem::path& path) {
  RealRun run{.workload = read_trace_file(path).workload};
  std::vector<double> ttft, tpot, e2el;
  CsvReader csv(path);
  const auto queued = csv.column("queued_s"), scheduled = csv.column("scheduled_s");
  const auto first = csv.column("first_token_s"), last = csv.column("last_token_s");
  for (std::size_t i = 0; csv.next(); ++i) {
    WorkloadRequest& request = run.workload.requests[i];
    request.arrival = to_sim_time(Seconds(csv.real(queued)));
    run.scheduled.push_back(csv.real(scheduled));
    ttft.push_back(csv.real(first) - csv.real(queued));
    tpot.push_back((csv.real(last) - csv.real(first)) / double(request.output_tokens - 1));
    e2el.push_back(csv.real(last) - csv.real(queued));
  }
  run.ttft = summarize(ttft);
  run.tpot = summarize(tpot);
  run.e2el = summarize(e2el);
  return run;
}

TEST(EngineReplay, FollowsARealEngineGivenItsStepTime) {
  const char* root = std::getenv("WARPLOOM_DATA");
  const std::filesystem::path data = root != nullptr
                                         ? std::filesystem::path(root)
                                         : std::filesystem::path(WARPLOOM_SOURCE_DIR) / "../shared/data";
  const auto path = data / "serving_truth/vllm0.19_RTXPRO6000_Llama-3.1-8B.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data: " << path;
  const RealRun real = read_run(path);
  // Regression of the run's token times on steps, prompt tokens and context tokens: mean residual 0.35 %.
  const LinearStepPricer pricer({.per_step = milliseconds(13.3),
                                 .per_prompt_token = microseconds(40.3),
                                 .per_context_token = microseconds(0.10)});
  ServingConfig config;
  config.max_num_seqs = 128;
  config.max_num_batched_tokens = 2048;
  config.host = HostModel{};
  const SimulationResult result = simulate(config, real.workload, pricer);
  const ServingMetrics& metrics = result.metrics;
  EXPECT_NEAR(metrics.ttft.mean / real.ttft.mean, 1, 0.05);
  EXPECT_NEAR(metrics.ttft.p50 / real.ttft.p50, 1, 0.05);
  EXPECT_NEAR(metrics.ttft.p90 / real.ttft.p90, 1, 0.05);
  EXPECT_NEAR(metrics.ttft.p99 / real.ttft.p99, 1, 0.05);
  EXPECT_NEAR(metrics.tpot.mean / real.tpot.mean, 1, 0.025);
  EXPECT_NEAR(metrics.tpot.p99 / real.tpot.p99, 1, 0.025);
  EXPECT_NEAR(metrics.e2el.mean / real.e2el.mean, 1, 0.03);
  std::vector<double> scheduled;
  for (const RequestRecord& record : result.requests) scheduled.push_back(record.scheduled.seconds().value());
  EXPECT_GT(spearman_correlation(scheduled, real.scheduled), 0.999);
}

}  // namespace
}  // namespace warploom
