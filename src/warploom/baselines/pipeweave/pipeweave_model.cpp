#include "warploom/baselines/pipeweave/pipeweave_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/baselines/cell_lookup.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {

const CollectiveForest* PipeWeaveModel::forest(const Collective& op, const GpuSpec& gpu) const {
  for (const CollectiveForest& each : forests_)
    if (each.kind() == op.kind && each.gpu() == gpu.name) return &each;
  return nullptr;
}

std::string PipeWeaveModel::lacks(const Operator& op, const GpuSpec& gpu,
                                  const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op)) {
    if (!is_nccl(context)) return "the method has NCCL's collectives alone";
    if (forest(*collective, gpu) != nullptr) return {};
    return fmt::format("no forest of {} was learned for this GPU", name_of(family_of(op)));
  }
  const published::KernelChoice choice = published::published_kernel(op, gpu, context);
  if (!choice.kernel) return std::string(choice.reason);
  if (!kernels_.contains(*choice.kernel))
    return fmt::format("no network was learned for {}", name_of(*choice.kernel));
  return {};
}

std::optional<ExpectedEfficiency> PipeWeaveModel::expected(const Operator& op, const GpuSpec& gpu,
                                                           const KernelContext& context) const {
  const published::KernelChoice choice = published::published_kernel(op, gpu, context);
  const auto found = choice.kernel ? kernels_.find(*choice.kernel) : kernels_.end();
  if (found == kernels_.end()) return std::nullopt;
  const published::Features features = published::features_of_kernel(found->first, op, gpu, context);
  return ExpectedEfficiency{found->second.network.efficiency(features.values()),
                            Seconds(features.theory_cycles() / gpu.boost_clock.value())};
}

LatencyEstimate PipeWeaveModel::estimate(const Operator& op, const GpuSpec& gpu,
                                         const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op); collective != nullptr && is_nccl(context))
    if (const CollectiveForest* of_gpu = forest(*collective, gpu))
      return plain_estimate(of_gpu->seconds(collective->size.value(), double(collective->ranks)), op, gpu,
                            Tier::Measured);
  const auto said = expected(op, gpu, context);
  if (!said) return RooflineModel().estimate(op, gpu, context);
  const auto& gpus = kernels_.at(*published::published_kernel(op, gpu, context).kernel).gpus;
  const bool measured = std::find(gpus.begin(), gpus.end(), gpu.name) != gpus.end();
  return plain_estimate(said->at_full_rate.value() / said->efficiency, op, gpu,
                        measured ? Tier::Measured : Tier::CrossGpu);
}

}  // namespace warploom::baselines
