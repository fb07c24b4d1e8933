// Between measured neighbours on the grid of a cell.
//
// Along every size in which a measured pair brackets the operator, all other sizes equal, ln latency is
// interpolated linearly in the logarithm of the size; several such sizes are averaged, closer pairs weighing
// more. Without a pair, the line through the two nearest neighbours on one side of a size is drawn on, else
// the four nearest points count by inverse distance. A GPU without the cell takes the answer of the measured
// GPU most like it times the ratio of their rooflines.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/base/byte_stream.h"
#include "warploom/baselines/baseline.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

// The points of one cell. Adding is over before asking begins.
class GridInterpolator {
 public:
  void add(std::span<const float> sizes, double log_latency);
  // Sorts the points along each size that varies.
  void finish();
  // ln latency; nothing without points. O(sizes log points), O(points) without a neighbour along a size.
  std::optional<double> at(std::span<const float> sizes) const;
  // The same where a measured pair brackets the operator or it was itself measured; else nothing.
  std::optional<double> between(std::span<const float> sizes) const;

  void write(ByteWriter& writer) const;
  // Finished. Throws InvalidInput naming `where` on points that are no numbers or not of one width.
  static GridInterpolator read(ByteReader& reader, std::string_view where);

 private:
  struct Neighbours;
  struct Answers;
  bool before(const float* a, const float* b, std::size_t axis) const;
  bool same_line(const float* a, const float* b, std::size_t axis) const;
  Neighbours along(const float* point, std::size_t axis) const;
  Answers answers(std::span<const float> sizes) const;
  double nearest(const float* point) const;

  std::size_t width_ = 0;
  std::vector<float> sizes_;  // row-major
  std::vector<float> values_;
  std::vector<std::size_t> axes_;                  // sizes that vary
  std::vector<std::vector<std::uint32_t>> order_;  // per axis: points by the other sizes, then by this one
};

class InterpolationModel : public LatencyModel {
 public:
  InterpolationModel(const BaselineRows& rows, const GpuCatalog& catalog);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context) const override;

 private:
  std::unordered_map<std::uint64_t, GridInterpolator> cells_;  // by Circle::Cell
  std::unordered_map<std::uint64_t, std::uint64_t> newest_;    // Circle::Release to a cell
  std::vector<const GpuSpec*> gpus_;                           // measured
};

}  // namespace warploom::baselines
