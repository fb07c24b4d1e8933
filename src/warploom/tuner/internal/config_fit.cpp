#include "warploom/tuner/internal/config_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "warploom/tuner/internal/normal_equations.h"
#include "warploom/tuner/internal/wave_lanes.h"

namespace warploom {
namespace {

constexpr std::size_t kCount = kFitted;
using Point = FitPoint;

// Usual values in us on the GPUs of today; the last two are log-odds, the others logarithms' arguments. They
// only decide what the samples leave open.
constexpr Point kUsual = {1.5F, 0.3F, 0.2F,  0.1F, 0.1F, 0.05F, 0.1F, 0.1F,  0.1F,
                          0.3F, 0.2F, 0.25F, 1.0F, 0.1F, 1.0F,  1.8F, -1.0F, 0.0F};
// How firmly the usual values hold: what a loop step takes from L2 follows from the GPU; the price of line
// crossings and of hot lines shows only in anchors that have them.
constexpr float kWeakPrior = 0.03F, kFeedPrior = 2.0F, kRarePrior = 0.1F;
constexpr std::size_t kFeed = 7, kCrossing = 14, kHot = 15;

constexpr Point kPriorWeight = [] {
  Point weight{};
  for (float& one : weight) one = kWeakPrior;
  weight[kFeed] = kFeedPrior;
  weight[kCrossing] = weight[kHot] = kRarePrior;
  return weight;
}();
constexpr float kStep = 4e-3F;
constexpr float kBucketPenalty = 2;
constexpr double kClearlyBetter = 0.97;

float share_of(float odds) { return 1 / (1 + std::exp(-odds)); }

}  // namespace

WaveCoefficients<float> coefficients_at(const Point& p, float slots) {
  std::array<float, kCount - 2> e;
  for (std::size_t i = 0; i < e.size(); ++i) e[i] = std::exp(p[i]);
  WaveCoefficients<float> c{.slots = slots};
  c.launch = e[0];
  c.latency_base = e[1];
  c.latency_touch = e[2];
  c.latency_cold = e[3];
  c.latency_load = e[4];
  c.latency_load_touch = e[5];
  c.math = e[6];
  c.feed = e[7];
  c.feed_touch = 0.1F * e[8];
  c.round = e[9];
  c.tile = e[10];
  c.dram = e[11];
  c.write_cost = e[12];
  c.launch_tiles = e[13];
  c.crossing = e[14];
  c.hot = e[15];
  c.drift = share_of(p[16]);
  c.packing = share_of(p[17]);
  return c;
}

namespace {

// Samples as columns, so that the model runs over several at once.
struct Columns {
  explicit Columns(const ConfigPoints& points) : size(points.size()), measured(points.times) {
    static_assert(sizeof(TileWork) == kWorkColumns * sizeof(float));
    for (auto& column : works) column.resize(whole_lanes(size), 1.0F);
    for (std::size_t i = 0; i < size; ++i) {
      float row[kWorkColumns];
      std::memcpy(row, &points.works[i], sizeof row);
      for (std::size_t k = 0; k < kWorkColumns; ++k) works[k][i] = row[k];
    }
  }
  std::size_t size;
  std::array<std::vector<float>, kWorkColumns> works;
  std::vector<float> measured;
};

// 2 (model - measured) / (model + measured), which is ln(model / measured) up to third order. `out` has room
// for whole lanes.
void residuals(const Columns& x, const WaveCoefficients<float>& c, float* __restrict out) {
  const float* works[kWorkColumns];
  for (std::size_t k = 0; k < kWorkColumns; ++k) works[k] = x.works[k].data();
  times_of_works(c, works, x.size, out);
  const float* __restrict measured = x.measured.data();
  for (std::size_t i = 0; i < x.size; ++i) out[i] = 2 * (out[i] - measured[i]) / (out[i] + measured[i]);
}

class Descent {
 public:
  Descent(const Columns& columns, float slots, const FitPrior& prior)
      : columns_(&columns),
        slots_(slots),
        prior_(prior),
        point_(prior.centre),
        now_(whole_lanes(columns.size)),
        next_(whole_lanes(columns.size)) {
    slope_.resize(kCount * columns.size);
    cost_ = cost_at(point_, now_);
  }

  // Levenberg-Marquardt; stops when four steps in a row gain less than a ten-thousandth.
  void run(int steps) {
    for (int step = 0; step < steps && idle_ < 4; ++step) one_step();
  }
  double cost() const { return cost_; }
  WaveCoefficients<float> coefficients() const { return coefficients_at(point_, slots_); }
  const std::vector<float>& residual() const { return now_; }
  const Point& point() const { return point_; }
  const Point& curvature() const { return curvature_; }

 private:
  double cost_at(const Point& point, std::vector<float>& out) const {
    residuals(*columns_, coefficients_at(point, slots_), out.data());
    double sum = 0;
    // Errors beyond a quarter count linearly: one bad timing must not bend the curve.
    for (std::size_t i = 0; i < columns_->size; ++i) {
      const double a = std::abs(double(out[i]));
      sum += a < 0.25 ? a * a : 0.5 * a - 0.0625;
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      const double pull = double(prior_.weight[i] * (point[i] - prior_.centre[i]));
      sum += pull * pull;
    }
    return sum;
  }

  void one_step() {
    NormalEquations<kCount> equations;
    for (std::size_t i = 0; i < kCount; ++i) {
      Point moved = point_;
      moved[i] += kStep;
      residuals(*columns_, coefficients_at(moved, slots_), next_.data());
      for (std::size_t j = 0; j < columns_->size; ++j) slope_[j * kCount + i] = (next_[j] - now_[j]) / kStep;
    }
    for (std::size_t j = 0; j < columns_->size; ++j) {
      const float r = now_[j], weight = std::abs(r) < 0.25F ? 1.0F : 0.25F / std::abs(r);
      equations.add(slope_.data() + j * kCount, r, weight);
    }
    for (std::size_t i = 0; i < kCount; ++i) curvature_[i] = equations.diagonal(i);
    for (std::size_t i = 0; i < kCount; ++i)
      equations.add_diagonal(i, prior_.weight[i] * prior_.weight[i],
                             prior_.weight[i] * prior_.weight[i] * (point_[i] - prior_.centre[i]));
    const double before = cost_;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const auto step = equations.solve(damping_);
      Point moved = point_;
      for (std::size_t i = 0; i < kCount; ++i) moved[i] -= static_cast<float>(std::clamp(step[i], -1.0, 1.0));
      const double cost = cost_at(moved, next_);
      if (cost < cost_) {
        point_ = moved;
        cost_ = cost;
        now_.swap(next_);
        damping_ = std::max(1e-7, damping_ * 0.3);
        break;
      }
      damping_ = std::min(1e6, damping_ * 4);
    }
    // A step may fail only because the damping is still too small for it.
    idle_ = cost_ > before * (1 - 1e-4) ? idle_ + 1 : 0;
  }

  const Columns* columns_;
  float slots_;
  FitPrior prior_;
  Point point_;
  std::vector<float> now_, next_, slope_;
  Point curvature_{};
  double cost_ = 0, damping_ = 1e-2;
  int idle_ = 0;
};

// Ridge on what is left, per wave bucket.
void fit_buckets(const Columns& x, WaveCoefficients<float>& c, const std::vector<float>& residual) {
  NormalEquations<6> equations;
  for (std::size_t i = 0; i < x.size; ++i) {
    const float waves = detail::whole_up(x.works[0][i] - 1e-5F), iterations = x.works[1][i];
    std::array<float, 6> row;
    for (std::size_t k = 0; k < 6; ++k) {
      std::array<float, 6> unit{};
      unit[k] = 1;
      row[k] = iterations / (iterations + 16) * detail::bucket_correction(unit, waves);
    }
    const float r = std::clamp(residual[i], -0.25F, 0.25F);
    equations.add(row.data(), r, 1.0F);
  }
  for (std::size_t k = 0; k < 6; ++k) equations.add_diagonal(k, kBucketPenalty, 0);
  const auto solved = equations.solve(0);
  for (std::size_t k = 0; k < 6; ++k) c.bucket[k] = static_cast<float>(std::clamp(-solved[k], -0.2, 0.2));
}

}  // namespace

FitPrior usual_prior(float feed_us) {
  FitPrior prior{.centre = kUsual, .weight = kPriorWeight};
  for (std::size_t i = 0; i + 2 < kCount; ++i) prior.centre[i] = std::log(kUsual[i]);
  prior.centre[kFeed] = std::log(feed_us);
  return prior;
}

ConfigFit fit_config(const ConfigPoints& points, int most_slots, const FitPrior& prior) {
  const Columns columns(points);
  std::vector<Descent> trials;
  for (int slots = 1; slots <= most_slots; ++slots) {
    trials.emplace_back(columns, static_cast<float>(slots), prior);
    trials.back().run(8);
  }
  // Fewer resident tiles is the simpler story, those known from elsewhere the simplest: more must explain
  // clearly more.
  std::vector<Descent*> order;
  for (Descent& trial : trials) order.push_back(&trial);
  std::stable_sort(order.begin(), order.end(),
                   [](const Descent* a, const Descent* b) { return a->cost() < b->cost(); });
  order.resize(std::min<std::size_t>(4, order.size()));
  std::sort(order.begin(), order.end());
  if (prior.slots >= 1 && prior.slots <= most_slots) {
    Descent* const known = &trials[std::size_t(prior.slots - 1)];
    std::erase(order, known);
    order.insert(order.begin(), known);
  }
  const Descent* best = nullptr;
  for (Descent* trial : order) {
    trial->run(32);
    if (best == nullptr || trial->cost() < best->cost() * kClearlyBetter) best = trial;
  }
  ConfigFit fit{.point = best->point(), .curvature = best->curvature()};
  FittedConfig& fitted = fit.fitted;
  fitted.coefficients = best->coefficients();
  fit_buckets(columns, fitted.coefficients, best->residual());
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double r = std::log(double(wave_time(fitted.coefficients, points.works[i]) / points.times[i]));
    sum += r * r;
    fitted.most_waves = std::max(fitted.most_waves, points.works[i].waves);
    fitted.most_iterations = std::max(fitted.most_iterations, points.works[i].iterations);
  }
  fitted.residual = static_cast<float>(std::sqrt(sum / static_cast<double>(points.size())));
  return fit;
}

}  // namespace warploom
