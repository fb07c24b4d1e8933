// Which latency model a command uses.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "warploom/base/file_scope.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

class Predictor;

// The one model that every command prices operators with: "" = the predictor linked into the program,
// "roofline" = physics alone, else a folder that `train` wrote; with what engines are known to run otherwise
// than it was measured (StepKernels), but for what steps of GPUs showed that the folder excludes
// (excluded_gpus.h). A file that `train --method` wrote is the published method alone.
// Folders and files are those of `files`.
// Throws NotFound, IoError, InvalidInput or Unsupported on a folder or file that holds no predictor of this
// version.
std::unique_ptr<const LatencyModel> open_latency_model(const std::string& predictor,
                                                       const FileScope& files = {});

// Such a file of a published method. Outside warploom-judge throws JudgingElsewhere.
std::unique_ptr<const LatencyModel> open_published_method(const std::filesystem::path& file);

// The predictor inside such a model; nullptr: there is none.
const Predictor* predictor_of(const LatencyModel& model);
// What of a product's price in an engine's step quantises its rows; zero where nothing does, or the model
// does not tell it apart.
Seconds quantising_part(const LatencyModel& model, const Operator& op, const GpuSpec& gpu,
                        const KernelContext& context);
// What it fitted of the operator's family, which its structural price is shown with; nullptr: nothing.
const BaseConstants* fitted_constants(const LatencyModel& model, const Operator& op, const GpuSpec& gpu);

}  // namespace warploom
