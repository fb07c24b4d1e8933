#include "warploom/predictor/class_overheads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

namespace warploom {
namespace {

constexpr std::size_t kFewestRows = 20;
constexpr double kTolerance = 0.1;  // relative error from which a row counts less
constexpr int kRounds = 12;
// A class of one architecture may have this much at least, if its kind has not.
constexpr double kPlainFixed = 3e-6, kPlainPerRow = 1e-9;
// Units in which the three unknowns are of order one.
constexpr double kFixedUnit = 1e-6, kRowUnit = 1e-9;
constexpr double kRidge = 1e-7;

using Triple = std::array<double, 3>;  // scale of the base, fixed, per row
using Matrix = std::array<Triple, 3>;

// Solves the equations of the unknowns in `mask`, others 0. False when singular.
bool solve_subset(const Matrix& normal, const Triple& right, unsigned mask, Triple& x) {
  std::array<std::size_t, 3> index{};
  std::size_t n = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if ((mask >> i & 1U) != 0) index[n++] = i;
  std::array<std::array<double, 4>, 3> a{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = normal[index[i]][index[j]];
    a[i][n] = right[index[i]];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i][i] < 1e-12) return false;
    for (std::size_t k = i + 1; k < n; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j <= n; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  x = {};
  for (std::size_t i = n; i-- > 0;) {
    double value = a[i][n];
    for (std::size_t j = i + 1; j < n; ++j) value -= a[i][j] * x[index[j]];
    x[index[i]] = value / a[i][i];
  }
  return true;
}

// Least x' N x - 2 r' x with x >= 0, by trying all supports that keep the base.
Triple solve_non_negative(const Matrix& normal, const Triple& right) {
  Triple best{1, 0, 0};
  double least = 0;
  bool any = false;
  for (const unsigned mask : {1U, 3U, 5U, 7U}) {
    Triple x;
    if (!solve_subset(normal, right, mask, x) || *std::min_element(x.begin(), x.end()) < 0) continue;
    double value = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      value -= 2 * right[i] * x[i];
      for (std::size_t j = 0; j < 3; ++j) value += x[i] * normal[i][j] * x[j];
    }
    if (any && value >= least) continue;
    any = true;
    least = value;
    best = x;
  }
  return best;
}

ClassFit fit_group(std::span<const OverheadRow> rows) {
  if (rows.size() < kFewestRows) return {};
  Triple x{1, 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    Matrix normal{};
    Triple right{};
    for (const OverheadRow& row : rows) {
      const Triple term{row.base / row.latency, kFixedUnit / row.latency, kRowUnit * row.rows / row.latency};
      const double error = (x[0] * term[0] + x[1] * term[1] + x[2] * term[2] - 1) / kTolerance;
      const double weight = 1 / std::sqrt(1 + error * error);
      for (std::size_t i = 0; i < 3; ++i) {
        right[i] += weight * term[i];
        for (std::size_t j = 0; j < 3; ++j) normal[i][j] += weight * term[i] * term[j];
      }
    }
    for (std::size_t i = 0; i < 3; ++i) normal[i][i] += kRidge;
    x = solve_non_negative(normal, right);
  }
  const double scale = std::max(x[0], 0.2);
  return {{float(x[1] * kFixedUnit / scale), float(x[2] * kRowUnit / scale)}, float(std::log(scale))};
}

float lower_median(std::vector<float> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

float mean_of(const std::vector<float>& values) {
  float sum = 0;
  for (const float value : values) sum += value;
  return sum / float(values.size());
}

struct Gathered {
  std::vector<float> fixed, per_row, offset;
  void add(const ClassFit& fit) {
    fixed.push_back(fit.overhead.fixed_seconds);
    per_row.push_back(fit.overhead.row_seconds);
    offset.push_back(fit.offset);
  }
  ClassFit middle() const { return {{lower_median(fixed), lower_median(per_row)}, mean_of(offset)}; }
  ClassFit mean() const { return {{mean_of(fixed), mean_of(per_row)}, mean_of(offset)}; }
};

// No more than is usual, or than is plain where that is less.
Overhead at_most(const Overhead& overhead, const Overhead& usual) {
  return {std::min(overhead.fixed_seconds, std::max(usual.fixed_seconds, float(kPlainFixed))),
          std::min(overhead.row_seconds, std::max(usual.row_seconds, float(kPlainPerRow)))};
}

using ClassKey = std::tuple<std::uint16_t, std::string, std::string>;  // kind first: classes of a kind adjoin

ClassKey key_of(const FamilyModel& model, const CellRecord& cell) {
  const ContextRecord& context = model.contexts[cell.context];
  return {cell.kind, context.framework, context.kernel};
}

}  // namespace

std::vector<ClassFit> class_overheads(const FamilyModel& model, std::span<const OverheadRow> rows) {
  std::map<ClassKey, std::map<std::int32_t, std::map<std::uint16_t, std::vector<OverheadRow>>>> groups;
  for (const OverheadRow& row : rows) {
    const CellRecord& cell = model.cells[row.cell];
    if (row.rows <= 0 || !std::isfinite(row.base)) continue;
    groups[key_of(model, cell)][model.gpus[cell.gpu].architecture][cell.gpu].push_back(row);
  }
  std::map<ClassKey, ClassFit> classes;
  std::map<std::uint16_t, Gathered> of_kind;
  for (const auto& [key, by_architecture] : groups) {
    Gathered architectures;
    for (const auto& [architecture, by_gpu] : by_architecture) {
      Gathered gpus;
      for (const auto& [gpu, group] : by_gpu)
        if (group.size() >= kFewestRows) gpus.add(fit_group(group));
      if (!gpus.fixed.empty()) architectures.add(gpus.mean());
    }
    if (architectures.fixed.empty()) continue;
    classes[key] = architectures.middle();
    of_kind[std::get<0>(key)].add(classes[key]);
  }
  for (auto& [key, fit] : classes) {
    const Gathered& kind = of_kind[std::get<0>(key)];
    if (groups[key].size() > 1 || kind.fixed.size() == 1) continue;
    const ClassFit usual = kind.middle();
    fit.offset = (fit.offset + usual.offset) / 2;
    fit.overhead = at_most(fit.overhead, usual.overhead);
  }
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  std::vector<ClassFit> of_cells;
  for (const CellRecord& cell : model.cells) {
    if (const auto c = classes.find(key_of(model, cell)); c != classes.end())
      of_cells.push_back(c->second);
    else if (const auto k = of_kind.find(cell.kind); k != of_kind.end())
      of_cells.push_back({at_most(k->second.middle().overhead, {}), kUnknown});
    else
      of_cells.push_back({{}, kUnknown});
  }
  return of_cells;
}

}  // namespace warploom
