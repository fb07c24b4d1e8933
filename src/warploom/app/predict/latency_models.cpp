#include "warploom/app/predict/latency_models.h"

#include <fmt/format.h>

#include "warploom/app/predict/excluded_gpus.h"
#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/roofline.h"
#include "warploom/predictor/predictor.h"
#include "warploom/steps/step_kernels.h"

namespace warploom {
namespace {

std::unique_ptr<const LatencyModel> open_kernels(const std::string& predictor, const FileScope& files) {
  if (predictor == "roofline") return std::make_unique<RooflineModel>();
  if (predictor.empty()) return std::make_unique<Predictor>();
  if (!files.holds(predictor) || !std::filesystem::is_directory(predictor)) {
    throw NotFound(fmt::format(
        "predictor '{}' does not exist, expected 'roofline', a folder that `train` wrote or a file "
        "that `train` with `method` wrote{}",
        predictor, did_you_mean(predictor, std::vector<std::string>{"roofline"})));
  }
  return std::make_unique<Predictor>(std::filesystem::path(predictor));
}

}  // namespace

std::unique_ptr<const LatencyModel> open_latency_model(const std::string& predictor, const FileScope& files) {
  // A published method is taken as it is: its authors know nothing of the rules of StepKernels.
  if (files.holds(predictor) && std::filesystem::is_regular_file(predictor))
    return open_published_method(predictor);
  std::unique_ptr<const LatencyModel> kernels = open_kernels(predictor, files);
  if (predictor.empty() || predictor == "roofline") return std::make_unique<StepKernels>(std::move(kernels));
  const std::vector<std::string> excluded = excluded_gpus_of(predictor);
  if (excluded.empty()) return std::make_unique<StepKernels>(std::move(kernels));
  return std::make_unique<StepKernels>(std::move(kernels),
                                       std::make_unique<StepRules>(StepRules::shipped().without(excluded)));
}

const Predictor* predictor_of(const LatencyModel& model) {
  const auto* rule = dynamic_cast<const StepKernels*>(&model);
  return dynamic_cast<const Predictor*>(rule == nullptr ? &model : &rule->kernels());
}

Seconds quantising_part(const LatencyModel& model, const Operator& op, const GpuSpec& gpu,
                        const KernelContext& context) {
  const auto* product = std::get_if<Gemm>(&op);
  const auto* steps = dynamic_cast<const StepKernels*>(&model);
  if (product == nullptr || steps == nullptr) return Seconds(0.0);
  const auto passes = steps->passes_over_rows(*product, gpu, context);
  return passes ? passes->in_step : Seconds(0.0);
}

const BaseConstants* fitted_constants(const LatencyModel& model, const Operator& op, const GpuSpec& gpu) {
  const Predictor* predictor = predictor_of(model);
  return predictor != nullptr ? predictor->constants(family_of(op), gpu) : nullptr;
}

}  // namespace warploom
