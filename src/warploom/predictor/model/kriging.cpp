#include "warploom/predictor/model/kriging.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/learning/small_cholesky.h"

namespace warploom {
namespace {

// Variances of the residual ln(measured / predicted).
constexpr double kKind = 0.1 * 0.1, kClass = 0.12 * 0.12;
constexpr double kNear = 0.08 * 0.08, kNearKind = 0.08 * 0.08, kNearClass = 0.1 * 0.1;
constexpr double kNearVersion = 0.15 * 0.15;
constexpr double kDonor = 0.15 * 0.15;  // of the weight of each donor
constexpr double kDonorOfOthers = 0.3;  // times kDonor, between rows of different kernels
constexpr double kNoise = 0.08 * 0.08;
constexpr double kLength = 0.8;
constexpr double kFreedom = 3;    // of Student's t, whose weights make the fit robust
constexpr double kOutlier = 1.5;  // times the noise: scale of those weights
constexpr int kRounds = 4;
constexpr double kConstant = 1e-4;  // standard deviation under which a feature is left out

double standard_deviation(const std::vector<KrigingRow>& rows, std::size_t feature) {
  double sum = 0, squares = 0;
  for (const KrigingRow& row : rows) {
    const auto value = double(row.features[feature]);
    sum += value;
    squares += value * value;
  }
  const double n = double(rows.size()), mean = sum / n;
  return std::sqrt(std::max(0.0, squares / n - mean * mean));
}

}  // namespace

double kriging_covariance(const KernelCode& a, const KernelCode& b, double near) {
  const bool kind = a.kind == b.kind;
  const bool same_class = kind && a.framework == b.framework && a.kernel == b.kernel;
  return (kind ? kKind : 0) + (same_class ? kClass : 0) +
         near * (kNear + (kind ? kNearKind : 0) + (same_class ? kNearClass : 0) +
                 (same_class && a.version == b.version ? kNearVersion : 0));
}

Kriging::Kriging(std::string_view encoded, std::string_view where) {
  ByteReader in(encoded, where);
  used_ = in.take_all<std::uint32_t>();
  scale_ = in.take_all<float>();
  points_ = in.take_all<float>();
  const auto frameworks = in.take_all<float>(), kernels = in.take_all<float>(),
             versions = in.take_all<float>();
  const auto kinds = in.take_all<std::uint32_t>();
  weights_ = in.take_all<float>();
  if (!in.at_end()) donors_ = in.take_all<float>();  // files of before have none
  const std::size_t n = weights_.size();
  const bool features_fit =
      std::all_of(used_.begin(), used_.end(), [](std::uint32_t f) { return f < kMaxFeatures; });
  if (!features_fit || scale_.size() != used_.size() || frameworks.size() != n || kernels.size() != n ||
      versions.size() != n || kinds.size() != n || points_.size() != n * used_.size() || !in.at_end() ||
      (n == 0 ? !donors_.empty() : donors_.size() % n != 0 || donors_.size() / n > kMostDonors))
    throw InvalidInput(std::string(where) + ": damaged rows of an adapted GPU");
  donor_count_ = n == 0 ? 0 : donors_.size() / n;
  for (std::size_t i = 0; i < n; ++i) codes_.push_back({frameworks[i], kernels[i], versions[i], kinds[i]});
}

double Kriging::covariance(const float* scaled, const KernelCode& code, std::span<const float> donors,
                           std::size_t i) const {
  const std::size_t count = used_.size();
  const float* point = points_.data() + i * count;
  float distance = 0;
  for (std::size_t f = 0; f < count; ++f) distance += (scaled[f] - point[f]) * (scaled[f] - point[f]);
  const float* of_row = donors_.data() + i * donor_count_;
  float agreement = 0;
  for (std::size_t d = 0; d < std::min(donor_count_, donors.size()); ++d) agreement += donors[d] * of_row[d];
  const KernelCode& other = codes_[i];
  const bool same_class =
      code.kind == other.kind && code.framework == other.framework && code.kernel == other.kernel;
  return kriging_covariance(code, other, double(std::exp(-0.5F * distance))) +
         kDonor * (same_class ? 1.0 : kDonorOfOthers) * double(agreement);
}

double Kriging::predict(const FeatureRow& row, const KernelCode& code, std::span<const float> donors) const {
  std::array<float, kMaxFeatures> scaled;
  for (std::size_t f = 0; f < used_.size(); ++f) scaled[f] = row.values[used_[f]] * scale_[f];
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    sum += double(weights_[i]) * covariance(scaled.data(), code, donors, i);
  return sum;
}

std::string fit_kriging(const std::vector<KrigingRow>& rows, std::size_t features, double share) {
  Kriging fitted;
  for (std::size_t f = 0; f < features; ++f)
    if (const double spread = standard_deviation(rows, f); spread > kConstant) {
      fitted.used_.push_back(std::uint32_t(f));
      fitted.scale_.push_back(float(1 / spread));
    }
  const double dimensions = std::sqrt(double(std::max<std::size_t>(1, fitted.used_.size())));
  for (float& scale : fitted.scale_) scale /= float(kLength * dimensions);
  for (const KrigingRow& row : rows) {
    for (std::size_t f = 0; f < fitted.used_.size(); ++f)
      fitted.points_.push_back(row.features[fitted.used_[f]] * fitted.scale_[f]);
    fitted.codes_.push_back(row.code);
    fitted.donors_.insert(fitted.donors_.end(), row.donors.begin(), row.donors.end());
    fitted.donor_count_ = row.donors.size();
  }
  const std::size_t n = rows.size(), width = fitted.used_.size();
  std::vector<double> covariance(n * n), residuals, weight(n, 1), solution(n, 0);
  for (const KrigingRow& row : rows) residuals.push_back(row.residual);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      covariance[i * n + j] =
          fitted.covariance(fitted.points_.data() + i * width, fitted.codes_[i], rows[i].donors, j);
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> noisy = covariance;
    for (std::size_t i = 0; i < n; ++i) noisy[i * n + i] += kNoise / weight[i];
    factorise(noisy, n);
    solution = solve(noisy, residuals);
    for (std::size_t i = 0; i < n; ++i) {
      const double deviation = kNoise / weight[i] * solution[i] / (kOutlier * std::sqrt(kNoise));
      weight[i] = 1 / (1 + deviation * deviation / kFreedom);
    }
  }
  for (const double weighed : solution) fitted.weights_.push_back(float(share * weighed));
  ByteWriter out;
  out.put_all(fitted.used_);
  out.put_all(fitted.scale_);
  out.put_all(fitted.points_);
  std::vector<float> frameworks, kernels, versions;
  std::vector<std::uint32_t> kinds;
  for (const KernelCode& code : fitted.codes_) {
    frameworks.push_back(code.framework);
    kernels.push_back(code.kernel);
    versions.push_back(code.version);
    kinds.push_back(code.kind);
  }
  out.put_all(frameworks);
  out.put_all(kernels);
  out.put_all(versions);
  out.put_all(kinds);
  out.put_all(fitted.weights_);
  if (fitted.donor_count_ > 0) out.put_all(fitted.donors_);
  return out.bytes();
}

}  // namespace warploom
