#include "warploom/serving/cluster/latency_planner.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "warploom/serving/cluster/step_regression.h"

namespace warploom {
namespace {

// throughput_adjustment_interval (planner/config/defaults.py).
constexpr Seconds kThroughputInterval(180.0);

// What one limit asks for; nothing: it knows too little.
enum class Wish { Fewer, Same, More };

class LatencyPlanner final : public AutoscalingPolicy {
 public:
  explicit LatencyPlanner(const AutoscalingConfig& config) : config_(config) {}

  std::int64_t wanted(const PoolLoad& load) override {
    for (const EngineLoad& engine : load.engines) learn(load.role, engine);
    count_requests(load);
    std::int64_t wanted = load.instances;
    // While one starts it only looks.
    if (load.starting == 0 && !load.engines.empty()) {
      const std::int64_t step = step_of(load);
      wanted = std::max(load.instances + step, floor_);
    }
    return std::clamp(wanted, config_.min_instances, config_.max_instances);
  }

 private:
  // Each kind of pool has a plane of its own: over prompts' tokens; decoding requests and their tokens in the
  // cache; prompts' tokens and those in the cache.
  void learn(PoolRole role, const EngineLoad& engine) {
    if (engine.prompts > 0) prompt_length_.add(double(engine.prompt_tokens) / double(engine.prompts));
    if (engine.decoding > 0) context_.add(double(engine.decode_tokens) / double(engine.decoding));
    prompt_tokens_.add(double(engine.prompt_tokens));
    decoding_.add(double(engine.decoding));
    if (engine.step.value() <= 0) return;
    const double prompts = double(engine.prompt_tokens), contexts = double(engine.decode_tokens);
    if (role == PoolRole::Prefill)
      of_prompts_.add({prompts, 0}, engine.step);
    else if (role == PoolRole::Decode)
      of_decoding_.add({double(engine.decoding), contexts}, engine.step);
    else
      of_both_.add({prompts, contexts}, engine.step);
  }

  // With a rate of an instance, what came in the latest whole interval is a floor.
  void count_requests(const PoolLoad& load) {
    arrived_ += load.arrived;
    if (config_.instance_rate <= 0 || load.at - since_ < kThroughputInterval) return;
    const double rate = double(arrived_) / (load.at - since_).value();
    floor_ = std::int64_t(std::ceil(std::min(rate / config_.instance_rate, double(config_.max_instances))));
    since_ = load.at;
    arrived_ = 0;
  }

  std::int64_t step_of(const PoolLoad& load) {
    if (load.role == PoolRole::Prefill) return step_of(by_ttft(load));
    if (load.role == PoolRole::Decode) return step_of(by_itl(load));
    const std::optional<Wish> ttft = by_ttft(load), itl = by_itl(load);
    if (ttft == Wish::More || itl == Wish::More) return 1;
    const bool fewer = itl == Wish::Fewer && (!ttft || ttft == Wish::Fewer);
    return fewer ? -1 : 0;
  }
  static std::int64_t step_of(std::optional<Wish> wish) {
    if (!wish || wish == Wish::Same) return 0;
    return wish == Wish::More ? 1 : -1;
  }

  // The next prompt behind `queued` tokens, in steps of what a step holds, beside so many tokens of decoding
  // requests.
  std::optional<double> ttft(const PoolLoad& load, double queued, double contexts) {
    const double all = queued + prompt_length_.value(), most = double(load.step_tokens);
    const auto step = [&](double tokens) {
      return load.role == PoolRole::Prefill ? of_prompts_.predict({tokens, 0})
                                            : of_both_.predict({tokens, contexts});
    };
    const double full = std::floor(all / most), rest = all - full * most;
    const auto of_full = step(most), of_rest = step(rest);
    if (!of_full || !of_rest) return std::nullopt;
    return full * *of_full + (rest > 0 ? *of_rest : 0);
  }

  std::optional<double> itl(const PoolLoad& load, double contexts) {
    const double all = contexts + context_.value();
    return load.role == PoolRole::Decode ? of_decoding_.predict({decoding_.value() + 1, all})
                                         : of_both_.predict({prompt_tokens_.value(), all});
  }

  // How much more of the load the others would have without one of the instances.
  static double share_without_one(const PoolLoad& load) {
    return load.instances > 1 ? double(load.instances) / double(load.instances - 1) : 1;
  }

  std::optional<Wish> by_ttft(const PoolLoad& load) {
    if (load.step_tokens <= 0) return std::nullopt;
    const double more = share_without_one(load), limit = config_.ttft.value();
    bool all_miss = true, can_go = load.instances > 1;
    for (const EngineLoad& engine : load.engines) {
      const double queued = double(engine.queued_prompt_tokens), contexts = double(engine.decode_tokens);
      const auto now = ttft(load, queued, contexts);
      if (!now) return std::nullopt;
      all_miss = all_miss && *now > limit;
      if (!can_go) continue;
      // A prompt's own steps take what they take: the margin is of what the queue adds.
      const double of_others = load.role == PoolRole::Prefill ? 0 : std::floor(contexts * more);
      const double own = *ttft(load, 0, of_others);
      const double budget = (limit - own) * config_.down_sensitivity;
      can_go = budget > 0 && *ttft(load, std::floor(queued * more), of_others) - own < budget;
    }
    if (all_miss) return Wish::More;
    return can_go ? Wish::Fewer : Wish::Same;
  }

  std::optional<Wish> by_itl(const PoolLoad& load) {
    const double more = share_without_one(load), limit = config_.itl.value();
    bool all_miss = true, can_go = load.instances > 1;
    for (const EngineLoad& engine : load.engines) {
      const double here = double(engine.decode_tokens + engine.queued_decode_tokens);
      const auto now = itl(load, here);
      if (!now) return std::nullopt;
      all_miss = all_miss && *now > limit;
      const double prompts = load.role == PoolRole::Decode ? 0 : double(engine.queued_prompt_tokens);
      const double then = std::floor((here + prompts) * more);
      const bool fits = load.cache_tokens <= 0 || then < double(load.cache_tokens);
      can_go = can_go && fits && *itl(load, then) < limit * config_.down_sensitivity;
    }
    if (all_miss) return Wish::More;
    return can_go ? Wish::Fewer : Wish::Same;
  }

  AutoscalingConfig config_;
  StepRegression of_prompts_{1}, of_decoding_{2, true}, of_both_{2};
  MovingMean prompt_length_, context_, prompt_tokens_, decoding_;
  std::int64_t arrived_ = 0, floor_ = 0;
  Seconds since_{0.0};
};

}  // namespace

std::unique_ptr<AutoscalingPolicy> latency_planner(const AutoscalingConfig& config) {
  return std::make_unique<LatencyPlanner>(config);
}

}  // namespace warploom
