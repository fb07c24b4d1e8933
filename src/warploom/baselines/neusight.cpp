#include "warploom/baselines/neusight.h"

#include <cmath>

#include "warploom/baselines/library_rows.h"
#include "warploom/baselines/network/train_network.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/roofline.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kInputs = 5;
constexpr double kLeastUtilisation = 1e-3;

struct TileView {
  std::array<double, kInputs> inputs{};
  double waves = 1;
  double ideal_seconds = 0;  // waves * tile's roofline
};

TileView tile_view(const Operator& op, const GpuSpec& gpu) {
  const KernelProfile p = profile(op, gpu);
  const double sms = double(gpu.sm_count), tasks = std::max(1.0, p.tasks);
  const double compute = std::max({p.t_tensor, p.t_fma, p.t_special}) * sms / tasks;
  const double bytes =
      p.work.unique_bytes().value() + p.work.scratch_bytes.value() + p.work.network_bytes.value();
  const double memory = std::max(p.t_dram, p.t_network) * sms / tasks;
  TileView view;
  view.waves = std::max(1.0, std::ceil(tasks / sms));
  view.ideal_seconds = view.waves * std::max({compute, memory, 1e-9});
  const auto logarithm = [](double x) { return std::log(std::max(x, 1e-15)); };
  view.inputs = {logarithm(compute), logarithm(memory),
                 logarithm(bytes / tasks * sms / gpu.l2_capacity.value()),
                 logarithm(bytes / tasks * sms / gpu.memory_capacity.value()), std::log(view.waves)};
  return view;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Utilisation {
  double alpha, beta, value;
  template <class Real>
  Utilisation(std::span<const Real> outputs, double waves)
      : alpha(sigmoid(double(outputs[0]))),
        beta(sigmoid(double(outputs[1]))),
        value(std::max(kLeastUtilisation, alpha - beta / waves)) {}
};

}  // namespace

NeuSightModel::NeuSightModel(const BaselineRows& rows, const GpuCatalog& catalog) {
  const Dataset& dataset = rows.dataset;
  for (const auto& [library, chosen] : rows_by_library(rows, catalog, kFewestNetworkRows, kMostNetworkRows)) {
    std::vector<double> inputs;
    std::vector<TileView> views;
    std::vector<double> measured;
    for (const std::uint32_t row : chosen) {
      views.push_back(tile_view(dataset.op(row), catalog.get(dataset.gpu(row))));
      inputs.insert(inputs.end(), views.back().inputs.begin(), views.back().inputs.end());
      measured.push_back(dataset.latency(row).value());
    }
    const auto loss = [&](std::size_t row, std::span<const float> outputs, std::span<float> gradient) {
      const double waves = views[row].waves, truth = measured[row];
      const Utilisation u(outputs, waves);
      const double predicted = views[row].ideal_seconds / u.value;
      // Derivative of |predicted - truth| / (predicted + truth) by predicted, then by the utilisation; at its
      // floor the utilisation is pulled up.
      const double sign = predicted > truth ? 1 : -1;
      const double by_predicted = sign * 2 * truth / ((predicted + truth) * (predicted + truth));
      const double by_value = -by_predicted * predicted / u.value;
      gradient[0] = float(by_value * u.alpha * (1 - u.alpha));
      gradient[1] = float(-by_value / waves * u.beta * (1 - u.beta));
      return std::abs(predicted - truth) / (predicted + truth);
    };
    networks_.emplace(library, train_network(inputs, kInputs, 2, loss, {}));
  }
}

LatencyEstimate NeuSightModel::estimate(const Operator& op, const GpuSpec& gpu,
                                        const KernelContext& context) const {
  const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, context);
  const auto network = networks_.find(keys[std::size_t(Circle::Library)]);
  if (network == networks_.end()) return RooflineModel().estimate(op, gpu, context);
  const TileView view = tile_view(op, gpu);
  std::array<double, 2> outputs{};
  network->second.answer(view.inputs, outputs);
  return plain_estimate(view.ideal_seconds / Utilisation(std::span<const double>(outputs), view.waves).value,
                        op, gpu, Tier::CrossGpu);
}

}  // namespace warploom::baselines
