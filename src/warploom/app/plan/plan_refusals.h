// What of a request for a plan can be refused before anything is searched.
#pragma once

#include <string>

#include "warploom/app/plan/plan_request.h"
#include "warploom/models/architecture.h"

namespace warploom {

// "eagle3:3" as the JSON that speculation_of reads; empty for "none". Throws InvalidInput.
std::string draft_config(const std::string& entry);

// Throws NotFound on names, InvalidInput on values and on what contradicts itself or changes nothing, each
// with the field.
void check_plan_request(const PlanRequest& request, const Workload& workload, const ModelArchitecture& model);

}  // namespace warploom
