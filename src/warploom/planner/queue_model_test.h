// A model of configurations in closed form, for tests of the search: a queue whose steps take a little longer
// with every request, fast enough to search thousands of configurations exhaustively.
#pragma once

#include <atomic>
#include <cmath>

#include "warploom/planner/configuration_model.h"
#include "warploom/planner/plan_task.h"
#include "warploom/serving/pricing/linear_step_pricer_test.h"

namespace warploom {

// Speeds of GPU kinds, for the step and for what each token adds, relative to the slowest.
inline constexpr double kKindSpeed[] = {1.0, 1.9, 3.1};

class QueueModel final : public ConfigurationModel {
 public:
  explicit QueueModel(const PlanTask& task) : task_(task) {}

  Screened screen(const Configuration& configuration) const override {
    Screened screened;
    const std::int64_t tp = configuration.shape.tensor_parallel;
    if (tp == 3) screened.refusal = Refusal{std::string(kNoSplit), "3 does not divide 8 heads"};
    if (configuration.shape.gpu == 0 && tp == 1)
      screened.refusal = Refusal{std::string(kNoMemory), "one small GPU"};
    if (screened.refusal) return screened;
    LinearStepPricer pricer(step_time(configuration, configuration.shape));
    StepLimits limits{.max_num_seqs = configuration.max_num_seqs > 0 ? configuration.max_num_seqs : 64,
                      .max_num_batched_tokens = tokens_of(configuration)};
    std::vector<double> fractions{0.95};
    for (const SloLimit& limit : task_.level.limits) fractions.push_back(fraction_of(limit.statistic));
    limits.produces_tokens = !configuration.decode;
    screened.first = bounds_of(pricer, task_.load, limits, fractions);
    if (configuration.decode) {
      LinearStepPricer decode(step_time(configuration, *configuration.decode));
      limits.produces_tokens = true;
      limits.computes_prompts = false;
      screened.decode = bounds_of(decode, task_.load, limits, fractions);
    }
    return screened;
  }

  // Steady state: the batch at which as many tokens come out as are asked for, waiting as of one server with
  // the deviation of the arrivals, and a deterministic wobble by configuration.
  RunFigures run(const Configuration& configuration, const Fleet& fleet,
                 const RunQuestion& question) const override {
    if (question.kind == RunKind::Saturated) {
      RunFigures most;
      most.metrics.request_throughput = saturated_rate * double(fleet.instances);
      return most;
    }
    ++runs_;
    const double slow = question.step_time == StepTime::High ? 1.2 : 1.0;
    const double rate = question.rate > 0 ? question.rate : task_.load.rate;
    const LinearStepTime prefill = step_time(configuration, configuration.shape);
    const LinearStepTime decode =
        step_time(configuration, configuration.decode.value_or(configuration.shape));
    const double prompts =
        slow * task_.load.mean_input * (prefill.per_token + prefill.per_prompt_token).value();
    const double decoders = double(configuration.decode ? fleet.decode : fleet.instances);
    const double busy = rate / double(fleet.instances) * prompts;
    RunFigures figures;
    figures.over.assign(task_.level.limits.size(), 0);
    ServingMetrics& metrics = figures.metrics;
    const double base =
        slow * decode.per_step.value() / (configuration.decode ? 1 : std::max(0.05, 1 - busy));
    const double per_token = slow * decode.per_token.value();
    const double load = rate * task_.load.mean_output / decoders * per_token;
    const double seqs = configuration.max_num_seqs > 0 ? double(configuration.max_num_seqs) : 64;
    double tpot = base / std::max(0.02, 1 - load);
    if (question.kind == RunKind::AfterCrowd && rate > crowd_stays_above * double(fleet.instances))
      tpot = 1e6;
    const double batch = rate * task_.load.mean_output / decoders * tpot;
    const double crowd = batch > seqs ? std::pow(batch / seqs, 3) : 1;
    const double wobble = 1 + 0.01 * std::sin(double(configuration.max_num_seqs + configuration.shape.gpu));
    const double wait = busy < 0.97 ? prompts * busy / (1 - busy) : 100;
    const double chunks = std::ceil(task_.load.mean_input / double(tokens_of(configuration)));
    const double ttft = (prompts + chunks * prefill.per_step.value() * slow + wait) * crowd * wobble;
    tpot *= wobble;
    const auto fill = [](LatencySummary& summary, double mean) {
      summary.mean = summary.median = summary.p50 = Seconds(mean);
      summary.p90 = Seconds(1.1 * mean);
      summary.p95 = Seconds(1.2 * mean);
      summary.p99 = Seconds(1.4 * mean);
    };
    fill(metrics.ttft, ttft);
    fill(metrics.tpot, tpot);
    fill(metrics.itl, tpot);
    fill(metrics.e2el, ttft + (task_.load.mean_output - 1) * tpot);
    // Full enough for its saturated rate to be asked.
    const double full = crowd_stays_above < 1e9 ? 0.25 : 1;
    metrics.max_concurrent_requests = std::max<std::int64_t>(1, std::int64_t(full * seqs * decoders));
    metrics.completed = task_.load.requests;
    metrics.request_throughput = rate;
    metrics.duration = Seconds(double(task_.load.requests) / rate);
    metrics.output_throughput = rate * task_.load.mean_output;
    metrics.total_output_tokens = std::int64_t(double(task_.load.requests) * task_.load.mean_output);
    figures.energy_j = 500 * double(gpus_of(configuration, fleet)) * metrics.duration.value();
    if (!question.whole) metrics = {};  // a quarter tells nothing sure here
    return figures;
  }

  std::int64_t runs() const { return runs_; }

  double crowd_stays_above = 1e9;  // of an instance, requests/s
  double saturated_rate = 1e9;     // of an instance, requests/s; the bounds alone say it unless a test does

 private:
  static std::int64_t tokens_of(const Configuration& configuration) {
    return configuration.max_num_batched_tokens > 0 ? configuration.max_num_batched_tokens : 2048;
  }
  static LinearStepTime step_time(const Configuration& configuration, const EngineShape& shape) {
    const double speed = kKindSpeed[shape.gpu] * std::pow(double(shape.gpus()), 0.8) *
                         (configuration.quantization == 0 ? 1 : 1.5) *
                         (1 + 0.04 * double(shape.micro_batches)) *
                         (1 + 0.01 * double(configuration.routing));
    LinearStepTime time;
    time.per_step = milliseconds(18 / speed);
    time.per_token = milliseconds(0.05 / speed);
    time.per_prompt_token = milliseconds(0.05 / speed);
    return time;
  }

  const PlanTask& task_;
  mutable std::atomic<std::int64_t> runs_{0};
};

// Requests of 1,000 tokens in and 200 out, twelve a second.
inline PlanTask queue_task() {
  PlanTask task;
  task.space.gpus = {"slow", "middle", "fast"};
  task.space.tensor_parallel = {1, 2, 3, 4, 8};
  task.space.max_num_seqs = {16, 64, 256};
  task.space.max_num_batched_tokens = {512, 2048, 8192};
  task.space.quantizations = {"stored", "fp8"};
  task.space.max_gpus = 32;
  task.rent[0].gpu_hour_price = {1.0, 2.3, 4.1};
  task.level.limits = parse_limits(std::vector<std::string>{"ttft_p95_ms=600,tpot_p95_ms=25"});
  task.load.requests = 1000;
  task.load.rate = 12;
  task.load.mean_input = 1000;
  task.load.mean_output = 200;
  task.load.mean_context = 1100;
  task.load.longest = 1200;
  task.load.inputs.assign(1000, 1000);
  task.load.outputs.assign(1000, 200);
  return task;
}

}  // namespace warploom
