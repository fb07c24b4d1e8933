#include "warploom/app/serving/simulate_serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/energy.h"
#include "warploom/app/serving/image_setup.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/tile_table_latency.h"
#include "warploom/app/serving/tuned_latency.h"
#include "warploom/base/error.h"
#include "warploom/base/parallel.h"

namespace warploom {
namespace {

PoolLabel pool_label(const ServingSetup& setup, std::string name, const PoolTotals& totals) {
  const Sharding& sharding = setup.sharding;
  return {.name = std::move(name),
          .gpu = setup.gpu->name,
          .instances = setup.config.instances * sharding.data_parallel,
          .gpus_per_instance = sharding.gpus_per_replica(),
          .tensor_parallel = sharding.tensor_parallel,
          .pipeline_parallel = sharding.pipeline_parallel,
          .data_parallel = setup.config.data_parallel_size,
          .expert_parallel = sharding.expert_parallel,
          .energy_j = pool_energy(setup, totals),
          .afd = setup.afd()};
}

ClientWayLabel client_label(const ServingEngines& engines) {
  const ServingSetup& first = engines.setups.front();
  ClientWayLabel way{.measured_at = std::string(name_of(first.measured_at)),
                     .frontend_latency = first.config.host.frontend_latency,
                     .frontend_per_token = first.config.host.frontend_per_token};
  if (engines.deployment.disaggregated()) way.handshake = engines.deployment.transfer.handshake;
  return way;
}

// Those that run: of one pool, or of two.
std::vector<const ServingSetupRequest*> setups_of(const SimulateRequest& request) {
  if (!request.disaggregation) return {&request.setup};
  return {&request.disaggregation->prefill, &request.disaggregation->decode};
}

// Refuses the first field that is not as its default: what it belongs to is off.
template <typename Part>
void expect_defaults(const Part& part, std::string_view why) {
  const Part fixed;
  for (const Field& field : fields_of<Part>().fields)
    if (field.get(&part) != field.get(&fixed)) throw InvalidInput(fmt::format("{}: {}", field.name, why));
}

// What bears on nothing beside the rest of the request.
void check_details(const SimulateRequest& request) {
  const auto alone = [](bool given, std::string_view field, std::string_view expected) {
    if (given)
      throw InvalidInput(fmt::format("{} changes nothing by itself, expected {} too", field, expected));
  };
  const bool drawn =
      std::find(request.views.begin(), request.views.end(), kPerfettoView) != request.views.end();
  alone(request.traced_steps && !drawn, "traced_steps", "the view `perfetto`");
  alone(request.trace_from.value() > 0 && !drawn, "trace_from_s", "the view `perfetto`");
  if (!request.autoscaling.on())
    expect_defaults(request.autoscaling, "no pool scales, expected `max_instances` of at least 1 too");
  if (!request.encoder.on())
    expect_defaults(request.encoder, "nothing encodes alone, expected `encoder_instances` of at least 1 too");
}

// What a request with pools says of all of them: in a pool, or in `setup`.
std::string of_all_pools(const SimulateRequest& request, std::string ServingSetupRequest::*member,
                         std::string_view name) {
  if (!request.disaggregation) return request.setup.*member;
  const std::string& decode = request.disaggregation->decode.*member;
  const std::string& prefill = request.disaggregation->prefill.*member;
  if (!decode.empty() && !prefill.empty() && decode != prefill)
    throw InvalidInput(fmt::format("{}: prefill says '{}' and decode '{}', expected one of them for both",
                                   name, prefill, decode));
  if (!decode.empty()) return decode;
  return prefill.empty() ? request.setup.*member : prefill;
}

void check_request(const SimulateRequest& request) {
  const std::vector<const ServingSetupRequest*> setups = setups_of(request);
  for (const ServingSetupRequest* setup : setups) {
    check_simulated_engine(setup->config.engine);
    check_asked_version(*setup);
  }
  if (setups.front()->config.engine != setups.back()->config.engine)
    throw InvalidInput(fmt::format("disaggregation: prefill is of {} and decode of {}, expected one engine",
                                   setups.front()->config.engine, setups.back()->config.engine));
  check_details(request);
}

// As it was asked for, else as it came.
double request_rate_of(const WorkloadRequestSource& source, const Workload& workload) {
  const double closed = std::numeric_limits<double>::infinity();
  if (workload.concurrency) return closed;
  if (source.request_rate || source.rate) return source.request_rate.value_or(source.rate.value_or(closed));
  return source.random ? closed : arrival_rate(workload);
}

RunLabel label_of(const ServingEngines& engines, const WorkloadRequestSource& source,
                  const Workload& workload, const SimulationResult& run) {
  RunLabel label;
  label.request_rate = request_rate_of(source, workload);
  label.max_concurrency = workload.concurrency ? workload.concurrency : workload.most_in_flight;
  const ServingSetup& last = engines.setups.back();
  label.model = last.model.name;
  label.gpu = last.gpu->name;
  label.gpus = 0;
  label.layers = last.model.layer_count();
  label.engine = last.engine_text();
  label.expert_routing = last.expert_routing();
  label.host_profile = last.host_profile;
  label.way = client_label(engines);
  label.workload = workload.name;
  label.kv_transfer = engines.kv_transfer;
  for (std::size_t i = 0; i < engines.setups.size(); ++i) {
    const ServingSetup& setup = engines.setups[i];
    label.pools.push_back(pool_label(setup, engines.deployment.pools[i].name, run.pools[i]));
    label.gpus += label.pools[i].instances * label.pools[i].gpus_per_instance;
    if (setup.gpu->name != label.gpu) label.gpu = setup.gpu->name + "+" + label.gpu;
  }
  if (engines.encoder) {
    const ServingSetup& encoder = *engines.encoder;
    const PoolTotals totals{
        .name = "encode", .steps = run.encoders->steps, .gpu_time = run.encoders->gpu_time};
    label.encoders = pool_label(encoder, totals.name, totals);
    label.gpus += run.encoders->gpus;
  }
  label.trust = trust_of(run.kernels);
  return label;
}

// The run itself, whatever `tuned` names.
SimulateResult run_serving(const SimulateRequest& request,
                           const std::shared_ptr<const LatencyModel>& latency) {
  WorkloadRequestSource source = request.source;
  source.image_draws = image_draws_of(request);
  const Workload workload = open_workload(source);
  const ServingEngines engines = engines_of(request, latency);
  const auto run = [&](StepTime step_time) {
    SimulationOptions options;
    options.step_time = step_time;
    options.cancelled = request.cancelled;
    options.threads = request.threads;
    if (step_time == StepTime::Mid) {
      options.on_progress = request.on_progress;
      options.recorded_steps = request.recorded_steps();
      options.record_from = to_sim_time(request.trace_from);
    } else {
      options.timeline_samples = 0;
    }
    return simulate(at_end(engines, step_time), workload, options);
  };
  SimulateResult result;
  if (request.intervals) {
    RunInterval interval;
    const std::array<std::function<void()>, 3> runs{[&] { result.run = run(StepTime::Mid); },
                                                    [&] { interval.low = run(StepTime::Low).metrics; },
                                                    [&] { interval.high = run(StepTime::High).metrics; }};
    parallel_for(runs.size(), runs.size(), [&](std::size_t i) { runs[i](); });
    if (!result.run.partial) result.interval = interval;
  } else {
    result.run = run(StepTime::Mid);
  }
  check_required_tier(of_all_pools(request, &ServingSetupRequest::require_tier, "require_tier"),
                      result.run.kernels);
  if (request.recorded_steps() > 0) result.traced = trace_steps(result.run, engines.setups);
  result.groups = group_figures(workload, result.run.requests);
  result.label = label_of(engines, request.source, workload, result.run);
  if (source.images) result.label.vision = vision_words(request);
  return result;
}

// The run with tuned kernels, and what they change. `tuned_at` makes the model at an end of the gain, which
// has served(); `refusal` says what the table is of.
template <class TunedAt>
SimulateResult run_tuned(const SimulateRequest& request, const std::shared_ptr<const LatencyModel>& latency,
                         Tier tier, const TunedAt& tuned_at, const std::string& refusal) {
  SimulateRequest alone = request;
  alone.intervals = false;
  alone.views.clear();
  alone.traced_steps.reset();
  alone.on_progress = nullptr;
  const auto figures = [&](TunedGain gain) {
    const ServingMetrics metrics = run_serving(alone, tuned_at(gain)).run.metrics;
    return MeanLatencies{metrics.ttft.mean, metrics.tpot.mean};
  };
  const auto expected = tuned_at(TunedGain::Expected);
  SimulateResult result = run_serving(request, expected);
  if (!expected->served())
    throw InvalidInput(fmt::format("tuned: {} is made for {}, which the run never launches",
                                   request.tuned.string(), refusal));
  const ServingMetrics before = run_serving(alone, latency).run.metrics;
  result.tuned = TunedChange{.tier = std::string(name_of(tier)),
                             .before = {before.ttft.mean, before.tpot.mean},
                             .expected = {result.run.metrics.ttft.mean, result.run.metrics.tpot.mean},
                             .least = figures(TunedGain::Least),
                             .most = figures(TunedGain::Most)};
  return result;
}

// A table of `tune fit`.
SimulateResult simulate_with_tiles(const SimulateRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency) {
  const RuntimeTable table = RuntimeTable::open(request.tuned);
  const TileKernel& kernel = table.kernel();
  if (kernel.kind != TileKernelKind::Gemm && kernel.kind != TileKernelKind::Attention)
    throw InvalidInput(
        fmt::format("tuned: {} is of {}, expected a table of gemm or attention, or the "
                    ".warploom.json of `moe-config`",
                    request.tuned.string(), name_of(kernel.kind)));
  return run_tuned(
      request, latency, tier_of(table.tier()),
      [&](TunedGain gain) { return std::make_shared<const TileTableLatency>(latency, table, gain); },
      fmt::format("{} with operands of {} bytes on {}", name_of(kernel.kind), kernel.operand_bytes,
                  table.gpu().name));
}

// The sidecar of `moe-config`.
SimulateResult simulate_with_experts(const SimulateRequest& request,
                                     const std::shared_ptr<const LatencyModel>& latency) {
  const MoeConfigTable table = moe_config_from_json(read_json_file(request.tuned), request.tuned.string());
  return run_tuned(
      request, latency, table.tier,
      [&](TunedGain gain) { return std::make_shared<const TunedLatency>(latency, table, gain); },
      fmt::format("{} experts (top {}), hidden {}, width {}, tp {}, ep {} on {}", table.layer.experts,
                  table.layer.top_k, table.layer.hidden, table.layer.intermediate,
                  table.layer.tensor_parallel, table.layer.expert_parallel, table.gpu));
}

SimulateResult simulate_tuned(const SimulateRequest& request,
                              const std::shared_ptr<const LatencyModel>& latency) {
  return request.tuned.extension() == ".wlt" ? simulate_with_tiles(request, latency)
                                             : simulate_with_experts(request, latency);
}

}  // namespace

std::string predictor_of(const SimulateRequest& request) {
  return of_all_pools(request, &ServingSetupRequest::predictor, "predictor");
}

ServingEngines open_engines(const SimulateRequest& request,
                            const std::shared_ptr<const LatencyModel>& latency) {
  check_request(request);
  return engines_of(request, latency);
}

SimulateResult simulate_serving(const SimulateRequest& request, std::shared_ptr<const LatencyModel> latency) {
  check_request(request);
  return request.tuned.empty() ? run_serving(request, latency) : simulate_tuned(request, latency);
}

SimulateResult simulate_serving(const SimulateRequest& request) {
  const ServingSetupRequest& named = request.disaggregation ? request.disaggregation->decode : request.setup;
  return simulate_serving(request, open_latency_model(predictor_of(request), named.files));
}

}  // namespace warploom
