#include "warploom/app/plan/simulated_configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/app/plan/plan_refusals.h"
#include "warploom/app/plan/run_figures_of.h"
#include "warploom/app/plan/steady_runs.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

namespace {

StepLimits limits_of(const PreparedEngine& engine) {
  StepLimits limits;
  limits.max_num_seqs = max_num_seqs_of(engine.config);
  limits.max_num_batched_tokens = max_num_batched_tokens_of(engine.config);
  limits.kv_tokens = engine.kv_tokens;
  const SpeculativeConfig drafts = speculation_of(engine.config);
  if (drafts.on()) limits.tokens_per_step = drafts.steps + 1;
  return limits;
}

}  // namespace

SimulatedConfigurations::SimulatedConfigurations(const PlanRequest& request,
                                                 std::shared_ptr<const LatencyModel> latency,
                                                 const Workload& workload, const ServiceLevel& level)
    : request_(request),
      workload_(workload),
      level_(level),
      sure_level_(less_run_error(level)),
      model_(load_model(request.model, request.files)),
      engines_(request, model_, std::move(latency)),
      load_(plan_profile(request, workload, false)),
      cached_load_(plan_profile(request, workload, true)) {}

const LoadProfile& SimulatedConfigurations::load_of(const Configuration& configuration) const {
  return configuration.prefix_caching ? cached_load_ : load_;
}

std::vector<double> SimulatedConfigurations::fractions() const {
  std::vector<double> shares{0.95};
  for (const SloLimit& limit : level_.limits) shares.push_back(fraction_of(limit.statistic));
  if (level_.has_goodput()) shares.push_back(level_.goodput_share);
  return shares;
}

Screened SimulatedConfigurations::screen(const Configuration& configuration) const {
  Screened screened;
  const auto bounds = [&](const EngineShape& shape, bool prompts, bool tokens) {
    const PreparedEngine& engine = engines_.of(configuration, shape);
    if (!screened.refusal) screened.refusal = refusal_of(engine, load_.longest);
    if (screened.refusal) return EngineBounds{};
    StepLimits limits = limits_of(engine);
    limits.computes_prompts = prompts;
    limits.produces_tokens = tokens;
    try {
      const LentPricer pricer(engine.kind);
      EngineBounds found = bounds_of(*pricer, load_of(configuration), limits, fractions());
      found.groups = double(engine.config.instances * engine.config.data_parallel_size);
      return found;
    } catch (const Unsupported& error) {
      screened.refusal = Refusal{std::string(kNoKernels), error.what()};
      return EngineBounds{};
    }
  };
  const bool apart = configuration.decode.has_value();
  screened.first = bounds(configuration.shape, true, !apart);
  if (apart) screened.decode = bounds(*configuration.decode, false, true);
  if (!screened.refusal && configuration.encoders > 0)
    screened.refusal = engines_.encoders_of(configuration).refusal;
  if (!screened.refusal && configuration.shared_caches) screened.refusal = sharing_refusal(configuration);
  const bool by_structure =
      configuration.shape.feed_forward_ranks > 0 || (apart && configuration.decode->feed_forward_ranks > 0);
  if (!screened.refusal && !request_.require_tier.empty() && by_structure)
    screened.refusal =
        Refusal{std::string(kNoTier), fmt::format("require_tier: num_ffn_ranks rests on {}", kAfdRestsOn)};
  if (!screened.refusal && !request_.require_tier.empty()) {
    const double share = measured_share(configuration);
    if (share < kMeasuredShare)
      screened.refusal =
          Refusal{std::string(kNoTier),
                  fmt::format("require_tier: {:.0f} % of the kernels' time is measured", 100 * share)};
  }
  return screened;
}

// Why instances of the configuration cannot share the caches that are asked for.
std::optional<Refusal> SimulatedConfigurations::sharing_refusal(const Configuration& configuration) const {
  constexpr std::int64_t kSeveral = 2;  // so that there are others to read of
  try {
    FleetRun(request_, engines_, configuration, {kSeveral, configuration.decode ? kSeveral : 0}).check();
    return std::nullopt;
  } catch (const Error& error) {
    return Refusal{std::string(kNoEngine), error.what()};
  }
}

double SimulatedConfigurations::measured_share(const Configuration& configuration) const {
  double measured = 0, all = 0;
  const auto see = [&](const EngineShape& shape, bool prompts, bool tokens) {
    const PreparedEngine& engine = engines_.of(configuration, shape);
    if (engine.refusal) return;
    const std::unique_ptr<StepPricer> pricer = engine.kind->setup.pricer->clone();  // with sums of its own
    StepLimits limits = limits_of(engine);
    limits.computes_prompts = prompts;
    limits.produces_tokens = tokens;
    (void)ladder_of(*pricer, load_of(configuration), limits);
    const auto seconds = seconds_by_tier(pricer->breakdown());
    measured += seconds[std::size_t(Tier::Measured)];
    for (const double part : seconds) all += part;
  };
  const bool apart = configuration.decode.has_value();
  see(configuration.shape, true, !apart);
  if (apart) see(*configuration.decode, false, true);
  return all > 0 ? measured / all : 0;
}

std::vector<double> SimulatedConfigurations::held_by_hour(const PoolTotals& pool, SimTime end) const {
  constexpr double kHour = 3600;  // s
  const double whole = end.seconds().value();
  std::vector<double> held;
  if (!(whole > 0)) return held;
  std::vector<std::pair<double, int>> changes;  // since midnight, s; of the number of instances
  for (const HeldGpus& part : pool.held) {
    changes.emplace_back(request_.start_hour * kHour + part.begin.seconds().value(), 1);
    changes.emplace_back(request_.start_hour * kHour + part.end.seconds().value(), -1);
  }
  std::sort(changes.begin(), changes.end());  // at one time, what ends before what begins
  std::size_t instances = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    instances = std::size_t(std::int64_t(instances) + changes[i].second);
    held.resize(std::max(held.size(), instances * kHoursOfDay), 0);
    double at = changes[i].first;
    while (at < changes[i + 1].first) {
      const double next = std::min(changes[i + 1].first, (std::floor(at / kHour) + 1) * kHour);
      const std::size_t hour = std::size_t(at / kHour) % kHoursOfDay;
      for (std::size_t k = 0; k < instances; ++k) held[k * kHoursOfDay + hour] += (next - at) / whole;
      at = next;
    }
  }
  return held;
}

PlanRequest SimulatedConfigurations::drawn(std::int64_t draw) const {
  PlanRequest request = request_;
  request.source.seed += std::uint64_t(draw);
  return request;
}

Workload SimulatedConfigurations::workload_of(const PlanRequest& request, const RunQuestion& question) const {
  const std::size_t part = std::max<std::size_t>(1, workload_.requests.size() / 4);
  const bool as_it_is = question.rate <= 0 && question.draw == 0;
  if (as_it_is) return question.whole ? workload_ : first_requests(workload_, part);
  Workload own = plan_workload(request, {}, question.rate, load_.per_arrival);
  return question.whole ? own : first_requests(own, part);
}

double SimulatedConfigurations::most_requests(const Configuration& configuration, const Fleet& fleet) const {
  const bool apart = configuration.decode.has_value();
  const PreparedEngine& engine =
      engines_.of(configuration, apart ? *configuration.decode : configuration.shape);
  const double groups = double(engine.config.instances * engine.config.data_parallel_size);
  return double(most_in_flight(load_of(configuration), limits_of(engine))) * groups *
         double(apart ? fleet.decode : fleet.instances);
}

RunFigures SimulatedConfigurations::finite_run(FleetRun& run, const PlanRequest& request,
                                               const Configuration& configuration,
                                               const RunQuestion& question) const {
  const Workload workload = workload_of(request, question);
  const SimulationResult result = run.run(workload, {.step_time = question.step_time});
  const bool one_rate = load_.drawn && !request_.autoscaling.on();
  RunFigures figures = figures_of_finite_run(result, workload, level_at(question.step_time), one_rate);
  figures.energy_j = run.energy(result);
  if (!request_.autoscaling.on()) return figures;
  figures.held = held_by_hour(result.pools[0], result.end);
  if (configuration.decode) figures.held_decode = held_by_hour(result.pools[1], result.end);
  return figures;
}

const ServiceLevel& SimulatedConfigurations::level_at(StepTime step_time) const {
  return step_time == StepTime::High ? sure_level_ : level_;
}

RunFigures SimulatedConfigurations::run(const Configuration& configuration, const Fleet& fleet,
                                        const RunQuestion& question) const {
  return question.draw == 0 ? run_of(request_, configuration, fleet, question)
                            : run_of(drawn(question.draw), configuration, fleet, question);
}

RunFigures SimulatedConfigurations::run_of(const PlanRequest& request, const Configuration& configuration,
                                           const Fleet& fleet, const RunQuestion& question) const {
  try {
    FleetRun run(request, engines_, configuration, fleet);
    if (question.kind == RunKind::Saturated)
      return run_saturated(run, request, most_requests(configuration, fleet), question.step_time);
    const ServiceLevel& level = level_at(question.step_time);
    if (question.kind == RunKind::AfterCrowd)
      return run_after_crowd(run, request, workload_, level, question, most_requests(configuration, fleet));
    RunFigures figures = load_.open_ended ? run_until_steady(run, request, workload_, level, question)
                                          : finite_run(run, request, configuration, question);
    if (question.step_time == StepTime::High) lengthen_by_run_error(level_, figures);
    return figures;
  } catch (const Error& error) {
    RunFigures figures;
    figures.refused = error.what();
    return figures;
  }
}

}  // namespace warploom
