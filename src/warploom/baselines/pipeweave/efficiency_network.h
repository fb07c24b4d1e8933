// One kernel's network of the published method: features to the efficiency that the kernel reaches.
//
//   theory = cycles of the whole GPU's pipes for the kernel's operations (Features::theory_cycles)
//   efficiency = theory / (latency x clock), between 0 and 1;  latency = theory / (clock x efficiency)
// Published: inputs ln(1 + x), not standardised; hidden layers of 256, 128 and 64, each linear, rectifier,
// batch norm, dropout 0.1; a sigmoid; loss mean |predicted - true| / true of the efficiency; AdamW, rate
// 1e-3, decay 1e-4, batches of 1,024, gradients cut at norm 1; rate x 0.6 after 45 epochs without gain, not
// below 1e-6; end after 85, at most 2,500; a fifth of the rows apart to judge by. For ceilings the pinball
// loss at a quantile, 200 epochs, nothing apart; their schedule is not published, and the rate falls by a
// cosine: at a constant one the share of rows above the ceiling hung on the seed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "warploom/baselines/network/dense_network.h"

namespace warploom::baselines {

struct EfficiencyRows {
  std::size_t width = 0;           // of the features
  std::vector<double> features;    // row-major
  std::vector<double> efficiency;  // above 0
};

struct EfficiencyTraining {
  std::size_t epochs = 2500;
  double quantile = 0;  // 0: the mean relative error; else the pinball loss at it
  std::uint64_t seed = 42;
  std::function<void(std::size_t epoch, std::size_t epochs, double loss)> progress;
};

class EfficiencyNetwork {
 public:
  // Deterministic, one thread. Throws InvalidInput without rows.
  EfficiencyNetwork(const EfficiencyRows& rows, const EfficiencyTraining& training);
  struct Range {
    double low = 0, high = 1;
  };
  EfficiencyNetwork(DenseNetwork network, Range range) : network_(std::move(network)), range_(range) {}

  std::size_t inputs() const { return network_.inputs(); }
  // Within the range that training saw, and by features within theirs: not published, but where nothing like
  // the features was learned the network's sigmoid may end anywhere. features.size() == inputs().
  double efficiency(std::span<const double> features) const;
  const DenseNetwork& network() const { return network_; }
  const Range& range() const { return range_; }

 private:
  DenseNetwork network_;
  Range range_;
};

}  // namespace warploom::baselines
