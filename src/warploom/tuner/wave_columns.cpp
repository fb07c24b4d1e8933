#include "warploom/tuner/internal/wave_columns.h"

#include <algorithm>
#include <cstring>

namespace warploom {
namespace {

constexpr std::size_t kCoefficientColumns = 25, kWorkColumns = 8;
static_assert(sizeof(WaveCoefficients<float>) == kCoefficientColumns * sizeof(float));
static_assert(sizeof(TileWork) == kWorkColumns * sizeof(float));

struct Columns {
  const float* coefficients[kCoefficientColumns];
  const float* work[kWorkColumns];
};

// Vectorised by the compiler, four at a time: with wider instruction sets g++ 12 no longer sees through it.
void work_out(const Columns& columns, std::size_t size, float* __restrict out) {
  const float* __restrict c[kCoefficientColumns];
  const float* __restrict w[kWorkColumns];
  for (std::size_t k = 0; k < kCoefficientColumns; ++k) c[k] = columns.coefficients[k];
  for (std::size_t k = 0; k < kWorkColumns; ++k) w[k] = columns.work[k];
  for (std::size_t i = 0; i < size; ++i) {
    const WaveCoefficients<float> one{
        c[0][i],  c[1][i],  c[2][i],  c[3][i],  c[4][i],
        c[5][i],  c[6][i],  c[7][i],  c[8][i],  c[9][i],
        c[10][i], c[11][i], c[12][i], c[13][i], c[14][i],
        c[15][i], c[16][i], c[17][i], c[18][i], {c[19][i], c[20][i], c[21][i], c[22][i], c[23][i], c[24][i]}};
    const TileWork work{w[0][i], w[1][i], w[2][i], w[3][i], w[4][i], w[5][i], w[6][i], w[7][i]};
    out[i] = wave_time(one, work);
  }
}

}  // namespace

WaveColumns::WaveColumns(const WaveModel& model, const std::vector<std::uint16_t>& chosen)
    : mapping_(model.kernel, model.gpu), size_(chosen.size()) {
  for (auto& column : coefficients_) column.resize(size_);
  for (auto& column : work_) column.resize(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const FittedConfig& fitted = model.configs[chosen[i]];
    const auto found = std::find_if(macros_.begin(), macros_.end(),
                                    [&](const TileConfig& c) { return same_macro(c, fitted.config); });
    macro_of_.push_back(std::size_t(found - macros_.begin()));
    if (found == macros_.end()) {
      macros_.push_back(fitted.config);
      constants_.emplace_back(model.kernel, fitted.config);
    }
    std::array<float, kCoefficients> row;
    std::memcpy(row.data(), &fitted.coefficients, sizeof row);
    for (std::size_t k = 0; k < kCoefficients; ++k) coefficients_[k][i] = row[k];
  }
}

void WaveColumns::times(const TileShape& shape, float* out) {
  works_.clear();
  const ShapeTerms terms(mapping_, shape);
  for (const ConfigConstants& constants : constants_) works_.push_back(map_tile(mapping_, terms, constants));
  for (std::size_t i = 0; i < size_; ++i) {
    std::array<float, kWorks> row;
    std::memcpy(row.data(), &works_[macro_of_[i]], sizeof row);
    for (std::size_t k = 0; k < kWorks; ++k) work_[k][i] = row[k];
  }
  Columns columns{};
  for (std::size_t k = 0; k < kCoefficients; ++k) columns.coefficients[k] = coefficients_[k].data();
  for (std::size_t k = 0; k < kWorks; ++k) columns.work[k] = work_[k].data();
  work_out(columns, size_, out);
}

}  // namespace warploom
