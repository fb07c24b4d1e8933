#include "warploom/tuner/internal/expected_gain.h"

#include <algorithm>
#include <cmath>

#include "warploom/tuner/internal/candidate_errors.h"

namespace warploom {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Tiles of one grid err together, whatever their loops and pipelines.
bool same_grid(const TileConfig& a, const TileConfig& b) {
  return a.tile_m == b.tile_m && a.tile_n == b.tile_n && a.split_k == b.split_k;
}

double covariance(const TileConfig& a, const TileConfig& b) {
  const CandidateErrors& errors = candidate_errors();
  return errors.shape * errors.shape + (same_grid(a, b) ? errors.tile * errors.tile : 0) +
         (a == b ? errors.config * errors.config : 0);
}

// The lower triangle of a covariance's root, row by row.
class Root {
 public:
  Root(std::span<const EstimatedTile> estimates, std::span<const TimedEstimate> timed)
      : count_(timed.size()), low_(count_ * count_, 0.0) {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = covariance(estimates[timed[i].place].config, estimates[timed[j].place].config);
        for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        low_[i * count_ + j] = i == j ? std::sqrt(sum) : sum / at(j, j);
      }
  }
  // Solves L x = b in place.
  void solve(std::vector<double>& b) const {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= at(i, k) * b[k];
      b[i] /= at(i, i);
    }
  }

 private:
  double at(std::size_t i, std::size_t j) const { return low_[i * count_ + j]; }

  std::size_t count_;
  std::vector<double> low_;
};

// The mean of max(0, best - x) of a normal x.
double mean_below(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double below = 0.5 * std::erfc(-z / std::sqrt(2.0));
  return deviation * (z * below + std::exp(-0.5 * z * z) / std::sqrt(2 * kPi));
}

}  // namespace

std::vector<double> expected_gains(std::span<const EstimatedTile> estimates,
                                   std::span<const TimedEstimate> timed) {
  const Root root(estimates, timed);
  double best = timed.front().log_us;
  std::vector<double> errors;
  for (const TimedEstimate& one : timed) {
    best = std::min(best, one.log_us);
    errors.push_back(one.log_us - estimates[one.place].log_us);
  }
  root.solve(errors);
  std::vector<double> gains, shared(timed.size());
  for (const EstimatedTile& estimate : estimates) {
    double mean = estimate.log_us, variance = covariance(estimate.config, estimate.config);
    for (std::size_t i = 0; i < timed.size(); ++i)
      shared[i] = covariance(estimate.config, estimates[timed[i].place].config);
    root.solve(shared);
    for (std::size_t i = 0; i < timed.size(); ++i) {
      mean += shared[i] * errors[i];
      variance -= shared[i] * shared[i];
    }
    gains.push_back(mean_below(best, mean, std::sqrt(std::max(variance, 1e-12))));
  }
  for (const TimedEstimate& one : timed) gains[one.place] = 0;
  return gains;
}

}  // namespace warploom
