// Use case `plan`: which GPUs, how many, how configured, at what cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/app/plan/plan_labels.h"
#include "warploom/app/plan/plan_request.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/planner/plan_crew.h"
#include "warploom/planner/what_if.h"

namespace warploom {

struct PlanResult {
  std::string model, workload, host_profile;
  MeasuredAt measured_at = MeasuredAt::Client;
  ServiceLevel level;
  Objective objective = Objective::Cost;
  LoadProfile load;
  bool priced = false, find_max_rate = false, exhaustive = false;
  std::int64_t spare_instances = 0;
  std::uint64_t first_seed = 0;  // of the draws of the load
  double growth = 1;
  std::vector<GpuPrice> prices;  // of the GPUs of the space, as far as known
  std::size_t gpus = 0;          // kinds of GPU in the space
  SearchResult search;
  std::vector<PlanLabel> labels;  // of each point
  std::vector<WhatIf> what_ifs;
  std::vector<PlanLabel> what_if_labels;
  PlanLabel nearest_label;         // of search.nearest
  double best_measured_share = 0;  // of the best's kernel time: priced by rows of the same GPU
  std::string contradiction;       // where no configuration can meet a limit: which, and the nearest that can
  std::string store_failure;       // why the runs could not be kept in `store`; empty: they were
};

// An infeasible level is an outcome, not an error. Throws InvalidInput on an empty space, no limits at all, a
// price that is needed and unknown, a load without a rate where one is searched for, and what open_workload
// throws; NotFound on names; InvalidInput when no GPU of the space can hold the model at any size (what
// would).
PlanResult make_plan(const PlanRequest& request, std::shared_ptr<const LatencyModel> latency);
PlanResult make_plan(const PlanRequest& request);  // opens request.predictor

// Throws what make_plan throws before it searches.
void check_plan_request(const PlanRequest& request);

// Whether this process has the answer: the only one, or the first of a crew.
bool gives_answer(const PlanRequest& request);

}  // namespace warploom
