#include "warploom/baselines/network/train_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>

#include "warploom/base/error.h"
#include "warploom/base/random.h"
#include "warploom/baselines/network/hidden_layer.h"

namespace warploom::baselines {
namespace {

constexpr double kLeastDeviation = 1e-9;    // of an input that is scaled by it
constexpr double kPlateauThreshold = 1e-4;  // relative gain that counts as one for the rate (PyTorch's)

std::vector<DenseNetwork::InputScale> input_scales(std::span<const double> inputs, std::size_t width,
                                                   bool standardise) {
  const std::size_t rows = inputs.size() / width;
  std::vector<DenseNetwork::InputScale> scales(width);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < width; ++j) {
    double low = kInfinity, high = -kInfinity, sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = inputs[i * width + j];
      if (!std::isfinite(x))
        throw InvalidInput("training a network: input " + std::to_string(j) + " of row " + std::to_string(i) +
                           " is no finite number");
      low = std::min(low, x);
      high = std::max(high, x);
      sum += x;
    }
    if (!standardise) {
      scales[j] = {low, high, 0, 1};
      continue;
    }
    const double mean = sum / double(rows);
    for (std::size_t i = 0; i < rows; ++i) squares += std::pow(inputs[i * width + j] - mean, 2);
    const double deviation = std::sqrt(squares / double(rows));
    scales[j] = {low, high, mean, deviation > kLeastDeviation ? deviation : 1};
  }
  return scales;
}

class NetworkTrainer {
 public:
  NetworkTrainer(std::span<const double> inputs, std::size_t width, std::size_t outputs,
                 const NetworkLoss& loss, const NetworkOptions& options)
      : width_(width),
        options_(options),
        loss_(loss),
        scales_(input_scales(inputs, width, options.standardise)),
        last_(options.hidden.empty() ? width : options.hidden.back(), outputs),
        dropped_(options.seed, "dropout") {
    std::size_t from = width;
    for (const std::size_t to : options.hidden) {
      hidden_.emplace_back(from, to, HiddenLayer::Kind{options.batch_norm, options.dropout});
      from = to;
    }
    RandomStream random(options.seed, "network");
    for (HiddenLayer& layer : hidden_) set_initial(layer.linear, 1, random);
    set_initial(last_, 0.1, random);
    if (options.initial == InitialWeights::He) last_.bias.values[0] = float(options.first_output);
    data_.resize(inputs.size());
    for (std::size_t at = 0; at < inputs.size(); ++at) {
      const DenseNetwork::InputScale& scale = scales_[at % width];
      data_[at] = float((inputs[at] - scale.mean) / scale.deviation);
    }
    split_rows(inputs.size() / width);
  }

  DenseNetwork run() {
    RandomStream random(options_.seed, "batches");
    const std::size_t epochs = std::max(
        options_.epochs, options_.fewest_steps * options_.batch / std::max<std::size_t>(1, learned_.size()));
    double rate = options_.rate, best = std::numeric_limits<double>::infinity(), plateau = best;
    std::size_t since_best = 0, on_plateau = 0;
    State kept;
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      if (options_.schedule == RateSchedule::Cosine) {
        const double share = double(epoch) / double(epochs);
        rate = options_.rate * (0.05 + 0.475 * (1 + std::cos(std::numbers::pi * share)));
      }
      random.shuffle(learned_);
      for (std::size_t start = 0; start < learned_.size(); start += options_.batch)
        step(start, std::min(options_.batch, learned_.size() - start), rate);
      const double now = validation_loss();
      if (options_.progress) options_.progress(epoch + 1, epochs, now);
      if (validated_.empty()) continue;
      if (now < best) {
        best = now;
        since_best = 0;
        kept = state();
      } else if (++since_best >= options_.patience && options_.patience > 0) {
        break;
      }
      if (options_.schedule != RateSchedule::Plateau) continue;
      if (now < plateau * (1 - kPlateauThreshold)) {
        plateau = now;
        on_plateau = 0;
      } else if (++on_plateau > options_.plateau_epochs) {
        rate = std::max(rate * options_.plateau_factor, options_.least_rate);
        on_plateau = 0;
      }
    }
    if (!validated_.empty()) restore(kept);
    return folded();
  }

 private:
  struct State {
    std::vector<std::vector<float>> values;
    std::vector<HiddenLayer::Running> running;
  };

  void set_initial(LinearLayer& layer, double share, RandomStream& random) const {
    const auto inputs = double(layer.inputs());
    if (options_.initial == InitialWeights::Uniform) {
      const double most = 1 / std::sqrt(inputs);
      for (float& value : layer.weights.values) value = float(random.uniform(-most, most));
      for (float& value : layer.bias.values) value = float(random.uniform(-most, most));
      return;
    }
    for (float& value : layer.weights.values) value = float(random.normal(0, share * std::sqrt(2 / inputs)));
  }

  void split_rows(std::size_t rows) {
    learned_.resize(rows);
    std::iota(learned_.begin(), learned_.end(), std::size_t{0});
    const auto apart = std::size_t(options_.validation_share * double(rows));
    if (apart == 0) return;
    RandomStream random(options_.seed, "validation");
    random.shuffle(learned_);
    validated_.assign(learned_.end() - std::ptrdiff_t(apart), learned_.end());
    learned_.resize(rows - apart);
  }

  void take_rows(const std::vector<std::size_t>& rows, std::size_t start, std::size_t count) {
    batch_.resize(count * width_);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(data_.begin() + std::ptrdiff_t(rows[start + i] * width_), width_,
                  batch_.begin() + std::ptrdiff_t(i * width_));
  }

  // Losses of the batch's rows; their gradients, divided by the number of rows, into `gradient_`.
  double batch_loss(const std::vector<std::size_t>& rows, std::size_t start, std::size_t count) {
    const std::size_t outputs = last_.outputs();
    gradient_.assign(count * outputs, 0.0F);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += loss_(rows[start + i], {answers_.data() + i * outputs, outputs},
                   {gradient_.data() + i * outputs, outputs});
    for (float& value : gradient_) value /= float(count);
    return sum;
  }

  std::vector<Parameters*> parameters() {
    std::vector<Parameters*> all;
    for (HiddenLayer& layer : hidden_)
      for (Parameters* each : layer.parameters()) all.push_back(each);
    all.push_back(&last_.weights);
    all.push_back(&last_.bias);
    return all;
  }

  void step(std::size_t start, std::size_t count, double rate) {
    take_rows(learned_, start, count);
    activations_.resize(hidden_.size());
    for (std::size_t l = 0; l < hidden_.size(); ++l)
      hidden_[l].train(l == 0 ? batch_ : activations_[l - 1], count, dropped_, activations_[l]);
    const std::vector<float>& top = hidden_.empty() ? batch_ : activations_.back();
    last_.forward(top, count, answers_);
    batch_loss(learned_, start, count);
    last_.backward(top, gradient_, count, hidden_.empty() ? nullptr : &below_);
    for (std::size_t l = hidden_.size(); l-- > 0;) {
      gradient_.swap(below_);
      hidden_[l].backward(l == 0 ? batch_ : activations_[l - 1], gradient_, count,
                          l == 0 ? nullptr : &below_);
    }
    const std::vector<Parameters*> all = parameters();
    float scale = 1;
    if (options_.most_gradient > 0)
      scale = float(std::min(1.0, options_.most_gradient / (gradient_norm(all) + 1e-6)));
    ++steps_;
    for (Parameters* each : all) adam_step(*each, {rate, options_.weight_decay, steps_}, scale);
  }

  double validation_loss() {
    if (validated_.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    constexpr std::size_t kRowsAtATime = 1024;
    for (std::size_t start = 0; start < validated_.size(); start += kRowsAtATime) {
      const std::size_t count = std::min(kRowsAtATime, validated_.size() - start);
      take_rows(validated_, start, count);
      for (const HiddenLayer& layer : hidden_) {
        layer.answer(batch_, count, below_);
        batch_.swap(below_);
      }
      last_.forward(batch_, count, answers_);
      sum += batch_loss(validated_, start, count);
    }
    return sum / double(validated_.size());
  }

  State state() {
    State now;
    for (const Parameters* each : parameters()) now.values.push_back(each->values);
    for (const HiddenLayer& layer : hidden_) now.running.push_back(layer.running);
    return now;
  }
  void restore(const State& kept) {
    std::size_t i = 0;
    if (kept.values.empty()) return;
    for (Parameters* each : parameters()) each->values = kept.values[i++];
    for (std::size_t l = 0; l < hidden_.size(); ++l) hidden_[l].running = kept.running[l];
  }

  // Each batch norm goes into the linear layer after it.
  DenseNetwork folded() {
    std::vector<DenseNetwork::Layer> layers;
    HiddenLayer::Affine before;
    const auto add = [&](const LinearLayer& linear) {
      DenseNetwork::Layer layer{linear.inputs(), linear.outputs(), linear.weights.values, linear.bias.values};
      for (std::size_t i = 0; i < before.scale.size(); ++i)
        for (std::size_t o = 0; o < layer.outputs; ++o) {
          float& weight = layer.weights[i * layer.outputs + o];
          layer.bias[o] += before.shift[i] * weight;
          weight *= before.scale[i];
        }
      layers.push_back(std::move(layer));
    };
    for (const HiddenLayer& layer : hidden_) {
      add(layer.linear);
      before = layer.affine();
    }
    add(last_);
    return {scales_, std::move(layers)};
  }

  std::size_t width_;
  const NetworkOptions& options_;
  const NetworkLoss& loss_;
  std::vector<DenseNetwork::InputScale> scales_;
  std::vector<HiddenLayer> hidden_;
  LinearLayer last_;
  RandomStream dropped_;
  std::vector<float> data_;  // scaled
  std::vector<std::size_t> learned_, validated_;
  std::vector<float> batch_, answers_, gradient_, below_;
  std::vector<std::vector<float>> activations_;
  std::int64_t steps_ = 0;
};

}  // namespace

DenseNetwork train_network(std::span<const double> inputs, std::size_t width, std::size_t outputs,
                           const NetworkLoss& loss, const NetworkOptions& options) {
  if (width == 0 || outputs == 0 || inputs.empty() || inputs.size() % width != 0)
    throw InvalidInput("training a network: expected at least one row of inputs and an output");
  return NetworkTrainer(inputs, width, outputs, loss, options).run();
}

}  // namespace warploom::baselines
