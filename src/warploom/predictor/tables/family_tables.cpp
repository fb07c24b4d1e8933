#include "warploom/predictor/tables/family_tables.h"

#include <cmath>

namespace warploom {
namespace {

// Stands for "no such neighbour": beyond every residual.
constexpr float kMissing = 9;

float relative(float guess, float centre) { return std::isnan(guess) ? kMissing : guess - centre; }

}  // namespace

void fill_table_features(const Neighbours& neighbours, const Guesses& guesses, const Centre& centre,
                         const ContextCodes& codes, float offset, const OperatorFeatures& row,
                         TableFeatures& features) {
  features.count = 0;
  features.add(centre.value - offset);
  features.add(centre.spread);
  features.add(centre.weight);
  features.add(float(neighbours.found));
  features.add(offset);
  features.add(codes.framework);
  features.add(codes.kernel);
  for (std::size_t g = 0; g < guesses.count; ++g) features.add(relative(guesses.values[g], centre.value));
  for (std::size_t a = 0; a < neighbours.axes; ++a) {
    const AxisNeighbours& n = neighbours.axis[a];
    for (std::size_t s = 1; s < (a == 0 ? kWalkSteps : kWalkSteps - 1); ++s) {
      features.add(s < n.below_count ? n.below[s] - centre.value : kMissing);
      features.add(s < n.above_count ? n.above[s] - centre.value : kMissing);
    }
    features.add(n.below_count > 0 ? n.below_distance[0] : kMissing);
    features.add(n.above_count > 0 ? n.above_distance[0] : kMissing);
  }
  for (int f = 0; f < row.count; ++f) features.add(row.values[std::size_t(f)]);
}

}  // namespace warploom
