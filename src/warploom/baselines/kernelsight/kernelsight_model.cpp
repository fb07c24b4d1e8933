#include "warploom/baselines/kernelsight/kernelsight_model.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/hash.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {

std::uint64_t plain_variant(const Operator& op) {
  if (const auto* product = std::get_if<Gemm>(&op)) {
    Gemm plain = *product;
    plain.residency = Gemm().residency;
    return operator_coordinates(plain).variant;
  }
  return operator_coordinates(op).variant;
}

std::uint64_t link_key(const Collective& op, const GpuSpec& gpu) {
  return hash_combine(hash_combine(gpu.name_hash, std::uint64_t(op.kind)),
                      hash_combine(std::uint64_t(op.ranks), std::uint64_t(op.ranks_per_node)));
}

double predicted_seconds(const EfficiencyLearner& learner, const EfficiencyView& view, double floor) {
  return std::max(floor, view.bound_seconds / std::exp(learner.log_efficiency(view)));
}

const GridInterpolator* KernelSightModel::surface(const CircleKeys& keys) const {
  auto found = parts_.surfaces.find(keys[std::size_t(Circle::Cell)]);
  if (found == parts_.surfaces.end()) {
    const auto release = parts_.newest.find(keys[std::size_t(Circle::Release)]);
    if (release == parts_.newest.end()) return nullptr;
    found = parts_.surfaces.find(release->second);
  }
  return &found->second;
}

const KernelSightKernel* KernelSightModel::kernel(const Operator& op, const CircleKeys& keys,
                                                  const KernelContext& context) const {
  std::uint64_t library = keys[std::size_t(Circle::Library)];
  if (context.framework.empty() && context.kernel.empty())
    if (const auto usual = parts_.usual.find(plain_variant(op)); usual != parts_.usual.end())
      library = usual->second;
  const auto found = parts_.kernels.find(library);
  return found == parts_.kernels.end() ? nullptr : &found->second;
}

std::string KernelSightModel::lacks(const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op))
    return parts_.links.contains(link_key(*collective, gpu)) ? ""
                                                             : "no such collective of this GPU was learned";
  const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, context);
  if (surface(keys) != nullptr) return {};
  return kernel(op, keys, context) != nullptr ? "" : "nothing was learned of this kernel";
}

LatencyEstimate KernelSightModel::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op)) {
    const auto found = parts_.links.find(link_key(*collective, gpu));
    if (found == parts_.links.end()) return RooflineModel().estimate(op, gpu, context);
    const double bytes = collective->size.value();
    return plain_estimate(found->second.start + bytes * found->second.seconds_per_byte, op, gpu,
                          Tier::Measured);
  }
  const OperatorCoordinates coordinates = operator_coordinates(op);
  const CircleKeys keys = circle_keys(coordinates, gpu, context);
  const EfficiencyView view = efficiency_view(op, gpu);
  const GridInterpolator* swept = surface(keys);
  const KernelSightKernel* learned = kernel(op, keys, context);
  // Where a kernel has too few rows for a learner, the points that were measured say what they can.
  if (swept != nullptr)
    if (const auto log_efficiency =
            learned == nullptr ? swept->at(coordinates.values()) : swept->between(coordinates.values()))
      return plain_estimate(view.bound_seconds / std::exp(*log_efficiency), op, gpu, Tier::Measured);
  if (learned == nullptr) return RooflineModel().estimate(op, gpu, context);
  return plain_estimate(predicted_seconds(learned->learner, view, learned->floor), op, gpu, Tier::CrossGpu);
}

}  // namespace warploom::baselines
