// Use case `calibrate-machine`: from a probe, or from the steps of an onboarded engine, to the profile of a
// machine that `machine` takes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "warploom/app/predict/machine_profile.h"
#include "warploom/app/serving/calibrate_host.h"
#include "warploom/base/file_scope.h"

namespace warploom {

struct CalibrateMachineRequest {
  std::filesystem::path probe;      // a file of read_probe; empty: none
  std::filesystem::path onboarded;  // the folder of `python -m warploom.onboard`; empty: none
  std::string base = "xeon_16_cores";
  std::string name;  // of the new profile; empty: the output's name
  double noise_limit = 0.25;
  std::string predictor;                   // as open_latency_model takes it
  FileScope files = FileScope::machine();  // where names may be paths
  std::filesystem::path output;            // the profile, written whole or not at all
  static FieldTable describe();
};

// Errors over kernels or steps: before the profile, by a fit to others, and by the profile.
struct MachineErrors {
  std::size_t measured = 0;
  WallErrors before;
  std::optional<WallErrors> unseen;  // each third by a fit to the others; absent with fewer than six
  WallErrors after;
};

struct CalibrateMachineResult {
  MachineProfile profile;
  std::string model;                      // that was onboarded; empty: none
  std::optional<MachineErrors> products;  // of the probe
  std::optional<MachineErrors> kernels;   // sums of an onboarded engine's steps
  std::optional<MachineErrors> walls;     // times of the same steps
};

// Throws InvalidInput: neither a probe nor an onboarded engine, a probe above the noise limit, a base without
// a probe of its own, files that are not whole; and what resolve_serving throws.
CalibrateMachineResult calibrate_machine(const CalibrateMachineRequest& request,
                                         const std::shared_ptr<const LatencyModel>& latency);

}  // namespace warploom
