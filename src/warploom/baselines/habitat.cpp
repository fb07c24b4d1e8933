#include "warploom/baselines/habitat.h"

#include <cmath>

#include "warploom/base/hash.h"
#include "warploom/baselines/library_rows.h"
#include "warploom/baselines/network/train_network.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kGpuInputs = 4;
constexpr double kMicrosecond = 1e-6;

bool scales_by_waves(const Operator& op) {
  const OperatorFamily& family = family_value(op);
  return !family.calls_library_products && family.kind != FamilyKind::Collective;
}

std::uint64_t origin_key(const Operator& op, const CircleKeys& keys) {
  return hash_combine(keys[std::size_t(Circle::Library)], shape_hash(op));
}

std::vector<double> network_inputs(const Operator& op, const GpuSpec& gpu) {
  const OperatorCoordinates coordinates = operator_coordinates(op);
  const auto sizes = coordinates.values();
  std::vector<double> inputs(sizes.begin(), sizes.end());
  const KernelProfile p = profile(op, gpu);
  const double rate = p.unit_rate > 0 ? p.unit_rate : 2 * gpu.fma_lanes;
  for (const double figure : {gpu.memory_capacity.value(), gpu.memory_bandwidth.value(), double(gpu.sm_count),
                              gpu.tensor_rate(rate).value()})
    inputs.push_back(std::log2(figure));
  return inputs;
}

}  // namespace

double wave_scaling(const Operator& op, const GpuSpec& from, const GpuSpec& to) {
  const KernelProfile there = profile(op, from), here = profile(op, to);
  const double blocks = std::max(1.0, there.tasks);
  const double wave_from = double(from.sm_count) * std::max(1.0, there.occupancy);
  const double wave_to = double(to.sm_count) * std::max(1.0, here.occupancy);
  const double flop = here.work.matrix_flop.value() + here.work.fma_flop.value();
  const double intensity = flop / std::max(1.0, here.work.unique_bytes().value());
  const double rate = here.unit_rate > 0 ? here.unit_rate : 2 * to.fma_lanes;
  const double ridge = to.tensor_rate(rate).value() / to.memory_bandwidth.value();
  const double g = intensity < ridge ? 1 - 0.5 * intensity / ridge : 0.5 * ridge / intensity;
  return std::ceil(blocks / wave_to) / std::ceil(blocks / wave_from) *
         std::pow(from.memory_bandwidth / to.memory_bandwidth * wave_to / wave_from, g) *
         std::pow(from.boost_clock / to.boost_clock, 1 - g);
}

HabitatModel::HabitatModel(const BaselineRows& rows, const GpuCatalog& catalog) {
  const Dataset& dataset = rows.dataset;
  for (const std::uint32_t row : rows.rows) {
    const Operator& op = dataset.op(row);
    if (!scales_by_waves(op)) continue;
    const GpuSpec& gpu = catalog.get(dataset.gpu(row));
    const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, dataset.context(row));
    measured_[origin_key(op, keys)].push_back({&gpu, dataset.latency(row).value()});
  }
  for (const auto& [library, chosen] : rows_by_library(rows, catalog, kFewestNetworkRows, kMostNetworkRows)) {
    std::vector<double> inputs, truth;
    std::size_t width = 0;
    for (const std::uint32_t row : chosen) {
      const std::vector<double> of_row = network_inputs(dataset.op(row), catalog.get(dataset.gpu(row)));
      width = of_row.size();
      inputs.insert(inputs.end(), of_row.begin(), of_row.end());
      truth.push_back(dataset.latency(row).value() / kMicrosecond);
    }
    // The output is the logarithm of the latency, since latencies span five decades.
    const auto loss = [&](std::size_t row, std::span<const float> outputs, std::span<float> gradient) {
      const double ratio = std::exp(std::min(double(outputs[0]), 20.0)) / truth[row];
      gradient[0] = float(ratio > 1 ? std::min(ratio, 4.0) : -ratio);
      return std::abs(ratio - 1);
    };
    double sum = 0;
    for (const double microseconds : truth) sum += std::log(microseconds);
    networks_.emplace(library,
                      train_network(inputs, width, 1, loss, {.first_output = sum / double(truth.size())}));
  }
}

const HabitatModel::Origin* HabitatModel::origin(const Operator& op, const CircleKeys& keys,
                                                 const GpuSpec& gpu) const {
  if (!scales_by_waves(op)) return nullptr;
  const auto at = measured_.find(origin_key(op, keys));
  if (at == measured_.end()) return nullptr;
  const Origin* best = nullptr;
  double least = 0;
  for (const Origin& candidate : at->second) {
    const double unlike = std::abs(std::log(candidate.gpu->memory_bandwidth / gpu.memory_bandwidth));
    if (best == nullptr || unlike < least) {
      best = &candidate;
      least = unlike;
    }
  }
  return best;
}

LatencyEstimate HabitatModel::estimate(const Operator& op, const GpuSpec& gpu,
                                       const KernelContext& context) const {
  const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, context);
  if (const Origin* from = origin(op, keys, gpu)) {
    return plain_estimate(from->seconds * wave_scaling(op, *from->gpu, gpu), op, gpu, Tier::CrossGpu);
  }
  const auto network = networks_.find(keys[std::size_t(Circle::Library)]);
  if (network == networks_.end()) return RooflineModel().estimate(op, gpu, context);
  std::array<double, 1> output{};
  network->second.answer(network_inputs(op, gpu), output);
  return plain_estimate(std::exp(output[0]) * kMicrosecond, op, gpu, Tier::CrossGpu);
}

}  // namespace warploom::baselines
