#include "warploom/tuner/internal/cell_biases.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warploom {
namespace {

// A candidate's correction counts twice where it comes this near the best.
constexpr float kCompeting = 1.05F;
// A bias moves in steps of 1 %, at most so many of them, each of which must gain so much of a time over all
// places: what the correction says of one place is not certain.
constexpr int kMostSteps = 6, kRounds = 2;
constexpr float kStep = 0.01F, kStepGain = 4e-4F;

struct Places {
  std::span<const float> formula;
  std::vector<float> corrected;
  std::vector<float> best;  // of each place
  std::size_t count = 0;

  std::size_t size() const { return best.size(); }
};

Places places_of(std::span<const float> formula, std::span<const float> ratios, std::size_t count) {
  Places places{.formula = formula, .count = count};
  places.corrected.resize(formula.size());
  for (std::size_t i = 0; i < formula.size(); ++i) places.corrected[i] = formula[i] * ratios[i];
  for (std::size_t start = 0; start < formula.size(); start += count)
    places.best.push_back(*std::min_element(places.corrected.begin() + std::ptrdiff_t(start),
                                            places.corrected.begin() + std::ptrdiff_t(start + count)));
  return places;
}

std::vector<float> mean_ratios(const Places& places, std::span<const float> ratios) {
  std::vector<float> means(places.count, 0.0F), weights(places.count, 0.0F);
  for (std::size_t p = 0; p < places.size(); ++p)
    for (std::size_t i = 0; i < places.count; ++i) {
      const std::size_t at = p * places.count + i;
      const float weight = places.corrected[at] < kCompeting * places.best[p] ? 1.0F : 0.5F;
      means[i] += weight * ratios[at];
      weights[i] += weight;
    }
  for (std::size_t i = 0; i < places.count; ++i) means[i] /= weights[i];
  return means;
}

// Moves one candidate's factor to where the picks lose least.
void move_one(const Places& places, std::vector<float>& factors, std::size_t moved) {
  // At each place the candidate wins when its factor is below `limit`, and then costs `own`, else `other`.
  std::vector<float> limit, own, other;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const std::size_t row = p * places.count;
    float least = std::numeric_limits<float>::max(), cost = 0;
    for (std::size_t i = 0; i < places.count; ++i) {
      const float time = places.formula[row + i] * factors[i];
      if (i == moved || time >= least) continue;
      least = time;
      cost = places.corrected[row + i];
    }
    limit.push_back(least / places.formula[row + moved]);
    own.push_back(places.corrected[row + moved] / places.best[p]);
    other.push_back(cost / places.best[p]);
  }
  const float from = factors[moved];
  float best_loss = std::numeric_limits<float>::max();
  for (int step = -kMostSteps; step <= kMostSteps; ++step) {
    const float factor = from * (1 + kStep * static_cast<float>(step));
    float loss = kStepGain * static_cast<float>(places.size()) * static_cast<float>(std::abs(step));
    for (std::size_t p = 0; p < places.size(); ++p) loss += factor < limit[p] ? own[p] : other[p];
    if (loss < best_loss) {
      best_loss = loss;
      factors[moved] = factor;
    }
  }
}

}  // namespace

CellBiases cell_biases(std::span<const float> formula, std::span<const float> ratios, std::size_t count) {
  const Places places = places_of(formula, ratios, count);
  CellBiases biases{.factors = mean_ratios(places, ratios)};
  // The first candidate is the best at most places.
  biases.scale = biases.factors.front();
  for (int round = 0; round < kRounds && count > 1; ++round)
    for (std::size_t i = 0; i < count; ++i) move_one(places, biases.factors, i);
  for (float& factor : biases.factors) factor /= biases.scale;
  return biases;
}

}  // namespace warploom
