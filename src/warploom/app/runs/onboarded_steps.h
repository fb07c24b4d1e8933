// The folder that `python -m warploom.onboard` fills: an engine's steps on one machine, priced.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "warploom/app/runs/machine_fit.h"
#include "warploom/base/file_scope.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/serving/host/host_fit.h"

namespace warploom {

struct OnboardedSteps {
  // label, scheme, kind: as model_label, scheme_label and kind_label have them.
  std::string model, label, scheme, kind, gpu, engine, version;
  LaunchedLayers layers;
  bool virtual_host = true;       // whether the machine shares its cores; what does not say is taken so
  std::vector<MeasuredSum> sums;  // of each step's kernels: as predicted, by groups, and as profiled
  std::vector<TimedStep> timed;   // the same steps; `gpu` as predicted
  std::vector<MeasuredSum> rows;  // of kernels on rows that were timed one by one (onboarded_rows.h)
};

// Throws IoError; InvalidInput on a folder that is not whole and on steps without sums of kernels; and what
// read_real_run, read_measured_steps and resolve_serving throw.
OnboardedSteps read_onboarded(const std::filesystem::path& folder, const FileScope& files,
                              const std::shared_ptr<const LatencyModel>& latency);

}  // namespace warploom
