#include "warploom/predictor/training/tile_ranking_fit.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace warploom {
namespace {

constexpr std::size_t kParameters = 1 + kTileCosts + kTileTastes;

// Logarithms of what must stay positive, then tastes.
std::array<double, kParameters> packed(const TileConstants& constants) {
  std::array<double, kParameters> x{};
  x[0] = std::log(constants.sharpness);
  for (std::size_t i = 0; i < kTileCosts; ++i) x[1 + i] = std::log(constants.cost[i]);
  std::copy(constants.taste.begin(), constants.taste.end(), x.begin() + 1 + kTileCosts);
  return x;
}

TileConstants unpacked(const double* x) {
  TileConstants constants;
  constants.sharpness = std::exp(x[0]);
  for (std::size_t i = 0; i < kTileCosts; ++i) constants.cost[i] = std::exp(x[1 + i]);
  std::copy(x + 1 + kTileCosts, x + kParameters, constants.taste.begin());
  return constants;
}

// The candidates of one product; `chosen` counts from the first of them.
struct Choice {
  std::size_t begin = 0, end = 0, chosen = 0;
};

// Minus the mean log chance, with its gradient.
class Surprise final : public ceres::FirstOrderFunction {
 public:
  Surprise(std::span<const ChosenTile> choices, double prior)
      : prior_(prior), typical_(packed(TileConstants{})) {
    std::vector<LibraryTile> tiles;
    for (const ChosenTile& choice : choices) {
      tiles.clear();
      add_tile_candidates(choice.problem, tiles);
      const auto at = std::find(tiles.begin(), tiles.end(), choice.tile);
      if (at == tiles.end() || tiles.size() < 2) continue;
      const std::size_t begin = terms_.size();
      for (const LibraryTile& tile : tiles) terms_.push_back(tile_terms(choice.problem, tile));
      choices_.push_back({begin, terms_.size(), std::size_t(at - tiles.begin())});
    }
  }

  bool empty() const { return choices_.empty(); }
  int NumParameters() const override { return int(kParameters); }

  bool Evaluate(const double* x, double* cost, double* gradient) const override {
    const TileConstants constants = unpacked(x);
    std::array<double, kParameters> slope{};
    double sum = 0;
    for (const Choice& choice : choices_) sum += add(choice, constants, slope);
    const double per_choice = 1 / double(choices_.size());
    *cost = sum * per_choice;
    for (std::size_t i = 0; i < kParameters; ++i) {
      const double away = x[i] - typical_[i];
      *cost += prior_ * away * away;
      if (gradient != nullptr) gradient[i] = slope[i] * per_choice + 2 * prior_ * away;
    }
    return std::isfinite(*cost);
  }

 private:
  double add(const Choice& choice, const TileConstants& constants,
             std::array<double, kParameters>& slope) const {
    const std::size_t count = choice.end - choice.begin;
    clocks_.resize(count);
    chances_.resize(count);
    double best = -1e300;
    for (std::size_t i = 0; i < count; ++i) {
      const TileTerms& t = terms_[choice.begin + i];
      double clocks = 0, liking = 0;
      for (std::size_t j = 0; j < kTileCosts; ++j) clocks += constants.cost[j] * double(t.cost[j]);
      for (std::size_t j = 0; j < kTileTastes; ++j) liking += constants.taste[j] * double(t.taste[j]);
      clocks_[i] = clocks;
      chances_[i] = liking - constants.sharpness * std::log(clocks);
      best = std::max(best, chances_[i]);
    }
    const double chosen = chances_[choice.chosen];
    double total = 0;
    for (double& chance : chances_) total += chance = std::exp(chance - best);
    for (std::size_t i = 0; i < count; ++i) {
      // Derivative of the surprise by this candidate's score.
      const double g = chances_[i] / total - (i == choice.chosen ? 1 : 0);
      if (std::abs(g) < 1e-12) continue;
      const TileTerms& t = terms_[choice.begin + i];
      slope[0] -= g * constants.sharpness * std::log(clocks_[i]);
      const double by_clock = g * constants.sharpness / clocks_[i];
      for (std::size_t j = 0; j < kTileCosts; ++j)
        slope[1 + j] -= by_clock * constants.cost[j] * double(t.cost[j]);
      for (std::size_t j = 0; j < kTileTastes; ++j) slope[1 + kTileCosts + j] += g * double(t.taste[j]);
    }
    return best + std::log(total) - chosen;
  }

  double prior_;
  std::array<double, kParameters> typical_;
  std::vector<TileTerms> terms_;
  std::vector<Choice> choices_;
  mutable std::vector<double> clocks_, chances_;  // scratch of one choice
};

}  // namespace

TileConstants fit_tile_constants(std::span<const ChosenTile> choices, const TileFitOptions& options) {
  auto surprise = std::make_unique<Surprise>(choices, options.prior);
  if (surprise->empty()) return {};
  std::array<double, kParameters> x = packed(TileConstants{});
  const ceres::GradientProblem problem(surprise.release());
  ceres::GradientProblemSolver::Options solving;
  solving.max_num_iterations = options.most_steps;
  solving.line_search_direction_type = ceres::LBFGS;
  solving.function_tolerance = 1e-6;
  solving.logging_type = ceres::SILENT;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(solving, problem, x.data(), &summary);
  return summary.IsSolutionUsable() ? unpacked(x.data()) : TileConstants{};
}

}  // namespace warploom
