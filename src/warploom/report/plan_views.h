// What a plan's request asks beside the plan: pictures, files that start the best deployment, and a
// benchmark's result beside the promise.
#pragma once

#include <string>

#include "warploom/app/plan/make_plan.h"
#include "warploom/base/json.h"

namespace warploom {

// What can be refused before a long search. Throws as check_emit_format and read_measured_requests. Of
// several processes, the result that is checked may lie with one.
void check_plan_views(const PlanRequest& request);

// Adds "check" (plan_check_json), "emit" ([{"name", "contents"}]) and "views" ({"svg"}) to the document where
// they were asked for, and what stands below the plan's text. What cannot be made does not cost the answer
// of a long search: {"error"} stands in its place.
void add_plan_views(const PlanRequest& request, const PlanResult& result, Json& document, std::string& text);

}  // namespace warploom
