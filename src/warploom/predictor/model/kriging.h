// Kriging: a Gaussian process over the residuals of a GPU with few measurements. The residual of a row is
// ln(measured / predicted), the prediction being that of the other GPUs. With
//
//   covariance = same kind * K + same class * C
//                + D * (sum over donors of the product of both rows' residuals) * (1, across classes 0.3)
//                + near * (G + same kind * GK + same class * GC + same version of it * GV),
//   near = exp(-d^2 / 2), d the root mean square of the features' differences in their standard deviations,
//
// a row informs its neighbours, more those of the same kind, most those of the same kernel, and rows whose
// donor residuals are similar (donor_answers.h). The variances are those that errors of structural bases
// showed between GPUs. With few rows the mean stays near zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/learning/feature_row.h"

namespace warploom {

// Most donors that a row can have.
inline constexpr std::size_t kMostDonors = 16;

// Kernel of a row: equal codes, equal kernels.
struct KernelCode {
  float framework = 0, kernel = 0, version = 0;
  std::uint32_t kind = 0;
};

// Covariance of two rows' errors; `near` is 1 at equal features and falls to 0.
double kriging_covariance(const KernelCode& a, const KernelCode& b, double near);

struct KrigingRow {
  const float* features = nullptr;  // as many as all rows have
  KernelCode code;
  double residual = 0;                 // ln(measured / predicted)
  std::span<const float> donors = {};  // DonorAnswers, as many as all rows have
};

class Kriging {
 public:
  Kriging() = default;
  // Throws InvalidInput naming `where` on damaged bytes.
  Kriging(std::string_view encoded, std::string_view where);

  // Expected residual; 0 without rows. O(rows x features), no allocation. Thread-safe.
  // `donors` as many as the rows had.
  double predict(const FeatureRow& row, const KernelCode& code, std::span<const float> donors = {}) const;
  // Whether its rows had donors.
  bool asks_donors() const { return donor_count_ > 0; }
  std::size_t rows() const { return codes_.size(); }

 private:
  friend std::string fit_kriging(const std::vector<KrigingRow>& rows, std::size_t features, double share);
  double covariance(const float* scaled, const KernelCode& code, std::span<const float> donors,
                    std::size_t i) const;

  std::vector<std::uint32_t> used_;  // features that vary
  std::vector<float> scale_;         // 1 / (standard deviation * length * root of their number)
  std::vector<float> points_;        // scaled, row by row
  std::vector<KernelCode> codes_;
  std::vector<float> donors_;  // row by row
  std::size_t donor_count_ = 0;
  std::vector<float> weights_;
};

// Encoded for the constructor; predictions are `share` times the process's mean. Robust: outliers count less.
// O(rows^3): expects at most some hundreds.
std::string fit_kriging(const std::vector<KrigingRow>& rows, std::size_t features, double share = 1);

}  // namespace warploom
