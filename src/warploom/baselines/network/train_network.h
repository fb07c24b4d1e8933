// Trains a fully connected network in small batches.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "warploom/baselines/network/dense_network.h"

namespace warploom::baselines {

// Weights before training. He: normal, deviation sqrt(2 / inputs), a tenth of it in the last layer, no bias.
// Uniform: within 1 / sqrt(inputs) of 0, biases too, as PyTorch draws a linear layer.
enum class InitialWeights { He, Uniform };
// The rate of learning. Cosine: falls to a twentieth over the epochs. Plateau: falls by `plateau_factor` when
// the loss of the validation rows has not improved for `plateau_epochs`.
enum class RateSchedule { Cosine, Plateau };

struct NetworkOptions {
  std::vector<std::size_t> hidden{48, 48, 48};
  bool standardise = true;  // inputs by their mean and deviation; else as they are
  // An input outside its range in training counts as the nearest one inside.
  bool batch_norm = false;
  double dropout = 0;
  InitialWeights initial = InitialWeights::He;
  double first_output = 0;  // bias of the first output before training, with He

  std::size_t epochs = 30, batch = 128;
  std::size_t fewest_steps = 2000;  // more epochs when rows are few
  double rate = 3e-3;
  RateSchedule schedule = RateSchedule::Cosine;
  double weight_decay = 0;
  double most_gradient = 0;  // norm beyond which a step's gradient is scaled down; 0: none

  // Share of the rows, drawn at random, that is not learned from; the state with the least loss on it is
  // kept. 0: none is, and the last state is kept.
  double validation_share = 0;
  double plateau_factor = 0.6, least_rate = 1e-6;
  std::size_t plateau_epochs = 45;
  std::size_t patience = 0;  // epochs without improvement that end training; 0: none do

  std::uint64_t seed = 1;
  // After each epoch, with the loss of the validation rows (NaN without).
  std::function<void(std::size_t epoch, std::size_t epochs, double loss)> progress;
};

// Loss of a row by the outputs of the network for that row; sets its gradient by them.
using NetworkLoss =
    std::function<double(std::size_t row, std::span<const float> outputs, std::span<float> gradient)>;

// `inputs` is row-major with `width` columns. One thread; equal inputs give equal networks, whatever the
// processor. Throws InvalidInput without rows or where an input is no finite number.
DenseNetwork train_network(std::span<const double> inputs, std::size_t width, std::size_t outputs,
                           const NetworkLoss& loss, const NetworkOptions& options);

}  // namespace warploom::baselines
