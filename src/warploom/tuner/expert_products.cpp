#include "warploom/tuner/expert_products.h"

#include <algorithm>
#include <array>
#include <limits>

#include "warploom/kernels/uniform_routing.h"
#include "warploom/tuner/internal/cell_candidates.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {
namespace {

// Times of one product: the corrected ones of its cell's candidates, of others the formula's.
class ProductTimes {
 public:
  ProductTimes(const TableLayout& layout, const TileShape& shape, std::span<const std::int64_t> rows)
      : layout_(layout), shape_(shape), terms_(layout.mapping, shape, rows) {
    const auto keep = [&](std::size_t config, float time) {
      const bool repeated = count_ > 0 && config == configs_[0];
      if (repeated || count_ == configs_.size()) return;
      configs_[count_] = config;
      times_[count_++] = time;
    };
    scale_ = visit_candidates(layout, shape, keep, rows).scale();
  }

  float of(std::size_t listed) const {
    const std::size_t config = record_at(layout_, shape_, listed);
    for (std::size_t i = 0; i < count_; ++i)
      if (configs_[i] == config) return times_[i] * scale_;
    const ConfigRecord& record = layout_.records[config];
    return wave_time(record.coefficients, map_tile(layout_.mapping, terms_, record.constants)) * scale_;
  }

 private:
  const TableLayout& layout_;
  TileShape shape_;
  ShapeTerms terms_;
  std::array<std::size_t, kMostCandidates> configs_{};
  std::array<float, kMostCandidates> times_{};
  std::size_t count_ = 0;
  float scale_ = 1;
};

// More experts than any model has. A table of more is asked with even rows, as is one whose rows are stated.
constexpr std::int64_t kMostExperts = 4096;

}  // namespace

ExpertProducts::ExpertProducts(const ExpertLayer& layer, const TileKernel& kernel, std::int64_t tokens)
    : pairs(std::max<std::int64_t>(1, tokens * layer.top_k / layer.expert_parallel)),
      hidden(layer.hidden),
      width(layer.width) {
  const bool stated = kernel.expert_skew > 0 || kernel.experts > kMostExperts;
  if (!stated && pairs <= kernel.experts * tokens) rows = uniform_rows(kernel.experts, tokens, pairs);
}

std::optional<std::uint32_t> RuntimeTable::least_of_both(const ExpertProducts& products) const noexcept {
  const ProductTimes first(*layout_, products.first(), products.rows),
      second(*layout_, products.second(), products.rows);
  std::optional<std::uint32_t> best;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t config = 0; config < layout_->configs.size(); ++config) {
    if (layout_->configs[config].config.split_k != 1) continue;
    const float both = first.of(config) + second.of(config);
    if (!(both < least)) continue;
    least = both;
    best = static_cast<std::uint32_t>(config);
  }
  return best;
}

std::array<float, 2> RuntimeTable::times_of_both(const ExpertProducts& products,
                                                 const std::array<std::uint32_t, 2>& configs) const noexcept {
  const ProductTimes first(*layout_, products.first(), products.rows),
      second(*layout_, products.second(), products.rows);
  return {first.of(configs[0]) + second.of(configs[0]), first.of(configs[1]) + second.of(configs[1])};
}

std::optional<double> RuntimeTable::time_of_both(const ExpertProducts& products,
                                                 const TileConfig& config) const noexcept {
  for (std::uint32_t i = 0; i < layout_->configs.size(); ++i)
    if (layout_->configs[i].config == config) return double(times_of_both(products, {i, i})[0]);
  return std::nullopt;
}

}  // namespace warploom
