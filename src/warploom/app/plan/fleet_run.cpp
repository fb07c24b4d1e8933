#include "warploom/app/plan/fleet_run.h"

#include <algorithm>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/app/serving/energy.h"
#include "warploom/app/serving/shared_kv_setup.h"
#include "warploom/planner/search_stopped.h"
#include "warploom/serving/cluster/independent_replicas.h"

namespace warploom {
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

}  // namespace

FleetRun::FleetRun(const PlanRequest& request, const PreparedEngines& engines,
                   const Configuration& configuration, const Fleet& fleet)
    : request_(request), engines_(engines), configuration_(configuration), fleet_(fleet) {
  pools_.push_back(&engines.of(configuration, configuration.shape));
  if (configuration.decode) pools_.push_back(&engines.of(configuration, *configuration.decode));
  for (const PreparedEngine* engine : pools_) {
    lent_.push_back(std::make_unique<LentPricer>(engine->kind));
    tables_.push_back(std::make_unique<SharedTables>(**lent_.back()));
  }
  if (configuration.encoders == 0) return;
  encoders_ = &*engines.encoders_of(configuration).setup;
  encoding_ = encoders_->plan.pool.pricer->clone();
}

FleetRun::~FleetRun() = default;

Deployment FleetRun::deployment(const How& how) const {
  Deployment deployment;
  deployment.seed = request_.source.seed;
  deployment.rules = request_.fleet;
  if (how.patient) {
    deployment.rules.max_queued = 0;
    deployment.rules.request_timeout = Seconds(0.0);
  }
  for (std::size_t i = 0; i < pools_.size(); ++i) {
    PoolPlan pool{.name = pools_.size() == 1 ? "engine"
                          : i == 0           ? "prefill"
                                             : "decode",
                  .config = pools_[i]->config,
                  .pricer = tables_[i].get(),
                  .tiers = pools_[i]->tiers};
    pool.config.routing_policy = router_of(request_, configuration_);
    pool.config.host_at_end = pools_[i]->kind->setup.host_at(how.step_time);
    const std::int64_t own = pool.config.instances * pool.config.data_parallel_size /
                             std::int64_t(pool.pricer->coupled_replicas());
    const std::int64_t instances = how.alone ? 1 : i == 0 ? fleet_.instances : fleet_.decode;
    pool.autoscaling = request_.autoscaling;
    pool.autoscaling.min_instances *= own;
    pool.autoscaling.max_instances = pool.autoscaling.on() ? instances * own : 0;
    pool.config.instances *= pool.autoscaling.on() ? request_.autoscaling.min_instances : instances;
    deployment.pools.push_back(std::move(pool));
  }
  if (pools_.size() > 1) deployment.transfer = engines_.transfer_of(*pools_[0]->kind, *pools_[1]->kind);
  if (encoders_ != nullptr) add_encoders(how.step_time, deployment);
  if (configuration_.shared_caches) share_caches(how.step_time, deployment);
  return deployment;
}

void FleetRun::add_encoders(StepTime step_time, Deployment& deployment) const {
  deployment.encoders = encoders_->plan;
  PoolPlan& pool = deployment.encoders->pool;
  pool.pricer = encoding_.get();
  pool.config.instances = configuration_.encoders;
  if (step_time != StepTime::Mid) pool.config.host_at_end = encoders_->setup.host_at(step_time);
  deployment.pools.front().config.most_image_tokens = encoders_->setup.config.most_image_tokens;
}

// A fleet of one instance has nobody to read of.
void FleetRun::share_caches(StepTime step_time, Deployment& deployment) const {
  SharedKv asked = request_.shared_kv;
  std::int64_t replicas = 0;
  for (const PoolPlan& pool : deployment.pools)
    replicas +=
        std::max(pool.config.instances * pool.config.data_parallel_size, pool.autoscaling.max_instances);
  if (replicas < 2) {
    asked.peers = KvPeers::None;
    asked.peer_latency.reset();
    if (!asked.store_size) return;
  }
  std::vector<const ServingSetup*> setups;
  for (const PreparedEngine* pool : pools_) setups.push_back(&pool->kind->setup);
  set_shared_kv(deployment, setups, asked);
  set_at_end(deployment.shared_kv, step_time);
}

bool FleetRun::one_says_all(const Workload& workload) const {
  return instances_are_independent(deployment({}), workload);
}

std::size_t FleetRun::own_turn() const {
  return std::size_t(pools_[0]->config.instances * pools_[0]->config.data_parallel_size);
}

std::size_t FleetRun::whole_turn() const { return own_turn() * std::size_t(fleet_.instances); }

SimulationResult FleetRun::run(const Workload& workload, const How& how) {
  SimulationOptions options;
  options.step_time = how.step_time;
  options.timeline_samples = 0;
  options.threads = 1;
  options.cancelled = request_.cancelled;
  SimulationResult result = simulate(deployment(how), workload, options);
  if (result.partial) throw SearchStopped();
  return result;
}

double FleetRun::energy(const SimulationResult& result) const {
  double joules = 0;
  for (std::size_t i = 0; i < pools_.size(); ++i)
    joules += pool_energy(pools_[i]->kind->setup, result.pools[i]);
  if (encoders_ != nullptr && result.encoders)
    joules += pool_energy(
        encoders_->setup,
        {.name = "encode", .steps = result.encoders->steps, .gpu_time = result.encoders->gpu_time});
  return joules;
}

}  // namespace warploom
