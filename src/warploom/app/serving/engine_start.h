// What starts the engine that a request for a run describes, in the engine's own words.
#pragma once

#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {

struct EngineStart {
  std::vector<std::string> words;  // program, model and flags, each value in a word of its own
  std::string options;             // what the engine's file of options must hold, JSON; empty: it needs none
};

// The command and the file's entries, with flags that the serving program really takes; `model` is the id
// that weights are fetched by. Throws Unsupported on what the engine cannot be told, InvalidInput on drafts
// that need a model of their own and name none.
StartCommand served_command(const ServingSetupRequest& setup, const std::string& model);

// Keys with dots as objects inside objects; JSON is YAML too. Empty without entries.
std::string options_text(const StartCommand& command);

// `options_name`: of that file. Throws what served_command throws.
EngineStart engine_start(const ServingSetupRequest& setup, const std::string& options_name);

}  // namespace warploom
