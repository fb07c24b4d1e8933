#include "warploom/app/serving/forecast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::string histogram(const std::string& name, std::initializer_list<std::pair<const char*, int>> buckets,
                      double mean) {
  std::string text;
  int count = 0;
  for (const auto& [bound, at] : buckets) {
    text += fmt::format("{}_bucket{{engine=\"0\",le=\"{}\",model_name=\"m\"}} {}\n", name, bound, at);
    count = at;
  }
  return text + fmt::format("{0}_sum{{model_name=\"m\"}} {1}\n{0}_count{{model_name=\"m\"}} {2}\n", name,
                            mean * count, count);
}

// A server that has answered 10 * `tens` requests.
std::string vllm_metrics(int tens) {
  std::string text = "# HELP vllm:num_requests_running Requests in execution.\n";
  text += histogram("vllm:request_prompt_tokens", {{"200", 3 * tens}, {"500", 9 * tens}, {"+Inf", 10 * tens}},
                    300);
  text +=
      histogram("vllm:request_generation_tokens", {{"20", 0}, {"50", 10 * tens}, {"+Inf", 10 * tens}}, 30);
  text += histogram("vllm:time_to_first_token_seconds",
                    {{"0.01", 5 * tens}, {"0.1", 10 * tens}, {"+Inf", 10 * tens}}, 0.012);
  text += histogram("vllm:request_time_per_output_token_seconds", {{"0.01", 10 * tens}, {"+Inf", 10 * tens}},
                    0.005);
  text += histogram("vllm:e2e_request_latency_seconds", {{"0.3", 10 * tens}, {"+Inf", 10 * tens}}, 0.16);
  text += fmt::format("vllm:prefix_cache_queries_total{{model_name=\"m\"}} {}\n", 3000 * tens);
  text += fmt::format("vllm:prefix_cache_hits_total{{model_name=\"m\"}} {}\n", 600 * tens);
  return text +
         "vllm:num_requests_running{model_name=\"m\"} 3\nvllm:num_requests_waiting{model_name=\"m\"} 1\n";
}

class Files {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }

 private:
  ScratchFolder folder_;
};

std::string refusal(const std::filesystem::path& metrics, const std::filesystem::path& before = {},
                    std::optional<Seconds> window = Seconds(10.0)) {
  try {
    observe_load(metrics, before, window);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ObservedLoad, IsWhatCountersGrewByBetweenTwoSnapshots) {
  const Files files;
  const ObservedLoad load = observe_load(files.write("now", vllm_metrics(30)),
                                         files.write("then", vllm_metrics(10)), Seconds(50.0));
  EXPECT_EQ(load.engine, "vllm");
  EXPECT_EQ(load.model, "m");
  EXPECT_DOUBLE_EQ(load.rate, 4);  // 200 in 50 s; as many in flight as before
  EXPECT_DOUBLE_EQ(load.prompt.mean(), 300);
  EXPECT_DOUBLE_EQ(load.hit_rate, 0.2);
  EXPECT_DOUBLE_EQ(load.ttft.quantile(0.75), 0.055);
}

TEST(ObservedLoad, CountsWhatIsInFlightSinceTheStart) {
  const Files files;
  const std::string text = vllm_metrics(10) + "process_start_time_seconds 1000\n";
  EXPECT_DOUBLE_EQ(observe_load(files.write("now", text), {}, Seconds(52.0)).rate,
                   2);  // 100 ended, 4 in flight
  // A sample that states its time (in ms) says when the snapshot was taken.
  const std::string timed = text + "vllm:kv_cache_usage_perc 0.5 1104000\n";
  EXPECT_DOUBLE_EQ(observe_load(files.write("timed", timed), {}, std::nullopt).rate, 1);
}

TEST(ObservedLoad, RefusesWhatIsNoLoad) {
  const Files files;
  const auto now = files.write("now", vllm_metrics(10));
  EXPECT_NE(
      refusal(files.write("other", "trtllm_request_success_total 3\n")).find("no metrics of a known engine"),
      std::string::npos);
  EXPECT_NE(refusal(files.write("two", vllm_metrics(1) + "sglang:num_running_reqs 1\n"))
                .find("expected one engine"),
            std::string::npos);
  EXPECT_NE(refusal(files.write("few", "vllm:num_requests_running 1\n"))
                .find("vllm:request_prompt_tokens is missing"),
            std::string::npos);
  EXPECT_NE(refusal(now, files.write("later", vllm_metrics(20))).find("started anew"), std::string::npos);
  EXPECT_NE(refusal(now, now).find("counts nothing"), std::string::npos);
  EXPECT_NE(refusal(now, {}, std::nullopt).find("process_start_time_seconds"), std::string::npos);
  EXPECT_NE(refusal(files.write("broken", "vllm:a{le=\"1\" 3\n")).find("broken:1"), std::string::npos);
  EXPECT_NE(refusal(files.write("words", "vllm:a three\n")).find("expected a number"), std::string::npos);
}

TEST(LoadWorkload, HasTheMeansAndBucketsOfTheMetrics) {
  const Files files;
  const ObservedLoad load = observe_load(files.write("now", vllm_metrics(10)), {}, Seconds(52.0));
  const Workload workload = load_workload(load, 5, 1000, 1);
  check_workload(workload);
  double prompts = 0, outputs = 0, shared = 0;
  int short_ones = 0;
  for (std::size_t i = 0; i < workload.requests.size(); ++i) {
    prompts += workload.requests[i].input_tokens;
    outputs += workload.requests[i].output_tokens;
    short_ones += workload.requests[i].input_tokens <= 200;
    shared += workload.content_of(i).front().tokens;
  }
  EXPECT_NEAR(prompts / 1000, 300, 3);
  EXPECT_NEAR(outputs / 1000, 30, 0.5);
  EXPECT_EQ(short_ones, 300);
  EXPECT_NEAR(shared / prompts, 0.2, 0.005);
  EXPECT_NEAR(arrival_rate(workload), 5, 0.5);
}

ForecastRequest request_for(const std::filesystem::path& metrics) {
  ForecastRequest request;
  request.setup.model = "Llama-3.1-8B";
  request.setup.gpu = "H100-SXM";
  request.metrics = metrics;
  request.window = Seconds(52.0);
  request.requests = 200;
  return request;
}

// Metrics of a server whose means are `ttft` and `tpot` times those of the simulation in `plain`.
std::string metrics_beside(const ForecastResult& plain, double ttft, double tpot) {
  // A second engine of the same server, whose times bring the means there.
  const auto brings = [](const ForecastAgreement& row, double factor) {
    return 2 * factor * row.simulated.value() - row.measured.value();
  };
  return vllm_metrics(10) +
         histogram("vllm:request_time_per_output_token_seconds", {{"0.01", 100}, {"+Inf", 100}},
                   brings(plain.agreement[1], tpot)) +
         histogram("vllm:time_to_first_token_seconds", {{"0.01", 50}, {"0.1", 100}, {"+Inf", 100}},
                   brings(plain.agreement[0], ttft));
}

TEST(Forecast, WithoutCalibrationIsWhatTheSimulationSays) {
  const Files files;
  ForecastRequest request = request_for(files.write("now", vllm_metrics(10)));
  request.levers = false;
  request.calibrate = false;
  const ForecastResult plain = forecast(request, fixed_latency());
  ASSERT_EQ(plain.points.size(), 2u);
  EXPECT_DOUBLE_EQ(plain.points[1].rate, 4);
  ASSERT_EQ(plain.agreement.size(), 3u);
  const ForecastAgreement& tpot = plain.agreement[1];
  EXPECT_NEAR(plain.tpot_residual, tpot.measured / tpot.simulated, 1e-12);
  EXPECT_FALSE(plain.calibrated);
  EXPECT_DOUBLE_EQ(plain.now.tpot_mean.mid.value(), tpot.simulated.value());
  EXPECT_DOUBLE_EQ(plain.decode_factor, 1);
}

TEST(Forecast, FindsStepFactorsThatHaveTheMeasuredMeans) {
  const Files files;
  ForecastRequest request = request_for(files.write("now", vllm_metrics(10)));
  request.levers = false;
  request.calibrate = false;
  const ForecastResult plain = forecast(request, fixed_latency());
  request.metrics = files.write("slower", metrics_beside(plain, 0.9, 1.2));
  request.calibrate = true;
  const ForecastResult slower = forecast(request, fixed_latency());
  ASSERT_TRUE(slower.calibrated);
  EXPECT_NEAR(slower.tpot_residual, 1.2, 1e-6);
  EXPECT_NEAR(slower.ttft_residual, 0.9, 1e-6);
  EXPECT_FALSE(slower.agreement[1].agrees());  // beyond 8 %
  EXPECT_TRUE(slower.agreement[0].agrees());   // within 20 %
  EXPECT_NEAR(slower.now.tpot_mean.mid / slower.agreement[1].measured, 1, 0.005);
  EXPECT_NEAR(slower.now.ttft_mean.mid / slower.agreement[0].measured, 1, 0.005);
  EXPECT_GT(slower.decode_factor, 1);
  EXPECT_LT(slower.prompt_factor, slower.decode_factor);
  // At another load it is as much slower, and by half of it less sure.
  const ForecastFigure& after = slower.points[1].tpot_mean;
  EXPECT_NEAR(after.mid / plain.points[1].tpot_mean.mid, 1.2, 0.05);
  EXPECT_GE(after.high / after.mid, std::sqrt(1.2));
}

TEST(Forecast, ResidualsBeyondAFactorOfTwoAreNotApplied) {
  const Files files;
  ForecastRequest request = request_for(files.write("now", vllm_metrics(10)));
  request.levers = false;
  const ForecastResult plain = forecast(request, fixed_latency());
  request.metrics = files.write("other", metrics_beside(plain, 1, 2.5));
  const ForecastResult other = forecast(request, fixed_latency());
  EXPECT_FALSE(other.calibrated);
  EXPECT_DOUBLE_EQ(other.decode_factor, 1);
  EXPECT_DOUBLE_EQ(other.now.tpot_mean.mid.value(), other.agreement[1].simulated.value());
}

TEST(Forecast, SaysWhichChangeHelpsMost) {
  const Files files;
  ForecastRequest request = request_for(files.write("now", vllm_metrics(10)));
  request.scale = {40};
  const ForecastResult result = forecast(request, fixed_latency());
  ASSERT_GT(result.levers.size(), 5u);
  const auto of = [&](std::string_view change) {
    return std::find_if(result.levers.begin(), result.levers.end(),
                        [&](const ForecastLever& lever) { return lever.change == change; });
  };
  ASSERT_NE(of(kAsItIs), result.levers.end());
  EXPECT_EQ(of(kAsItIs)->gpus, 1);
  ASSERT_NE(of("tensor_parallel_size 2"), result.levers.end());
  EXPECT_EQ(of("tensor_parallel_size 2")->gpus, 2);
  EXPECT_EQ(of("instances 2")->gpus, 2);
  EXPECT_LE(of("instances 2")->e2el_mean, of(kAsItIs)->e2el_mean);
  for (std::size_t i = 1; i < result.levers.size(); ++i) {
    if (!result.levers[i].refused.empty()) continue;
    EXPECT_GE(result.levers[i].e2el_mean, result.levers[i - 1].e2el_mean);
  }
}

TEST(Forecast, RefusesMetricsOfAnotherEngine) {
  const Files files;
  ForecastRequest request = request_for(files.write("now", vllm_metrics(10)));
  request.setup.config.engine = "sglang";
  EXPECT_THROW(forecast(request, fixed_latency()), InvalidInput);
}

}  // namespace
}  // namespace warploom
