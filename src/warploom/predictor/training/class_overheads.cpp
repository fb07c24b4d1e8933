#include "warploom/predictor/training/class_overheads.h"

#include <algorithm>
#include <cmath>
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
// Units in which the unknowns are of order one.
constexpr double kFixedUnit = 1e-6, kRowUnit = 1e-9;
constexpr double kRidge = 1e-7;

// Normal equations of the two unknowns, in the units above.
struct Pair {
  double fixed = 0, row = 0;
};
struct Normal {
  double ff = kRidge, fr = 0, rr = kRidge;
  Pair right;
};

// Least x' N x - 2 r' x with x >= 0.
Pair solve_non_negative(const Normal& n) {
  const double determinant = n.ff * n.rr - n.fr * n.fr;
  const Pair both{(n.rr * n.right.fixed - n.fr * n.right.row) / determinant,
                  (n.ff * n.right.row - n.fr * n.right.fixed) / determinant};
  if (both.fixed >= 0 && both.row >= 0) return both;
  const Pair fixed{std::max(n.right.fixed, 0.0) / n.ff, 0}, row{0, std::max(n.right.row, 0.0) / n.rr};
  // With one unknown x = r / n the least value is -r^2 / n.
  return fixed.fixed * n.right.fixed >= row.row * n.right.row ? fixed : row;
}

Overhead fit_group(std::span<const OverheadRow> rows) {
  Pair x;
  for (int round = 0; round < kRounds; ++round) {
    Normal normal;
    for (const OverheadRow& row : rows) {
      const double fixed = kFixedUnit / row.latency, per_row = kRowUnit * row.rows / row.latency;
      const double missing = 1 - row.base / row.latency;
      const double error = (x.fixed * fixed + x.row * per_row - missing) / kTolerance;
      const double weight = 1 / std::sqrt(1 + error * error);
      normal.ff += weight * fixed * fixed;
      normal.fr += weight * fixed * per_row;
      normal.rr += weight * per_row * per_row;
      normal.right.fixed += weight * fixed * missing;
      normal.right.row += weight * per_row * missing;
    }
    x = solve_non_negative(normal);
  }
  return {float(x.fixed * kFixedUnit), float(x.row * kRowUnit)};
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
  std::vector<float> fixed, per_row;
  void add(const Overhead& overhead) {
    fixed.push_back(overhead.fixed_seconds);
    per_row.push_back(overhead.row_seconds);
  }
  Overhead middle() const { return {lower_median(fixed), lower_median(per_row)}; }
  Overhead mean() const { return {mean_of(fixed), mean_of(per_row)}; }
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

std::vector<Overhead> class_overheads(const FamilyModel& model, std::span<const OverheadRow> rows) {
  std::map<ClassKey, std::map<std::int32_t, std::map<std::uint16_t, std::vector<OverheadRow>>>> groups;
  for (const OverheadRow& row : rows) {
    const CellRecord& cell = model.cells[row.cell];
    if (row.rows <= 0 || !std::isfinite(row.base)) continue;
    groups[key_of(model, cell)][model.gpus[cell.gpu].architecture][cell.gpu].push_back(row);
  }
  std::map<ClassKey, Overhead> classes;
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
  for (auto& [key, overhead] : classes) {
    const Gathered& kind = of_kind[std::get<0>(key)];
    if (groups[key].size() == 1 && kind.fixed.size() > 1) overhead = at_most(overhead, kind.middle());
  }
  std::vector<Overhead> of_cells;
  for (const CellRecord& cell : model.cells) {
    if (const auto c = classes.find(key_of(model, cell)); c != classes.end())
      of_cells.push_back(c->second);
    else if (const auto k = of_kind.find(cell.kind); k != of_kind.end())
      of_cells.push_back(at_most(k->second.middle(), {}));
    else
      of_cells.push_back({});
  }
  return of_cells;
}

}  // namespace warploom
