// A trained fully connected network: rectified hidden layers, linear outputs. What train_network.h makes;
// batch norms are folded into the layers after them, so answering knows nothing of training.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "warploom/base/byte_stream.h"

namespace warploom::baselines {

class DenseNetwork {
 public:
  struct Layer {
    std::size_t inputs = 0, outputs = 0;
    std::vector<float> weights;  // row-major, a row per input
    std::vector<float> bias;
  };
  // An input counts as (clamp(x, low, high) - mean) / deviation.
  struct InputScale {
    double low = 0, high = 0, mean = 0, deviation = 1;
  };

  DenseNetwork() = default;
  // Layers must follow on each other, the first on the scales.
  DenseNetwork(std::vector<InputScale> scales, std::vector<Layer> layers);

  std::size_t inputs() const { return scales_.size(); }
  std::size_t outputs() const { return layers_.empty() ? 0 : layers_.back().outputs; }

  // inputs.size() == inputs(), results.size() == outputs(). Const calls may run concurrently.
  void answer(std::span<const double> inputs, std::span<double> results) const;

  void write(ByteWriter& writer) const;
  // Throws InvalidInput naming `where` on layers that do not follow on each other or hold no finite numbers.
  static DenseNetwork read(ByteReader& reader, std::string_view where);

 private:
  std::vector<InputScale> scales_;
  std::vector<Layer> layers_;
};

}  // namespace warploom::baselines
