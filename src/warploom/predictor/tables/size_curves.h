// Times of all-reduces by the size of their buffer, straight lines between measured sizes, in place of trees.
//
// An all-reduce switches its algorithm with the size (one-shot, two-shot, switches of NVLink, NCCL). Six to
// twenty measured sizes show that, and trees over them blur it. data/collectives/all_reduce.json holds a
// curve for each GPU, engine, release, kernel and number of ranks, by tools/fit_collectives, from the rows
// that the shipped family may learn from, and the interval that leaving each size out in turn gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/kernels/operator.h"
#include "warploom/predictor/model/family_model.h"

namespace warploom {

struct SizeCurve {
  std::string gpu;
  ContextRecord context;
  std::int64_t ranks = 0;
  std::vector<double> bytes, seconds;  // of equal length, at least 2, bytes ascending
};

// ln(p10 / p50) and ln(p90 / p50) of a kernel, one for each range of sizes.
struct SizeInterval {
  std::string kernel;
  std::vector<double> low, high;
};

struct SizeCurveFile {
  std::vector<double> edges;  // bytes at which the ranges end; the last has no end
  std::vector<SizeInterval> intervals;
  std::vector<SizeCurve> curves;
};

// Throws InvalidInput "<where>: ..." on what is missing, of unequal length or not ascending, Unsupported on a
// newer version.
SizeCurveFile size_curves_from_json(const Json& document, std::string_view where);

// As shipped; read once.
const SizeCurveFile& shipped_size_curves();

// The curves of a model's cells. Immutable.
class SizeCurves {
 public:
  // `file` must outlive it. Curves of cells that the model lacks are left out.
  SizeCurves(const SizeCurveFile& file, const FamilyModel& model);

  struct Answer {
    double seconds = 0;
    double low = 0, high = 0;  // ln(p10 / p50), ln(p90 / p50)
  };
  // Nothing where the cell was not measured with so many ranks at a smaller and at a larger size. O(log of
  // cells and sizes), no allocation.
  std::optional<Answer> answer(std::uint32_t cell, const Collective& op) const;

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t cell = 0;
    std::int64_t ranks = 0;
    const SizeCurve* curve = nullptr;
    const SizeInterval* interval = nullptr;
  };
  const SizeCurveFile& file_;
  std::vector<Entry> entries_;  // by cell, then ranks
};

}  // namespace warploom
