// Deployments of a plan as what starts them: commands, manifests, and the benchmark that checks them.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/emit/emitted_file.h"
#include "warploom/app/plan/make_plan.h"

namespace warploom {

// "auto", "k8s", "llm-d", "dynamo" and the names of the engines.
std::vector<std::string> emit_formats();

// Throws NotFound on another format, InvalidInput on one of an engine that the space does not hold.
void check_emit_format(const PlanRequest& request, const std::string& format);

// For the best deployment: files of `format` and bench.sh with its load. An engine's name: start.sh of the
// best that it serves; auto: of the best. With request.top above 1, as many deployments, each in a folder
// "1", "2", ... by rank, no two with the same configuration. Throws NotFound on another format, InvalidInput
// when no deployment was found or none that the engine serves, Unsupported on what the format has no way to
// say.
std::vector<EmittedFile> emit_plan(const PlanRequest& request, const PlanResult& plan,
                                   const std::string& format);

}  // namespace warploom
