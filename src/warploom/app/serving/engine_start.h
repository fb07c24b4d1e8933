// What starts the engine that a request for a run describes, in the engine's own words.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

struct EngineStart {
  std::vector<std::string> words;  // program, model and flags, each value in a word of its own
  std::string options;             // what the engine's file of options must hold, JSON; empty: it needs none
};

// `options_name`: of that file. Throws Unsupported on what the engine cannot be told.
EngineStart engine_start(const ServingSetupRequest& setup, const std::string& options_name);

}  // namespace warploom
