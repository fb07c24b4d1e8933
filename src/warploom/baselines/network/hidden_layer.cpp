#include "warploom/baselines/network/hidden_layer.h"

#include <algorithm>
#include <cmath>

#include "warploom/baselines/network/matrix_product.h"

namespace warploom::baselines {
namespace {

constexpr float kNormEpsilon = 1e-5F;   // added to a variance
constexpr float kRunningShare = 0.1F;   // of a batch in running means
constexpr double kDropSteps = 1 << 16;  // a chance is a whole number of these

// sums[j] = sum over rows of f(row i, column j).
template <class F>
void column_sums(std::size_t rows, std::size_t columns, std::vector<float>& sums, const F& f) {
  sums.assign(columns, 0.0F);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) sums[j] += f(i * columns + j, j);
}

}  // namespace

LinearLayer::LinearLayer(std::size_t inputs, std::size_t outputs)
    : weights(inputs * outputs), bias(outputs), inputs_(inputs), outputs_(outputs) {}

void LinearLayer::forward(const std::vector<float>& x, std::size_t rows, std::vector<float>& y) const {
  y.resize(rows * outputs_);
  multiply({x.data(), inputs_, 1}, weights.values.data(), y.data(), {rows, inputs_, outputs_});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < outputs_; ++j) y[i * outputs_ + j] += bias.values[j];
}

void LinearLayer::backward(const std::vector<float>& x, const std::vector<float>& dy, std::size_t rows,
                           std::vector<float>* below) {
  multiply({x.data(), 1, inputs_}, dy.data(), weights.gradient.data(), {inputs_, rows, outputs_});
  column_sums(rows, outputs_, bias.gradient, [&](std::size_t at, std::size_t) { return dy[at]; });
  if (below == nullptr) return;
  transposed_.resize(inputs_ * outputs_);
  for (std::size_t i = 0; i < inputs_; ++i)
    for (std::size_t j = 0; j < outputs_; ++j)
      transposed_[j * inputs_ + i] = weights.values[i * outputs_ + j];
  below->resize(rows * inputs_);
  multiply({dy.data(), outputs_, 1}, transposed_.data(), below->data(), {rows, outputs_, inputs_});
}

HiddenLayer::HiddenLayer(std::size_t inputs, std::size_t outputs, const Kind& kind)
    : linear(inputs, outputs), kind_(kind) {
  if (!kind_.batch_norm) return;
  scale_ = Parameters(outputs);
  shift_ = Parameters(outputs);
  std::fill(scale_.values.begin(), scale_.values.end(), 1.0F);
  running = {std::vector<float>(outputs, 0.0F), std::vector<float>(outputs, 1.0F)};
}

void HiddenLayer::train(const std::vector<float>& x, std::size_t rows, RandomStream& random,
                        std::vector<float>& y) {
  linear.forward(x, rows, y);
  for (float& value : y) value = std::max(0.0F, value);
  rectified_ = y;
  if (kind_.batch_norm) normalise(rows, y);
  if (kind_.dropout > 0) drop(rows, random, y);
}

void HiddenLayer::normalise(std::size_t rows, std::vector<float>& y) {
  const std::size_t columns = linear.outputs();
  std::vector<float> mean, variance;
  const auto share = 1 / float(rows);
  column_sums(rows, columns, mean, [&](std::size_t at, std::size_t) { return y[at]; });
  for (float& value : mean) value *= share;
  column_sums(rows, columns, variance, [&](std::size_t at, std::size_t j) {
    const float off = y[at] - mean[j];
    return off * off;
  });
  inverse_deviation_.resize(columns);
  // Running variances are those of the population that the batch was drawn from.
  const float unbiased = rows > 1 ? float(rows) / float(rows - 1) : 1.0F;
  for (std::size_t j = 0; j < columns; ++j) {
    variance[j] *= share;
    inverse_deviation_[j] = 1 / std::sqrt(variance[j] + kNormEpsilon);
    running.mean[j] += kRunningShare * (mean[j] - running.mean[j]);
    running.variance[j] += kRunningShare * (unbiased * variance[j] - running.variance[j]);
  }
  normalised_.resize(y.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = i * columns + j;
      normalised_[at] = (y[at] - mean[j]) * inverse_deviation_[j];
      y[at] = scale_.values[j] * normalised_[at] + shift_.values[j];
    }
}

void HiddenLayer::drop(std::size_t rows, RandomStream& random, std::vector<float>& y) {
  const auto least = std::uint64_t(kind_.dropout * kDropSteps);
  const auto kept = float(1 / (1 - double(least) / kDropSteps));
  kept_.resize(rows * linear.outputs());
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < kept_.size(); ++at) {
    bits = at % 4 == 0 ? random.next() : bits >> 16;
    kept_[at] = (bits & 0xFFFF) < least ? 0.0F : kept;
  }
  for (std::size_t at = 0; at < kept_.size(); ++at) y[at] *= kept_[at];
}

void HiddenLayer::backward(const std::vector<float>& x, std::vector<float>& dy, std::size_t rows,
                           std::vector<float>* below) {
  if (kind_.dropout > 0)
    for (std::size_t at = 0; at < dy.size(); ++at) dy[at] *= kept_[at];
  if (kind_.batch_norm) backward_norm(dy, rows);
  for (std::size_t at = 0; at < dy.size(); ++at) dy[at] = rectified_[at] > 0 ? dy[at] : 0.0F;
  linear.backward(x, dy, rows, below);
}

void HiddenLayer::backward_norm(std::vector<float>& dy, std::size_t rows) {
  const std::size_t columns = linear.outputs();
  column_sums(rows, columns, shift_.gradient, [&](std::size_t at, std::size_t) { return dy[at]; });
  column_sums(rows, columns, scale_.gradient,
              [&](std::size_t at, std::size_t) { return dy[at] * normalised_[at]; });
  const float share = 1 / float(rows);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = i * columns + j;
      const float centred = dy[at] - share * (shift_.gradient[j] + normalised_[at] * scale_.gradient[j]);
      dy[at] = scale_.values[j] * inverse_deviation_[j] * centred;
    }
}

void HiddenLayer::answer(const std::vector<float>& x, std::size_t rows, std::vector<float>& y) const {
  linear.forward(x, rows, y);
  const Affine after = affine();
  const std::size_t columns = linear.outputs();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      float& value = y[i * columns + j];
      value = std::max(0.0F, value);
      if (kind_.batch_norm) value = value * after.scale[j] + after.shift[j];
    }
}

std::vector<Parameters*> HiddenLayer::parameters() {
  if (!kind_.batch_norm) return {&linear.weights, &linear.bias};
  return {&linear.weights, &linear.bias, &scale_, &shift_};
}

HiddenLayer::Affine HiddenLayer::affine() const {
  Affine result;
  if (!kind_.batch_norm) return result;
  for (std::size_t j = 0; j < linear.outputs(); ++j) {
    const float scale = scale_.values[j] / std::sqrt(running.variance[j] + kNormEpsilon);
    result.scale.push_back(scale);
    result.shift.push_back(shift_.values[j] - running.mean[j] * scale);
  }
  return result;
}

}  // namespace warploom::baselines
