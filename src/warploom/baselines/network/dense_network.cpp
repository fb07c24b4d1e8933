#include "warploom/baselines/network/dense_network.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "warploom/base/error.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kLeastScaleBytes = 4 * sizeof(double), kLeastLayerBytes = 4 * sizeof(std::uint32_t);

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

DenseNetwork::DenseNetwork(std::vector<InputScale> scales, std::vector<Layer> layers)
    : scales_(std::move(scales)), layers_(std::move(layers)) {}

void DenseNetwork::answer(std::span<const double> inputs, std::span<double> results) const {
  std::vector<float> values(inputs.size()), next;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const InputScale& scale = scales_[i];
    values[i] = float((std::clamp(inputs[i], scale.low, scale.high) - scale.mean) / scale.deviation);
  }
  for (const Layer& layer : layers_) {
    next = layer.bias;
    for (std::size_t i = 0; i < layer.inputs; ++i) {
      const float value = values[i];
      const float* row = layer.weights.data() + i * layer.outputs;
      if (value != 0)
        for (std::size_t o = 0; o < layer.outputs; ++o) next[o] += value * row[o];
    }
    if (&layer != &layers_.back())
      for (float& value : next) value = std::max(0.0F, value);
    values.swap(next);
  }
  std::copy(values.begin(), values.end(), results.begin());
}

void DenseNetwork::write(ByteWriter& writer) const {
  writer.put(std::uint32_t(scales_.size()));
  for (const InputScale& scale : scales_)
    for (const double value : {scale.low, scale.high, scale.mean, scale.deviation}) writer.put(value);
  writer.put(std::uint32_t(layers_.size()));
  for (const Layer& layer : layers_) {
    writer.put(std::uint32_t(layer.inputs));
    writer.put(std::uint32_t(layer.outputs));
    writer.put_all(layer.weights);
    writer.put_all(layer.bias);
  }
}

DenseNetwork DenseNetwork::read(ByteReader& reader, std::string_view where) {
  const auto refuse = [&](const char* what) {
    throw InvalidInput(std::string(where) + ": a network " + what);
  };
  DenseNetwork network;
  network.scales_.resize(reader.take_count(kLeastScaleBytes));
  for (InputScale& scale : network.scales_) {
    for (double* value : {&scale.low, &scale.high, &scale.mean, &scale.deviation})
      *value = reader.take<double>();
    if (!(scale.low <= scale.high) || !std::isfinite(scale.mean) || !(scale.deviation > 0))
      refuse("scales an input by no valid range");
  }
  std::size_t width = network.scales_.size();
  network.layers_.resize(reader.take_count(kLeastLayerBytes));
  for (Layer& layer : network.layers_) {
    layer.inputs = reader.take<std::uint32_t>();
    layer.outputs = reader.take<std::uint32_t>();
    layer.weights = reader.take_all<float>();
    layer.bias = reader.take_all<float>();
    if (layer.inputs != width || layer.outputs == 0 || layer.bias.size() != layer.outputs ||
        layer.weights.size() != layer.inputs * layer.outputs)
      refuse("has layers that do not follow on each other");
    if (!all_finite(layer.weights) || !all_finite(layer.bias)) refuse("holds a weight that is no number");
    width = layer.outputs;
  }
  if (network.layers_.empty()) refuse("has no layer");
  return network;
}

}  // namespace warploom::baselines
