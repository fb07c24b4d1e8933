#include "warploom/baselines/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "warploom/kernels/roofline.h"

namespace warploom::baselines {
namespace {

// Beyond the grid time neither falls with a size nor grows faster than with its square (ln 4 per doubling).
constexpr double kSteepest = 1.39;

}  // namespace

// Points on the line through the operator along one size; nearest first, at most two on each side.
struct GridInterpolator::Neighbours {
  struct Side {
    std::array<const float*, 2> point{};
    std::array<double, 2> value{};
    std::size_t count = 0;
    void add(const float* p, double v) {
      point[count] = p;
      value[count++] = v;
    }
  };
  Side below, above;
};

void GridInterpolator::add(std::span<const float> sizes, double log_latency) {
  width_ = sizes.size();
  sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  values_.push_back(float(log_latency));
}

bool GridInterpolator::before(const float* a, const float* b, std::size_t axis) const {
  for (std::size_t i = 0; i < width_; ++i)
    if (i != axis && a[i] != b[i]) return a[i] < b[i];
  return a[axis] < b[axis];
}

bool GridInterpolator::same_line(const float* a, const float* b, std::size_t axis) const {
  for (std::size_t i = 0; i < width_; ++i)
    if (i != axis && a[i] != b[i]) return false;
  return true;
}

void GridInterpolator::finish() {
  const std::size_t points = values_.size();
  for (std::size_t axis = 0; axis < width_; ++axis) {
    bool varies = false;
    for (std::size_t p = 1; p < points && !varies; ++p) varies = sizes_[p * width_ + axis] != sizes_[axis];
    if (!varies) continue;
    axes_.push_back(axis);
    std::vector<std::uint32_t> order(points);
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return before(&sizes_[a * width_], &sizes_[b * width_], axis);
    });
    order_.push_back(std::move(order));
  }
}

GridInterpolator::Neighbours GridInterpolator::along(const float* point, std::size_t index) const {
  const std::size_t axis = axes_[index];
  const auto& order = order_[index];
  const auto sizes = [&](std::uint32_t p) { return &sizes_[p * width_]; };
  const auto at =
      std::lower_bound(order.begin(), order.end(), point,
                       [&](std::uint32_t p, const float* wanted) { return before(sizes(p), wanted, axis); });
  Neighbours found;
  for (auto next = at; next != order.end() && found.above.count < 2 && same_line(sizes(*next), point, axis);
       ++next)
    found.above.add(sizes(*next), double(values_[*next]));
  for (auto next = at; next != order.begin() && found.below.count < 2;) {
    --next;
    if (!same_line(sizes(*next), point, axis)) break;
    found.below.add(sizes(*next), double(values_[*next]));
  }
  return found;
}

double GridInterpolator::nearest(const float* point) const {
  constexpr std::size_t kNearest = 4;
  std::vector<std::pair<double, std::uint32_t>> all(values_.size());
  for (std::uint32_t p = 0; p < values_.size(); ++p) {
    double distance = 1e-6;
    for (std::size_t i = 0; i < width_; ++i) {
      const double gap = double(sizes_[p * width_ + i] - point[i]);
      distance += gap * gap;
    }
    all[p] = {distance, p};
  }
  const std::size_t count = std::min(kNearest, all.size());
  std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(count), all.end());
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += double(values_[all[i].second]) / all[i].first;
    weight += 1 / all[i].first;
  }
  return sum / weight;
}

// What the sizes with neighbours say: between two of them, and beyond those on one side.
struct GridInterpolator::Answers {
  std::optional<double> between, beyond;
};

GridInterpolator::Answers GridInterpolator::answers(std::span<const float> sizes) const {
  double sum = 0, weight = 0, one_sided = 0, one_sided_weight = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const std::size_t axis = axes_[i];
    const Neighbours near = along(sizes.data(), i);
    const Neighbours::Side &above = near.above, &below = near.below;
    if (above.count > 0 && above.point[0][axis] == sizes[axis]) return {above.value[0], {}};
    if (above.count > 0 && below.count > 0) {
      const double gap = double(above.point[0][axis] - below.point[0][axis]);
      const double share = double(sizes[axis] - below.point[0][axis]) / gap;
      sum += (below.value[0] + share * (above.value[0] - below.value[0])) / (gap * gap);
      weight += 1 / (gap * gap);
    } else if (above.count + below.count > 0) {
      const Neighbours::Side& side = above.count > 0 ? above : below;
      const double gap = double(side.point[0][axis] - sizes[axis]);
      double value = side.value[0];
      if (side.count == 2)
        value -= gap * std::clamp((side.value[1] - side.value[0]) /
                                      double(side.point[1][axis] - side.point[0][axis]),
                                  0.0, kSteepest);
      one_sided += value / (gap * gap);
      one_sided_weight += 1 / (gap * gap);
    }
  }
  Answers found;
  if (weight > 0) found.between = sum / weight;
  if (one_sided_weight > 0) found.beyond = one_sided / one_sided_weight;
  return found;
}

std::optional<double> GridInterpolator::at(std::span<const float> sizes) const {
  if (values_.empty() || sizes.size() != width_) return std::nullopt;
  const Answers found = answers(sizes);
  if (found.between) return found.between;
  return found.beyond ? found.beyond : nearest(sizes.data());
}

std::optional<double> GridInterpolator::between(std::span<const float> sizes) const {
  if (values_.empty() || sizes.size() != width_) return std::nullopt;
  return answers(sizes).between;
}

void GridInterpolator::write(ByteWriter& writer) const {
  writer.put(std::uint32_t(width_));
  writer.put_all(sizes_);
  writer.put_all(values_);
}

GridInterpolator GridInterpolator::read(ByteReader& reader, std::string_view where) {
  const auto all_finite = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  };
  GridInterpolator grid;
  grid.width_ = reader.take<std::uint32_t>();
  grid.sizes_ = reader.take_all<float>();
  grid.values_ = reader.take_all<float>();
  if (grid.width_ > kCoordinates || grid.sizes_.size() != grid.width_ * grid.values_.size())
    throw InvalidInput(std::string(where) + ": a grid of measured points has not one width");
  if (!all_finite(grid.sizes_) || !all_finite(grid.values_))
    throw InvalidInput(std::string(where) + ": a grid of measured points holds what is no number");
  grid.finish();
  return grid;
}

InterpolationModel::InterpolationModel(const BaselineRows& rows, const GpuCatalog& catalog) {
  const Dataset& dataset = rows.dataset;
  for (const std::uint32_t row : rows.rows) {
    const GpuSpec& gpu = catalog.get(dataset.gpu(row));
    const OperatorCoordinates coordinates = operator_coordinates(dataset.op(row));
    const CircleKeys keys = circle_keys(coordinates, gpu, dataset.context(row));
    const std::uint64_t cell = keys[std::size_t(Circle::Cell)];
    cells_[cell].add(coordinates.values(), std::log(dataset.latency(row).value()));
    newest_[keys[std::size_t(Circle::Release)]] = cell;
    if (std::find(gpus_.begin(), gpus_.end(), &gpu) == gpus_.end()) gpus_.push_back(&gpu);
  }
  for (auto& [key, cell] : cells_) cell.finish();
}

LatencyEstimate InterpolationModel::estimate(const Operator& op, const GpuSpec& gpu,
                                             const KernelContext& context) const {
  const OperatorCoordinates coordinates = operator_coordinates(op);
  const auto on = [&](const GpuSpec& measured) -> std::optional<double> {
    const CircleKeys keys = circle_keys(coordinates, measured, context);
    auto cell = cells_.find(keys[std::size_t(Circle::Cell)]);
    if (cell == cells_.end()) {
      const auto release = newest_.find(keys[std::size_t(Circle::Release)]);
      if (release == newest_.end()) return std::nullopt;
      cell = cells_.find(release->second);
    }
    return cell->second.at(coordinates.values());
  };
  if (const auto own = on(gpu)) return plain_estimate(std::exp(*own), op, gpu, Tier::Measured);
  const auto unlike = [&](const GpuSpec& other) {
    const double rate = std::log(other.sm_cycles_per_second() * std::max(1.0, other.tensor_rates.fp16) /
                                 (gpu.sm_cycles_per_second() * std::max(1.0, gpu.tensor_rates.fp16)));
    const double memory = std::log(other.memory_bandwidth / gpu.memory_bandwidth);
    return rate * rate + memory * memory;
  };
  std::vector<const GpuSpec*> by_likeness = gpus_;
  std::stable_sort(by_likeness.begin(), by_likeness.end(),
                   [&](const GpuSpec* a, const GpuSpec* b) { return unlike(*a) < unlike(*b); });
  const RooflineModel roofline;
  const double here = roofline.estimate(op, gpu, context).p50.value();
  for (const GpuSpec* other : by_likeness) {
    if (const auto there = on(*other)) {
      const double ratio = here / roofline.estimate(op, *other, context).p50.value();
      return plain_estimate(std::exp(*there) * ratio, op, gpu, Tier::CrossGpu);
    }
  }
  return roofline.estimate(op, gpu, context);
}

}  // namespace warploom::baselines
