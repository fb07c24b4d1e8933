#include "warploom/predictor/training/shape_design.h"

#include <algorithm>
#include <cmath>

#include "warploom/learning/small_cholesky.h"

namespace warploom {
namespace {

// A shorter length and more noise than in kriging: the residual of a base is rougher than kriging assumes.
constexpr double kNoise = 0.14 * 0.14;
constexpr double kLength = 0.5;
constexpr double kLevel = 0.05 * 0.05;  // variance that all rows share
constexpr std::size_t kMostWeighed = 1500;
constexpr double kConstant = 1e-4;  // standard deviation under which a feature is left out

// Row-major matrix of floats: halves what a design of thousands of rows takes.
struct Matrix {
  std::size_t columns = 0;
  std::vector<float> values;
  float* row(std::size_t r) { return values.data() + r * columns; }
  const float* row(std::size_t r) const { return values.data() + r * columns; }
};

// Features that vary, in units of length and standard deviation; squared differences sum to squared distance.
Matrix scaled_features(std::span<const DesignRow> rows) {
  Matrix points;
  const std::size_t features = rows.front().features.size();
  std::vector<double> centre, scale;
  std::vector<std::size_t> used;
  for (std::size_t f = 0; f < features; ++f) {
    double sum = 0, squares = 0;
    for (const DesignRow& row : rows) {
      sum += double(row.features[f]);
      squares += double(row.features[f]) * double(row.features[f]);
    }
    const double mean = sum / double(rows.size());
    const double deviation = std::sqrt(std::max(0.0, squares / double(rows.size()) - mean * mean));
    if (deviation <= kConstant) continue;
    used.push_back(f);
    centre.push_back(mean);
    scale.push_back(1 / deviation);
  }
  points.columns = used.size();
  const double unit = 1 / (kLength * std::sqrt(double(std::max<std::size_t>(1, used.size()))));
  for (const DesignRow& row : rows)
    for (std::size_t u = 0; u < used.size(); ++u)
      points.values.push_back(float((double(row.features[used[u]]) - centre[u]) * scale[u] * unit));
  return points;
}

class Design {
 public:
  Design(std::span<const DesignRow> rows, std::uint32_t shapes)
      : rows_(rows), points_(scaled_features(rows)), of_shape_(shapes), known_(rows.size()) {
    for (std::size_t r = 0; r < rows.size(); ++r) of_shape_[rows[r].shape].push_back(r);
    const double step = std::max(1.0, double(rows.size()) / double(kMostWeighed));
    for (double at = 0; at < double(rows.size()); at += step) weighed_.push_back(std::size_t(at));
    unknown_.columns = weighed_.size();
    unknown_.values.resize(rows.size() * weighed_.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t w = 0; w < weighed_.size(); ++w) unknown_.row(r)[w] = float(prior(r, weighed_[w]));
  }

  // How much less variance there is in all once the shape's rows are measured.
  double gain(std::uint32_t shape) const {
    const std::vector<std::size_t>& of = of_shape_[shape];
    const std::size_t m = of.size();
    std::vector<double> factor = block(of);
    factorise(factor, m);
    std::vector<double> products(m);
    double sum = 0;
    // The trace of what the block's inverse takes to the products of its rows' covariances.
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) products[j] = dot(unknown_.row(of[i]), unknown_.row(of[j]));
      sum += solve(factor, products)[i];
    }
    return sum;
  }

  void measure(std::uint32_t shape) {
    const std::vector<std::size_t>& of = of_shape_[shape];
    const std::size_t m = of.size();
    std::vector<double> factor = block(of);
    factorise(factor, m);
    // factor^-1 times the covariances of the shape's rows with every row, and with those weighed.
    std::vector<std::vector<float>> fresh;
    std::vector<double> column(m);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (std::size_t i = 0; i < m; ++i) column[i] = posterior(of[i], r);
      forward(factor, column);
      fresh.emplace_back(column.begin(), column.end());
    }
    for (std::size_t r = 0; r < rows_.size(); ++r)
      known_[r].insert(known_[r].end(), fresh[r].begin(), fresh[r].end());
    for (std::size_t i = 0; i < m; ++i) {
      std::vector<float> at_weighed;
      for (const std::size_t w : weighed_) at_weighed.push_back(fresh[w][i]);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        float* of_row = unknown_.row(r);
        const float factor_of = fresh[r][i];
        for (std::size_t w = 0; w < weighed_.size(); ++w) of_row[w] -= factor_of * at_weighed[w];
      }
    }
  }

 private:
  double prior(std::size_t a, std::size_t b) const {
    const float *of_a = points_.row(a), *of_b = points_.row(b);
    float distance = 0;
    for (std::size_t f = 0; f < points_.columns; ++f) distance += (of_a[f] - of_b[f]) * (of_a[f] - of_b[f]);
    return kLevel + kriging_covariance(rows_[a].code, rows_[b].code, double(std::exp(-0.5F * distance)));
  }

  // Covariance once the chosen shapes are measured.
  double posterior(std::size_t a, std::size_t b) const {
    double sum = prior(a, b);
    for (std::size_t i = 0; i < known_[a].size(); ++i) sum -= double(known_[a][i]) * double(known_[b][i]);
    return sum;
  }

  // Lower triangle for the rows of a shape, as they are measured.
  std::vector<double> block(const std::vector<std::size_t>& of) const {
    std::vector<double> covariances(of.size() * of.size());
    for (std::size_t i = 0; i < of.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        covariances[i * of.size() + j] = posterior(of[i], of[j]) + (i == j ? kNoise : 0);
    return covariances;
  }

  double dot(const float* a, const float* b) const {
    float sum = 0;
    for (std::size_t w = 0; w < weighed_.size(); ++w) sum += a[w] * b[w];
    return double(sum);
  }

  std::span<const DesignRow> rows_;
  Matrix points_;
  std::vector<std::vector<std::size_t>> of_shape_;
  std::vector<std::size_t> weighed_;       // rows whose variance counts
  Matrix unknown_;                         // posterior covariance of every row with those weighed
  std::vector<std::vector<float>> known_;  // of every row: prior less posterior covariance is their product
};

}  // namespace

std::vector<std::uint32_t> design_shapes(std::span<const DesignRow> rows, std::uint32_t shapes,
                                         std::size_t count) {
  std::vector<std::uint32_t> chosen;
  if (rows.empty()) return chosen;
  Design design(rows, shapes);
  std::vector<bool> taken(shapes, false);
  while (chosen.size() < std::min<std::size_t>(count, shapes)) {
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t shape = 0; shape < shapes; ++shape) {
      if (taken[shape]) continue;
      const double gain = design.gain(shape);
      if (gain <= most) continue;
      most = gain;
      best = shape;
    }
    taken[best] = true;
    chosen.push_back(best);
    design.measure(best);
  }
  return chosen;
}

}  // namespace warploom
