#include "warploom/tuner/internal/wave_columns.h"

#include <algorithm>
#include <cstring>

namespace warploom {

static_assert(sizeof(TileWork) == kWorkColumns * sizeof(float));

WaveColumns::WaveColumns(const WaveModel& model, const std::vector<std::uint16_t>& chosen)
    : mapping_(model.kernel, model.gpu), size_(chosen.size()) {
  for (auto& column : coefficients_) column.resize(whole_lanes(size_), 1.0F);
  for (auto& column : work_) column.resize(whole_lanes(size_), 1.0F);
  times_.resize(whole_lanes(size_));
  for (std::size_t i = 0; i < size_; ++i) {
    const FittedConfig& fitted = model.configs[chosen[i]];
    const auto found = std::find_if(macros_.begin(), macros_.end(),
                                    [&](const TileConfig& c) { return same_macro(c, fitted.config); });
    macro_of_.push_back(std::size_t(found - macros_.begin()));
    if (found == macros_.end()) {
      macros_.push_back(fitted.config);
      constants_.emplace_back(model.kernel, fitted.config);
    }
    std::array<float, kCoefficientColumns> row;
    std::memcpy(row.data(), &fitted.coefficients, sizeof row);
    for (std::size_t k = 0; k < kCoefficientColumns; ++k) coefficients_[k][i] = row[k];
  }
}

void WaveColumns::times(const TileShape& shape, float* out) {
  works_.clear();
  const ShapeTerms terms(mapping_, shape);
  for (const ConfigConstants& constants : constants_) works_.push_back(map_tile(mapping_, terms, constants));
  for (std::size_t i = 0; i < size_; ++i) {
    std::array<float, kWorkColumns> row;
    std::memcpy(row.data(), &works_[macro_of_[i]], sizeof row);
    for (std::size_t k = 0; k < kWorkColumns; ++k) work_[k][i] = row[k];
  }
  WaveLanes columns{};
  for (std::size_t k = 0; k < kCoefficientColumns; ++k) columns.coefficients[k] = coefficients_[k].data();
  for (std::size_t k = 0; k < kWorkColumns; ++k) columns.work[k] = work_[k].data();
  times_of_configs(columns, size_, times_.data());
  std::copy_n(times_.begin(), size_, out);
}

}  // namespace warploom
