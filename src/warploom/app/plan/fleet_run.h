// The fleet of one candidate, simulated with tables that its runs share.
#pragma once

#include <memory>
#include <vector>

#include "warploom/app/plan/plan_request.h"
#include "warploom/app/plan/prepared_engines.h"
#include "warploom/serving/simulation.h"

namespace warploom {

class FleetRun {
 public:
  // Everything outlives this.
  FleetRun(const PlanRequest& request, const PreparedEngines& engines, const Configuration& configuration,
           const Fleet& fleet);
  ~FleetRun();

  // Whether an instance of the fleet is a run of its own on every n-th request, so that one says what all do.
  bool one_says_all(const Workload& workload) const;
  // Requests in a row that such an instance takes, and that all take.
  std::size_t own_turn() const;
  std::size_t whole_turn() const;

  // Throws what `simulate` throws. `alone`: one instance of such a fleet. `patient`: nobody is turned away.
  struct How {
    StepTime step_time = StepTime::Mid;
    bool alone = false, patient = false;
  };
  SimulationResult run(const Workload& workload, const How& how);

  // Throws InvalidInput where instances cannot share the caches that they are to share.
  void check() const { (void)deployment({}); }

  // J of all GPUs of a run.
  double energy(const SimulationResult& result) const;

 private:
  Deployment deployment(const How& how) const;
  void add_encoders(StepTime step_time, Deployment& deployment) const;
  void share_caches(StepTime step_time, Deployment& deployment) const;

  const PlanRequest& request_;
  const PreparedEngines& engines_;
  const Configuration& configuration_;
  Fleet fleet_;
  std::vector<const PreparedEngine*> pools_;
  const EncoderSetup* encoders_ = nullptr;  // null: the engines encode
  std::unique_ptr<StepPricer> encoding_;    // of the encoders
  std::vector<std::unique_ptr<LentPricer>> lent_;
  std::vector<std::unique_ptr<StepPricer>> tables_;
};

}  // namespace warploom
