// Configurations of a plan, priced and simulated as `simulate` does it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "warploom/app/plan/fleet_run.h"
#include "warploom/app/plan/plan_request.h"
#include "warploom/app/plan/prepared_engines.h"
#include "warploom/planner/configuration_model.h"
#include "warploom/planner/run_error.h"

namespace warploom {

class SimulatedConfigurations final : public ConfigurationModel {
 public:
  // Everything outlives this. The workload is the one that runs without a rate of their own replay.
  SimulatedConfigurations(const PlanRequest& request, std::shared_ptr<const LatencyModel> latency,
                          const Workload& workload, const ServiceLevel& level);

  Screened screen(const Configuration& configuration) const override;
  RunFigures run(const Configuration& configuration, const Fleet& fleet,
                 const RunQuestion& question) const override;
  // Share of the kernels' time that is priced by rows of the same GPU, over the ladder of steps of both
  // pools.
  double measured_share(const Configuration& configuration) const;

 private:
  std::optional<Refusal> sharing_refusal(const Configuration& configuration) const;
  const LoadProfile& load_of(const Configuration& configuration) const;
  // As RunFigures::held has it.
  std::vector<double> held_by_hour(const PoolTotals& pool, SimTime end) const;
  // The request whose source draws as the question's draw does.
  PlanRequest drawn(std::int64_t draw) const;
  Workload workload_of(const PlanRequest& request, const RunQuestion& question) const;
  // Most requests in flight in the pool that produces tokens.
  double most_requests(const Configuration& configuration, const Fleet& fleet) const;
  // Figures under a load that ends.
  RunFigures finite_run(FleetRun& run, const PlanRequest& request, const Configuration& configuration,
                        const RunQuestion& question) const;
  RunFigures run_of(const PlanRequest& request, const Configuration& configuration, const Fleet& fleet,
                    const RunQuestion& question) const;
  const ServiceLevel& level_at(StepTime step_time) const;
  std::vector<double> fractions() const;

  const PlanRequest& request_;
  const Workload& workload_;
  const ServiceLevel& level_;
  ServiceLevel sure_level_;  // of runs at p90
  ModelArchitecture model_;
  PreparedEngines engines_;
  LoadProfile load_, cached_load_;
};

}  // namespace warploom
