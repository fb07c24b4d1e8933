// Configurations of a plan, priced and simulated as `simulate` does it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "warploom/app/plan/plan_request.h"
#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/planner/configuration_model.h"
#include "warploom/planner/run_error.h"

namespace warploom {

// What an instance is started with, without the pool that it is in.
ServingSetupRequest setup_request_of(const PlanRequest& request, const Configuration& configuration,
                                     const EngineShape& shape);

// The source of a load of so many requests (of sessions: first turns) per second.
WorkloadRequestSource source_at(WorkloadRequestSource source, double rate);

class SimulatedConfigurations final : public ConfigurationModel {
 public:
  // Everything outlives this. The workload is the one that runs without a rate of their own replay.
  SimulatedConfigurations(const PlanRequest& request, std::shared_ptr<const LatencyModel> latency,
                          const Workload& workload, const ServiceLevel& level);
  ~SimulatedConfigurations() override;

  Screened screen(const Configuration& configuration) const override;
  RunFigures run(const Configuration& configuration, const Fleet& fleet,
                 const RunQuestion& question) const override;
  // Share of the kernels' time that is priced by rows of the same GPU, over the ladder of steps of both
  // pools.
  double measured_share(const Configuration& configuration) const;

 private:
  struct Kind;      // engines whose steps cost the same
  struct Prepared;  // an engine configuration of a kind
  struct Lent;      // a pricer that is in use

  const Prepared& prepared(const Configuration& configuration, const EngineShape& shape) const;
  std::unique_ptr<Prepared> prepare(const Configuration& configuration, const EngineShape& shape) const;
  bool fits_without_memory(const ServingSetupRequest& request) const;
  std::optional<Refusal> refusal_of(const Prepared& prepared, const EngineShape& shape) const;
  std::shared_ptr<Kind> kind_of(const std::string& key, ServingSetup setup) const;
  StepLimits limits_of(const Prepared& prepared, const Configuration& configuration) const;
  const LoadProfile& load_of(const Configuration& configuration) const;
  // As RunFigures::held has it.
  std::vector<double> held_by_hour(const PoolTotals& pool, std::int64_t gpus, SimTime end) const;
  const KvTransferPlan& transfer_of(const Kind& prefill, const Kind& decode) const;
  Workload workload_of(const RunQuestion& question) const;
  std::vector<double> fractions() const;

  const PlanRequest& request_;
  std::shared_ptr<const LatencyModel> latency_;
  const Workload& workload_;
  const ServiceLevel& level_;
  ServiceLevel sure_level_;  // of runs at p90
  ModelArchitecture model_;
  LoadProfile load_, cached_load_;
  mutable std::mutex mutex_;  // of the maps
  mutable std::map<std::string, std::unique_ptr<Prepared>> prepared_;
  mutable std::map<std::string, std::shared_ptr<Kind>> kinds_;
  mutable std::map<std::pair<const Kind*, const Kind*>, KvTransferPlan> transfers_;
};

}  // namespace warploom
