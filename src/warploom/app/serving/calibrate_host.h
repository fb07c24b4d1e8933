// Use case `calibrate-host`: the constants of a machine's CPU from steps that an engine ran on it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/file_scope.h"
#include "warploom/serving/host/host_fit.h"

namespace warploom {

struct CalibrateHostRequest {
  std::vector<std::filesystem::path> steps;     // files of read_measured_steps
  std::vector<std::filesystem::path> runs;      // in place of steps: files of read_real_run,
  std::vector<std::filesystem::path> requests;  // and what happened to the requests of each
  std::string model, gpu;                       // of steps, as ServingSetupRequest takes them
  std::string engine = default_engine();
  std::string engine_version;  // empty = unknown
  std::string quantization;    // as ServingSetupRequest takes it,
  std::string expert_routing;  // so is this: dummy weights choose experts uniformly
  std::int64_t tensor_parallel_size = 1;
  bool enforce_eager = false;              // whether the engine ran without CUDA graphs
  std::string predictor;                   // as open_latency_model takes it
  std::string base = "xeon_16_cores";      // the profile whose constants are scaled
  std::string name;                        // of the new profile; empty: the output's name
  FileScope files = FileScope::machine();  // where names may be paths
  std::filesystem::path output;            // the profile, written whole or not at all
  static FieldTable describe();
};

// |predicted / measured - 1| over steps.
struct WallErrors {
  double median = 0, p90 = 0, bias = 0;  // bias: the median of predicted / measured - 1
};

struct CalibrateHostResult {
  std::string model, gpu, engine, base;
  HostProfile profile;
  HostFit fit;
  std::size_t steps = 0;
  WallErrors before;
  // On steps that the fit did not see: each third of them by a fit to the others. Absent with fewer than six.
  std::optional<WallErrors> unseen;
  WallErrors after;  // of all by the profile
};

// What a fit scales.
struct ScaledBase {
  EngineHost host;     // on the profile's machine when nothing slows it
  HostFactors stated;  // of `host`: as the profile states it
  std::string name;    // of the profile; with the engine whose times they are, where that is another
};
// The profile's constants of the engine. Where it holds no times of that engine's single steps, those of the
// first engine that it has such times of: engines do the same work in a step, and the fit finds how much
// faster or slower this one is. Throws InvalidInput where it has none of any engine.
ScaledBase scaled_base(const HostProfile& profile, const std::string& engine,
                       const std::string& version = {});
// The request's, or the output's without its ending.
std::string profile_name(const CalibrateHostRequest& request);

// To steps. Throws InvalidInput (none named; see read_measured_steps; a base without the engine's step
// times), IoError, and what resolve_serving throws.
CalibrateHostResult calibrate_host(const CalibrateHostRequest& request,
                                   const std::shared_ptr<const LatencyModel>& latency);

}  // namespace warploom
