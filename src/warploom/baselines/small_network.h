// A fully connected network with rectified hidden layers, trained by Adam in small batches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace warploom::baselines {

struct NetworkOptions {
  std::size_t hidden_layers = 3, hidden_width = 48;
  std::size_t epochs = 30, batch = 128;
  std::size_t fewest_steps = 2000;  // more epochs when rows are few
  double rate = 3e-3;               // of Adam; falls to a twentieth along a cosine
  double first_output = 0;          // bias of the first output before training
  std::uint64_t seed = 1;
};

class SmallNetwork {
 public:
  // Gradient of a row's loss by the outputs of the network for that row.
  using LossGradient =
      std::function<void(std::size_t row, std::span<const double> outputs, std::span<double> gradient)>;

  // `inputs` is row-major with `width` columns; they are standardised by their own mean and deviation.
  // Deterministic. Needs at least one row.
  SmallNetwork(std::span<const double> inputs, std::size_t width, std::size_t outputs,
               const LossGradient& loss, const NetworkOptions& options);

  // inputs.size() == width, results.size() == outputs. An input outside its range in training counts as the
  // nearest one inside.
  void answer(std::span<const double> inputs, std::span<double> results) const;

 private:
  struct Layer {
    std::size_t rows = 0, columns = 0;
    std::vector<double> weights, bias;  // weights row-major
  };
  std::vector<double> mean_, deviation_, low_, high_;
  std::vector<Layer> layers_;
};

}  // namespace warploom::baselines
