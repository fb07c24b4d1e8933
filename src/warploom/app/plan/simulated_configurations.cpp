#include "warploom/app/plan/simulated_configurations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warploom/app/plan/plan_refusals.h"
#include "warploom/app/plan/run_figures_of.h"
#include "warploom/app/serving/energy.h"
#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/parallelism.h"
#include "warploom/serving/engines/start_command.h"
#include "warploom/serving/simulation.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {

// A setup whose model and GPU the pricers refer to, and pricers whose tables are filled so far.
struct SimulatedConfigurations::Kind {
  ServingSetup setup;
  std::mutex mutex;
  std::vector<std::unique_ptr<StepPricer>> idle;
};

struct SimulatedConfigurations::Prepared {
  std::optional<Refusal> refusal;
  std::shared_ptr<Kind> kind;
  ServingConfig config;
  KvTierConfig tiers;
  std::int64_t kv_tokens = 0;
};

// Taken from the kind's idle ones, and given back with fuller tables.
struct SimulatedConfigurations::Lent {
  explicit Lent(std::shared_ptr<Kind> owner) : kind(std::move(owner)) {
    const std::scoped_lock lock(kind->mutex);
    if (kind->idle.empty()) {
      pricer = kind->setup.pricer->clone();
    } else {
      pricer = std::move(kind->idle.back());
      kind->idle.pop_back();
    }
  }
  ~Lent() {
    const std::scoped_lock lock(kind->mutex);
    kind->idle.push_back(std::move(pricer));
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  std::shared_ptr<Kind> kind;
  std::unique_ptr<StepPricer> pricer;
};

namespace {

// All instances of a run price their steps with one pricer, so that its tables are filled once. A run has one
// thread.
class SharedTables final : public StepPricer {
 public:
  explicit SharedTables(StepPricer& inner) : inner_(inner) {}
  StepCost price(const StepBatch& batch) override { return inner_.price(batch); }
  std::vector<KernelTime> breakdown() const override { return {}; }
  std::unique_ptr<StepPricer> clone() const override { return std::make_unique<SharedTables>(inner_); }
  std::size_t coupled_replicas() const override { return inner_.coupled_replicas(); }

 private:
  StepPricer& inner_;
};

std::string at_or(const std::vector<std::string>& list, std::size_t index, const std::string& fallback) {
  return list.empty() ? fallback : list[index];
}

std::string shape_text(const EngineShape& shape) {
  return fmt::format("{}/{}/{}/{}/{}", shape.gpu, shape.tensor_parallel, shape.pipeline_parallel,
                     shape.data_parallel, shape.expert_parallel);
}

}  // namespace

ServingSetupRequest setup_request_of(const PlanRequest& request, const Configuration& configuration,
                                     const EngineShape& shape) {
  const SearchSpace& space = request.space;
  ServingSetupRequest setup;
  setup.model = request.model;
  setup.gpu = space.gpus[shape.gpu];
  setup.predictor = request.predictor;
  setup.expert_routing = request.expert_routing;
  setup.host.profile = request.host_profile;
  const auto [engine, version] =
      engine_and_version(at_or(space.engines, configuration.engine, default_engine()));
  setup.config.engine = engine;
  setup.version = version;
  const std::string scheme = at_or(space.quantizations, configuration.quantization, "stored");
  if (scheme != "stored") setup.quantization = scheme;
  setup.config.kv_cache_dtype = request.kv_cache_dtype;
  setup.config.gpu_memory_utilization = request.gpu_memory_utilization;
  setup.config.speculative_config =
      draft_config(at_or(space.speculations, configuration.speculation, "none"));
  if (!setup.config.speculative_config.empty()) setup.config.acceptance_length = request.acceptance_length;
  if (configuration.max_num_seqs > 0) setup.config.max_num_seqs = configuration.max_num_seqs;
  if (configuration.max_num_batched_tokens > 0)
    setup.config.max_num_batched_tokens = configuration.max_num_batched_tokens;
  setup.config.enable_prefix_caching = configuration.prefix_caching;
  if (configuration.kv_offloading_gib > 0) setup.config.kv_offloading_size = configuration.kv_offloading_gib;
  setup.config.tensor_parallel_size = shape.tensor_parallel;
  setup.config.pipeline_parallel_size = shape.pipeline_parallel;
  setup.config.enable_expert_parallel = shape.expert_parallel;
  setup.config = ask_for_groups(std::move(setup.config), shape.data_parallel);
  return setup;
}

WorkloadRequestSource source_at(WorkloadRequestSource source, double rate) {
  source.concurrency.reset();
  if (source.sessions) {
    source.sessions->rate = rate;
  } else if (source.request_rate) {
    source.request_rate = rate;
  } else {
    source.rate = rate;
  }
  return source;
}

SimulatedConfigurations::SimulatedConfigurations(const PlanRequest& request,
                                                 std::shared_ptr<const LatencyModel> latency,
                                                 const Workload& workload, const ServiceLevel& level)
    : request_(request),
      latency_(std::move(latency)),
      workload_(workload),
      level_(level),
      sure_level_(less_run_error(level)),
      model_(load_model(request.model)),
      load_(profile_of(workload, false)),
      cached_load_(profile_of(workload, true)) {}

SimulatedConfigurations::~SimulatedConfigurations() = default;

const LoadProfile& SimulatedConfigurations::load_of(const Configuration& configuration) const {
  return configuration.prefix_caching ? cached_load_ : load_;
}

const SimulatedConfigurations::Prepared& SimulatedConfigurations::prepared(const Configuration& configuration,
                                                                           const EngineShape& shape) const {
  const std::string key =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", configuration.engine, configuration.quantization,
                  configuration.speculation, configuration.max_num_seqs, configuration.max_num_batched_tokens,
                  configuration.prefix_caching, configuration.kv_offloading_gib, shape_text(shape));
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = prepared_.find(key); found != prepared_.end()) return *found->second;
  }
  auto made = prepare(configuration, shape);
  const std::scoped_lock lock(mutex_);
  return *prepared_.emplace(key, std::move(made)).first->second;  // the first of two that were made at once
}

std::shared_ptr<SimulatedConfigurations::Kind> SimulatedConfigurations::kind_of(const std::string& key,
                                                                                ServingSetup setup) const {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<Kind>& kind = kinds_[key];
  if (!kind) {
    kind = std::make_shared<Kind>();
    kind->setup = std::move(setup);
  }
  return kind;
}

std::unique_ptr<SimulatedConfigurations::Prepared> SimulatedConfigurations::prepare(
    const Configuration& configuration, const EngineShape& shape) const {
  auto made = std::make_unique<Prepared>();
  const auto refuse = [&](std::string_view reason, const std::exception& error) {
    made->refusal = Refusal{std::string(reason), error.what()};
    return std::move(made);
  };
  if (shape.data_parallel > 1 && !model_.mixture) {
    made->refusal = Refusal{
        std::string(kNoSplit),
        fmt::format("data_parallel_sizes: {} has no experts for groups to share, expected 1 (instances are "
                    "counted anyway)",
                    model_.name)};
    return made;
  }
  ServingSetupRequest request;
  try {
    request = setup_request_of(request_, configuration, shape);
  } catch (const Unsupported& error) {
    return refuse(kNoEngine, error);
  }
  try {
    check_sharding(model_, sharding_of(spread_attention(request.config, model_), model_), "sharding");
  } catch (const Error& error) {
    return refuse(kNoSplit, error);
  }
  // Attention groups that the engine cannot be told of.
  try {
    if (shape.data_parallel > 1) (void)start_command(request.config, request.model, {});
  } catch (const Unsupported& error) {
    return refuse(kNoEngine, error);
  }
  try {
    ServingSetup setup = resolve_serving(request, latency_);
    made->config = setup.config;
    made->tiers = setup.tiers;
    made->kv_tokens = setup.kv_cache_tokens();
    const std::string key = fmt::format(
        "{}|{}|{}|{}|{}|{}", configuration.engine, configuration.quantization, configuration.speculation,
        shape_text(shape),
        fmt::join(graph_sizes_of(setup.config, speculation_of(setup.config).verified_tokens), ","),
        setup.config.enforce_eager);
    made->kind = kind_of(key, std::move(setup));
  } catch (const Unsupported& error) {
    return refuse(kNoKernels, error);
  } catch (const InvalidInput& error) {
    return refuse(fits_without_memory(request) ? kNoMemory : kNoEngine, error);
  }
  return made;
}

// Whether it is memory alone that a setup lacks.
bool SimulatedConfigurations::fits_without_memory(const ServingSetupRequest& request) const {
  try {
    (void)resolve_serving(request, latency_, MemoryCheck::None);
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

std::optional<Refusal> SimulatedConfigurations::refusal_of(const Prepared& prepared,
                                                           const EngineShape& shape) const {
  if (prepared.refusal) return prepared.refusal;
  GpuCatalog gpus;
  const NodeSpec node = NodeCatalog(gpus).node_of(*prepared.kind->setup.gpu);
  const std::int64_t ranks = shape.tensor_parallel * shape.data_parallel;
  if (ranks > node.gpus_per_node && !node.link.spans(ranks))
    return Refusal{std::string(kNoTopology),
                   fmt::format("{} GPUs in one stage, a {} has {}", ranks, node.title, node.gpus_per_node)};
  const std::int64_t longest = load_.longest;
  if (prepared.config.max_model_len && longest > *prepared.config.max_model_len)
    return Refusal{std::string(kNoEngine), fmt::format("a request of {} tokens, max_model_len is {}", longest,
                                                       *prepared.config.max_model_len)};
  if (prepared.kv_tokens > 0 && longest > prepared.kv_tokens)
    return Refusal{std::string(kNoMemory),
                   fmt::format("a request of {} tokens, the KV cache holds {}", longest, prepared.kv_tokens)};
  return std::nullopt;
}

StepLimits SimulatedConfigurations::limits_of(const Prepared& prepared, const Configuration&) const {
  StepLimits limits;
  limits.max_num_seqs = max_num_seqs_of(prepared.config);
  limits.max_num_batched_tokens = max_num_batched_tokens_of(prepared.config);
  const SpeculativeConfig drafts = speculation_of(prepared.config);
  if (drafts.on()) limits.tokens_per_step = drafts.steps + 1;
  return limits;
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
    const Prepared& engine = prepared(configuration, shape);
    if (!screened.refusal) screened.refusal = refusal_of(engine, shape);
    if (screened.refusal) return EngineBounds{};
    StepLimits limits = limits_of(engine, configuration);
    limits.computes_prompts = prompts;
    limits.produces_tokens = tokens;
    try {
      const Lent lent(engine.kind);
      EngineBounds found = bounds_of(*lent.pricer, load_of(configuration), limits, fractions());
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
  if (!screened.refusal && !request_.require_tier.empty()) {
    const double share = measured_share(configuration);
    if (share < kMeasuredShare)
      screened.refusal =
          Refusal{std::string(kNoTier),
                  fmt::format("require_tier: {:.0f} % of the kernels' time is measured", 100 * share)};
  }
  return screened;
}

double SimulatedConfigurations::measured_share(const Configuration& configuration) const {
  double measured = 0, all = 0;
  const auto see = [&](const EngineShape& shape, bool prompts, bool tokens) {
    const Prepared& engine = prepared(configuration, shape);
    if (engine.refusal) return;
    const std::unique_ptr<StepPricer> pricer = engine.kind->setup.pricer->clone();  // with sums of its own
    StepLimits limits = limits_of(engine, configuration);
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

std::vector<double> SimulatedConfigurations::held_by_hour(const PoolTotals& pool, std::int64_t gpus,
                                                          SimTime end) const {
  constexpr double kHour = 3600;  // s
  std::vector<double> held(kHoursOfDay, 0);
  const double whole = double(gpus) * end.seconds().value();
  if (!(whole > 0)) return held;
  for (const HeldGpus& part : pool.held) {
    // Times since midnight.
    double at = request_.start_hour * kHour + part.begin.seconds().value();
    const double until = request_.start_hour * kHour + part.end.seconds().value();
    while (at < until) {
      const double next = std::min(until, (std::floor(at / kHour) + 1) * kHour);
      held[std::size_t(at / kHour) % kHoursOfDay] += double(part.gpus) * (next - at) / whole;
      at = next;
    }
  }
  return held;
}

const KvTransferPlan& SimulatedConfigurations::transfer_of(const Kind& prefill, const Kind& decode) const {
  const std::pair key{&prefill, &decode};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = transfers_.find(key); found != transfers_.end()) return found->second;
  }
  const KvTransferPlan plan = kv_transfer_of(prefill.setup, decode.setup, {}).plan;
  const std::scoped_lock lock(mutex_);
  return transfers_.emplace(key, plan).first->second;
}

Workload SimulatedConfigurations::workload_of(const RunQuestion& question) const {
  const std::size_t part = std::max<std::size_t>(1, workload_.requests.size() / 4);
  if (question.rate <= 0) return question.whole ? workload_ : first_requests(workload_, part);
  Workload own = open_workload(source_at(request_.source, question.rate / load_.per_arrival));
  return question.whole ? own : first_requests(own, part);
}

RunFigures SimulatedConfigurations::run(const Configuration& configuration, const Fleet& fleet,
                                        const RunQuestion& question) const {
  std::vector<const Prepared*> engines{&prepared(configuration, configuration.shape)};
  if (configuration.decode) engines.push_back(&prepared(configuration, *configuration.decode));
  std::vector<std::unique_ptr<Lent>> lent;
  std::vector<SharedTables> tables;
  tables.reserve(engines.size());
  Deployment deployment;
  deployment.seed = request_.source.seed;
  deployment.rules = request_.fleet;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    lent.push_back(std::make_unique<Lent>(engines[i]->kind));
    tables.emplace_back(*lent.back()->pricer);
    PoolPlan pool{.name = engines.size() == 1 ? "engine"
                          : i == 0            ? "prefill"
                                              : "decode",
                  .config = engines[i]->config,
                  .pricer = &tables.back(),
                  .tiers = engines[i]->tiers};
    pool.config.routing_policy = request_.routing_policy;
    const std::int64_t own = pool.config.instances * pool.config.data_parallel_size /
                             std::int64_t(pool.pricer->coupled_replicas());
    const std::int64_t instances = i == 0 ? fleet.instances : fleet.decode;
    pool.autoscaling = request_.autoscaling;
    pool.autoscaling.min_instances *= own;
    pool.autoscaling.max_instances = pool.autoscaling.on() ? instances * own : 0;
    pool.config.instances *= pool.autoscaling.on() ? request_.autoscaling.min_instances : instances;
    deployment.pools.push_back(std::move(pool));
  }
  RunFigures figures;
  try {
    if (engines.size() > 1) deployment.transfer = transfer_of(*engines[0]->kind, *engines[1]->kind);
    SimulationOptions options;
    options.step_time = question.step_time;
    options.timeline_samples = 0;
    options.threads = 1;
    const Workload workload = workload_of(question);
    const SimulationResult result = simulate(deployment, workload, options);
    const bool sure = question.step_time == StepTime::High;
    figures = run_figures_of(result, workload, sure ? sure_level_ : level_);
    if (sure) add_run_error(figures.metrics);
    if (request_.autoscaling.on()) {
      figures.held = held_by_hour(result.pools[0], fleet.instances * configuration.shape.gpus(), result.end);
      if (engines.size() > 1) {
        const std::int64_t gpus = fleet.decode * configuration.decode->gpus();
        for (const double share : held_by_hour(result.pools[1], gpus, result.end))
          figures.held.push_back(share);
      }
    }
    for (std::size_t i = 0; i < engines.size(); ++i)
      figures.energy_j += pool_energy(engines[i]->kind->setup, result.pools[i]);
  } catch (const Error& error) {
    figures.refused = error.what();
  }
  return figures;
}

}  // namespace warploom
