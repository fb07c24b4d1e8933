// The words that start an engine with a configuration: the way back from what a pasted command is read as.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

struct StartCommand {
  std::vector<std::string> words;  // program, model and flags, each value in a word of its own
  // Keys and values of the engine's configuration file, for what it has no flag for.
  std::vector<std::pair<std::string, std::string>> file;
};

// What of `config` differs from its defaults, under the engine's own names; instances, routing and what is
// only told to a simulation are left out. `quantization` as the engine's flag has it; empty: none.
StartCommand start_command(const ServingConfig& config, std::string_view model,
                           std::string_view quantization);

// The flag that names the engine's configuration file.
std::string options_flag(const EngineSpec& engine);

// The load that checks a deployment, as `vllm bench serve` makes it whatever engine serves.
struct BenchmarkLoad {
  std::string model;
  std::int64_t input_tokens = 1, output_tokens = 1, requests = 1;
  double range_ratio = 0;
  double rate = 0;               // requests/s; 0: a closed loop
  std::int64_t concurrency = 0;  // of a closed loop
};
std::string benchmark_command(const BenchmarkLoad& load);

}  // namespace warploom
