// What `validate concurrency` is asked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "warploom/app/serving/host_settings.h"
#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

struct ValidateConcurrencyRequest {
  std::filesystem::path truth;
  std::string predictor;     // as open_latency_model takes it
  std::string require_tier;  // "measured": rows of which too little is measured are dropped; empty: none
  // As parse_expert_routing takes it, of the mixtures of experts; empty: the default.
  std::string expert_routing;
  FileScope files = FileScope::machine();  // where names may be paths
  HostSettings host;                       // to the defaults of the engine
  StepTime kernel_times = StepTime::Mid;   // of the interval of every kernel: where the runs lie
  std::int64_t max_cells = 0;              // simulate this many rows, evenly spread over the file; 0: all
  std::uint64_t one_in = 1;                // simulate the rows whose contents hash to 0 modulo this
  std::uint64_t seed = 1;                  // of the lengths
  bool commands = false;                   // reports also say what `simulate` is asked for each cell
  int threads = 0;                         // 0: as many as cores
  std::function<void(std::int64_t done, std::int64_t total)> on_progress;  // from any thread, one at a time
  static FieldTable describe();
};

}  // namespace warploom
