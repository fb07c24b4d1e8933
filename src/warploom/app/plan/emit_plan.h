// The best deployment of a plan as what starts it: commands, manifests, and the benchmark that checks it.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/plan/make_plan.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {

struct EmittedFile {
  std::string name, contents;
};

// "k8s", "llm-d", "dynamo" and the names of the engines.
std::vector<std::string> emit_formats();

// Throws NotFound on another format, InvalidInput on one of an engine that the space does not hold.
void check_emit_format(const PlanRequest& request, const std::string& format);

// For plan.search.best: files of `format` and bench.sh. A format that is an engine's name writes start.sh;
// it must be the engine of the best. Throws NotFound on another format, InvalidInput when no deployment was
// found or another engine is the best, Unsupported on pools apart where the format has no way to say them.
std::vector<EmittedFile> emit_plan(const PlanRequest& request, const PlanResult& plan,
                                   const std::string& format);

}  // namespace warploom
