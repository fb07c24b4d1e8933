// A hidden layer while it is trained: linear, rectifier, then batch norm and dropout where they are asked for
// (Ioffe and Szegedy 2015; Srivastava et al. 2014; constants as in PyTorch). Matrices are row-major, a row of
// the batch each.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/base/random.h"
#include "warploom/baselines/network/dense_network.h"
#include "warploom/baselines/network/training_parameters.h"

namespace warploom::baselines {

// Outputs = inputs x weights + bias.
class LinearLayer {
 public:
  LinearLayer(std::size_t inputs, std::size_t outputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  Parameters weights, bias;  // weights: a row per input

  void forward(const std::vector<float>& x, std::size_t rows, std::vector<float>& y) const;
  // Sets the gradients from that of the outputs; `below`, unless null, becomes that of the inputs.
  void backward(const std::vector<float>& x, const std::vector<float>& dy, std::size_t rows,
                std::vector<float>* below);

 private:
  std::size_t inputs_, outputs_;
  std::vector<float> transposed_;
};

class HiddenLayer {
 public:
  struct Kind {
    bool batch_norm = false;
    double dropout = 0;  // chance that a value is left out of a training step
  };
  HiddenLayer(std::size_t inputs, std::size_t outputs, const Kind& kind);

  LinearLayer linear;

  // One step of training; remembers what backward needs.
  void train(const std::vector<float>& x, std::size_t rows, RandomStream& random, std::vector<float>& y);
  void backward(const std::vector<float>& x, std::vector<float>& dy, std::size_t rows,
                std::vector<float>* below);
  // As after training: running means, nothing left out.
  void answer(const std::vector<float>& x, std::size_t rows, std::vector<float>& y) const;

  std::vector<Parameters*> parameters();
  // y = scale x + shift of each output after the rectifier, once trained; empty without batch norm.
  struct Affine {
    std::vector<float> scale, shift;
  };
  Affine affine() const;

  // Mean and variance over training so far, for copies of the best state.
  struct Running {
    std::vector<float> mean, variance;
  };
  Running running;

 private:
  void normalise(std::size_t rows, std::vector<float>& y);
  void backward_norm(std::vector<float>& dy, std::size_t rows);
  void drop(std::size_t rows, RandomStream& random, std::vector<float>& y);

  Kind kind_;
  Parameters scale_, shift_;
  std::vector<float> rectified_, normalised_, inverse_deviation_;
  std::vector<float> kept_;  // 0 or 1 / (1 - dropout)
};

}  // namespace warploom::baselines
