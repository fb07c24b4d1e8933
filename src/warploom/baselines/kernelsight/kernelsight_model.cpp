#include "warploom/baselines/kernelsight/kernelsight_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "warploom/base/hash.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/baselines/library_rows.h"
#include "warploom/kernels/family_kind.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/splits.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kMostValidated = 2000;  // rows of a kernel in cross-validation
constexpr std::size_t kMostChoosing = 12;     // kernels of a family that choose its learner
constexpr std::size_t kFewestLinkRows = 4;
constexpr std::uint32_t kShapeFolds = 4;
constexpr double kFloorShare = 0.01;  // of a kernel's rows are faster than its launch floor
constexpr double kNearFloor = 1.15;   // times the floor: such a row says nothing of the efficiency
constexpr std::array kLearners{LearnerKind::Linear, LearnerKind::Trees, LearnerKind::Mlp,
                               LearnerKind::Analytic};

struct KernelSample {
  EfficiencyView view;
  double seconds = 0;
  std::uint32_t gpu = 0;
  std::uint64_t shape = 0;
};

// The rows of one library's kernel.
struct KernelSamples {
  std::vector<KernelSample> all;
  double floor = 0;
};

KernelSamples samples_of(const BaselineRows& rows, const std::vector<std::uint32_t>& chosen,
                         const GpuCatalog& catalog) {
  KernelSamples samples;
  std::vector<double> times;
  for (const std::uint32_t row : chosen) {
    const Dataset& data = rows.dataset;
    samples.all.push_back({efficiency_view(data.op(row), catalog.get(data.gpu(row))),
                           data.latency(row).value(), data.gpu_index(row), data.shape(row)});
    times.push_back(data.latency(row).value());
  }
  const auto at = times.begin() + std::ptrdiff_t(kFloorShare * double(times.size()));
  std::nth_element(times.begin(), at, times.end());
  samples.floor = *at;
  return samples;
}

// Those whose time is more than a launch, unless too few are.
EfficiencySamples learned_samples(const std::vector<const KernelSample*>& chosen, double floor) {
  EfficiencySamples result;
  for (const bool near_floor_too : {false, true}) {
    for (const KernelSample* sample : chosen) {
      if (!near_floor_too && sample->seconds < kNearFloor * floor) continue;
      result.views.push_back(sample->view);
      result.log_efficiency.push_back(std::log(sample->view.bound_seconds / sample->seconds));
    }
    if (result.views.size() >= kFewestNetworkRows / 2 || near_floor_too) break;
    result = {};
  }
  return result;
}

double predicted_seconds(const EfficiencyLearner& learner, const EfficiencyView& view, double floor) {
  return std::max(floor, view.bound_seconds / std::exp(learner.log_efficiency(view)));
}

// Sum of relative errors, and rows, of a learner with each fold left out.
struct ValidatedError {
  double sum = 0;
  std::size_t rows = 0;
};

ValidatedError cross_validate(LearnerKind kind, const KernelSamples& samples) {
  std::set<std::uint32_t> gpus;
  for (const KernelSample& sample : samples.all) gpus.insert(sample.gpu);
  const bool by_gpu = gpus.size() > 1;
  const auto fold_of = [&](const KernelSample& sample) {
    return by_gpu ? sample.gpu : shape_fold(sample.shape, kShapeFolds);
  };
  std::set<std::uint32_t> folds;
  for (const KernelSample& sample : samples.all) folds.insert(fold_of(sample));
  ValidatedError error;
  for (const std::uint32_t out : folds) {
    std::vector<const KernelSample*> learned, judged;
    for (const KernelSample& sample : samples.all)
      (fold_of(sample) == out ? judged : learned).push_back(&sample);
    if (learned.size() < kFewestNetworkRows) continue;
    const EfficiencyLearner learner(kind, learned_samples(learned, samples.floor));
    for (const KernelSample* sample : judged) {
      const double said = predicted_seconds(learner, sample->view, samples.floor);
      error.sum += std::abs(said / sample->seconds - 1);
      ++error.rows;
    }
  }
  return error;
}

LearnerKind best_learner(const std::vector<KernelSamples>& kernels) {
  LearnerKind best = LearnerKind::Trees;
  double least = std::numeric_limits<double>::infinity();
  for (const LearnerKind kind : kLearners) {
    ValidatedError total;
    for (const KernelSamples& kernel : kernels) {
      const ValidatedError error = cross_validate(kind, kernel);
      total.sum += error.sum;
      total.rows += error.rows;
    }
    if (total.rows == 0 || total.sum / double(total.rows) >= least) continue;
    least = total.sum / double(total.rows);
    best = kind;
  }
  return best;
}

std::uint64_t link_key(const Collective& op, const GpuSpec& gpu) {
  return hash_combine(hash_combine(gpu.name_hash, std::uint64_t(op.kind)),
                      hash_combine(std::uint64_t(op.ranks), std::uint64_t(op.ranks_per_node)));
}

}  // namespace

KernelSightModel::KernelSightModel(const BaselineRows& rows, const GpuCatalog& catalog) {
  learn_links(rows, catalog);
  const auto libraries = rows_by_library(rows, catalog, kFewestNetworkRows, kMostNetworkRows);
  std::map<Family, std::vector<KernelSamples>> choosing;
  const auto fewer = rows_by_library(rows, catalog, kFewestNetworkRows, kMostValidated);
  for (const auto& [library, chosen] : fewer) {
    const Family family = rows.dataset.family(chosen.front());
    if (is_collective(family) || choosing[family].size() >= kMostChoosing) continue;
    choosing[family].push_back(samples_of(rows, chosen, catalog));
  }
  for (const auto& [family, kernels] : choosing) choices_[family] = best_learner(kernels);
  for (const auto& [library, chosen] : libraries) {
    const Family family = rows.dataset.family(chosen.front());
    if (is_collective(family)) continue;
    const KernelSamples samples = samples_of(rows, chosen, catalog);
    std::vector<const KernelSample*> all;
    for (const KernelSample& sample : samples.all) all.push_back(&sample);
    kernels_.emplace(library, Kernel{samples.floor, EfficiencyLearner(choices_.at(family),
                                                                      learned_samples(all, samples.floor))});
  }
  learn_surfaces(rows, catalog);
}

void KernelSightModel::learn_surfaces(const BaselineRows& rows, const GpuCatalog& catalog) {
  const Dataset& data = rows.dataset;
  for (const std::uint32_t row : rows.rows) {
    if (is_collective(data.family(row))) continue;
    const GpuSpec& gpu = catalog.get(data.gpu(row));
    const OperatorCoordinates coordinates = operator_coordinates(data.op(row));
    const CircleKeys keys = circle_keys(coordinates, gpu, data.context(row));
    const double bound = efficiency_view(data.op(row), gpu).bound_seconds;
    const std::uint64_t cell = keys[std::size_t(Circle::Cell)];
    surfaces_[cell].add(coordinates.values(), std::log(bound / data.latency(row).value()));
    newest_[keys[std::size_t(Circle::Release)]] = cell;
  }
  for (auto& [key, surface] : surfaces_) surface.finish();
}

void KernelSightModel::learn_links(const BaselineRows& rows, const GpuCatalog& catalog) {
  struct LinkSums {
    double one = 0, bytes = 0, squares = 0, target = 0, with_bytes = 0;
    std::size_t rows = 0;
  };
  std::unordered_map<std::uint64_t, LinkSums> sums;
  for (const std::uint32_t row : rows.rows) {
    const auto* op = std::get_if<Collective>(&rows.dataset.op(row));
    if (op == nullptr) continue;
    // Relative least squares: each row weighs by its time.
    LinkSums& s = sums[link_key(*op, catalog.get(rows.dataset.gpu(row)))];
    const double weight = 1 / rows.dataset.latency(row).value(), bytes = op->size.value() * weight;
    s.one += weight * weight;
    s.bytes += weight * bytes;
    s.squares += bytes * bytes;
    s.target += weight;
    s.with_bytes += bytes;
    ++s.rows;
  }
  for (const auto& [key, s] : sums) {
    if (s.rows < kFewestLinkRows) continue;
    const double determinant = s.one * s.squares - s.bytes * s.bytes;
    Link link{s.target / s.one, 0};
    if (determinant > 0) {
      const double start = (s.target * s.squares - s.with_bytes * s.bytes) / determinant;
      const double slope = (s.one * s.with_bytes - s.bytes * s.target) / determinant;
      if (start >= 0 && slope >= 0)
        link = {start, slope};
      else if (start < 0 && s.squares > 0)
        link = {0, s.with_bytes / s.squares};
    }
    links_[key] = link;
  }
}

const GridInterpolator* KernelSightModel::surface(const CircleKeys& keys) const {
  auto found = surfaces_.find(keys[std::size_t(Circle::Cell)]);
  if (found == surfaces_.end()) {
    const auto release = newest_.find(keys[std::size_t(Circle::Release)]);
    if (release == newest_.end()) return nullptr;
    found = surfaces_.find(release->second);
  }
  return &found->second;
}

std::string KernelSightModel::lacks(const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op))
    return links_.contains(link_key(*collective, gpu)) ? "" : "no such collective of this GPU was learned";
  const CircleKeys keys = circle_keys(operator_coordinates(op), gpu, context);
  if (surface(keys) != nullptr) return {};
  return kernels_.contains(keys[std::size_t(Circle::Library)]) ? "" : "nothing was learned of this kernel";
}

LatencyEstimate KernelSightModel::estimate(const Operator& op, const GpuSpec& gpu,
                                           const KernelContext& context) const {
  if (const auto* collective = std::get_if<Collective>(&op)) {
    const auto found = links_.find(link_key(*collective, gpu));
    if (found == links_.end()) return RooflineModel().estimate(op, gpu, context);
    const double bytes = collective->size.value();
    return plain_estimate(found->second.start + bytes * found->second.seconds_per_byte, op, gpu,
                          Tier::Measured);
  }
  const OperatorCoordinates coordinates = operator_coordinates(op);
  const CircleKeys keys = circle_keys(coordinates, gpu, context);
  const EfficiencyView view = efficiency_view(op, gpu);
  if (const GridInterpolator* swept = surface(keys))
    if (const auto log_efficiency = swept->at(coordinates.values()))
      return plain_estimate(view.bound_seconds / std::exp(*log_efficiency), op, gpu, Tier::Measured);
  const auto kernel = kernels_.find(keys[std::size_t(Circle::Library)]);
  if (kernel == kernels_.end()) return RooflineModel().estimate(op, gpu, context);
  return plain_estimate(predicted_seconds(kernel->second.learner, view, kernel->second.floor), op, gpu,
                        Tier::CrossGpu);
}

}  // namespace warploom::baselines
