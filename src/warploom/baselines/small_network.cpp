#include "warploom/baselines/small_network.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "warploom/base/random.h"

namespace warploom::baselines {
namespace {

using Matrix = Eigen::MatrixXd;  // one column per row of data
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Parameters {
  std::vector<RowMajor> weights;
  std::vector<Eigen::VectorXd> bias;

  Parameters zero() const {
    Parameters z;
    for (const RowMajor& w : weights) z.weights.push_back(RowMajor::Zero(w.rows(), w.cols()));
    for (const Eigen::VectorXd& b : bias) z.bias.push_back(Eigen::VectorXd::Zero(b.size()));
    return z;
  }
};

class Adam {
 public:
  explicit Adam(const Parameters& shape) : first_(shape.zero()), second_(shape.zero()) {}

  void step(Parameters& parameters, const Parameters& gradient, double rate) {
    ++steps_;
    const double first = 1 - std::pow(kFirst, steps_), second = 1 - std::pow(kSecond, steps_);
    const auto update = [&](auto& value, const auto& g, auto& m, auto& v) {
      m.array() = kFirst * m.array() + (1 - kFirst) * g.array();
      v.array() = kSecond * v.array() + (1 - kSecond) * g.array().square();
      value.array() -= rate * (m.array() / first) / ((v.array() / second).sqrt() + 1e-8);
    };
    for (std::size_t i = 0; i < parameters.weights.size(); ++i) {
      update(parameters.weights[i], gradient.weights[i], first_.weights[i], second_.weights[i]);
      update(parameters.bias[i], gradient.bias[i], first_.bias[i], second_.bias[i]);
    }
  }

 private:
  static constexpr double kFirst = 0.9, kSecond = 0.999;
  Parameters first_, second_;
  int steps_ = 0;
};

Parameters initial(std::size_t width, std::size_t outputs, const NetworkOptions& options) {
  RandomStream random(options.seed, "network");
  Parameters p;
  std::size_t from = width;
  for (std::size_t l = 0; l <= options.hidden_layers; ++l) {
    const std::size_t to = l == options.hidden_layers ? outputs : options.hidden_width;
    RowMajor weights = RowMajor::Zero(Eigen::Index(to), Eigen::Index(from));
    const double spread = std::sqrt(2.0 / double(from)) * (l == options.hidden_layers ? 0.1 : 1.0);
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights.data()[i] = random.normal(0, spread);
    p.weights.push_back(std::move(weights));
    p.bias.push_back(Eigen::VectorXd::Zero(Eigen::Index(to)));
    from = to;
  }
  p.bias.back()(0) = options.first_output;
  return p;
}

// Activations of each layer, inputs first.
std::vector<Matrix> forward(const Parameters& p, const Matrix& inputs) {
  std::vector<Matrix> layers{inputs};
  for (std::size_t l = 0; l < p.weights.size(); ++l) {
    Matrix next = (p.weights[l] * layers.back()).colwise() + p.bias[l];
    if (l + 1 < p.weights.size()) next = next.cwiseMax(0.0);
    layers.push_back(std::move(next));
  }
  return layers;
}

Parameters backward(const Parameters& p, const std::vector<Matrix>& layers, Matrix delta) {
  Parameters gradient = p.zero();
  for (std::size_t l = p.weights.size(); l-- > 0;) {
    gradient.weights[l].noalias() = delta * layers[l].transpose();
    gradient.bias[l] = delta.rowwise().sum();
    if (l == 0) break;
    Matrix below = p.weights[l].transpose() * delta;
    delta = below.cwiseProduct((layers[l].array() > 0).cast<double>().matrix());
  }
  return gradient;
}

}  // namespace

SmallNetwork::SmallNetwork(std::span<const double> inputs, std::size_t width, std::size_t outputs,
                           const LossGradient& loss, const NetworkOptions& options) {
  const auto rows = Eigen::Index(inputs.size() / width);
  Matrix data = Eigen::Map<const Matrix>(inputs.data(), Eigen::Index(width), rows);
  const Eigen::VectorXd low = data.rowwise().minCoeff(), high = data.rowwise().maxCoeff();
  low_.assign(low.begin(), low.end());
  high_.assign(high.begin(), high.end());
  const Eigen::VectorXd mean = data.rowwise().mean();
  data.colwise() -= mean;
  Eigen::VectorXd deviation = (data.array().square().rowwise().mean()).sqrt().matrix();
  deviation = (deviation.array() > 1e-9).select(deviation, 1.0);
  data.array().colwise() /= deviation.array();
  mean_.assign(mean.begin(), mean.end());
  deviation_.assign(deviation.begin(), deviation.end());

  Parameters p = initial(width, outputs, options);
  Adam adam(p);
  RandomStream random(options.seed, "batches");
  std::vector<std::size_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t epochs =
      std::max(options.epochs, options.fewest_steps * options.batch / std::max<std::size_t>(1, order.size()));
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    random.shuffle(order);
    const double progress = double(epoch) / double(epochs);
    const double rate = options.rate * (0.05 + 0.475 * (1 + std::cos(std::numbers::pi * progress)));
    for (std::size_t start = 0; start < order.size(); start += options.batch) {
      const std::size_t count = std::min(options.batch, order.size() - start);
      Matrix batch = Matrix::Zero(Eigen::Index(width), Eigen::Index(count));
      for (std::size_t i = 0; i < count; ++i)
        batch.col(Eigen::Index(i)) = data.col(Eigen::Index(order[start + i]));
      const std::vector<Matrix> layers = forward(p, batch);
      Matrix delta = Matrix::Zero(Eigen::Index(outputs), Eigen::Index(count));
      for (std::size_t i = 0; i < count; ++i) {
        loss(order[start + i], {layers.back().col(Eigen::Index(i)).data(), outputs},
             {delta.col(Eigen::Index(i)).data(), outputs});
      }
      delta /= double(count);
      adam.step(p, backward(p, layers, std::move(delta)), rate);
    }
  }
  for (std::size_t l = 0; l < p.weights.size(); ++l) {
    const RowMajor& w = p.weights[l];
    layers_.push_back({std::size_t(w.rows()), std::size_t(w.cols()),
                       std::vector<double>(w.data(), w.data() + w.size()),
                       std::vector<double>(p.bias[l].begin(), p.bias[l].end())});
  }
}

void SmallNetwork::answer(std::span<const double> inputs, std::span<double> results) const {
  std::vector<double> values(inputs.begin(), inputs.end()), next;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = (std::clamp(values[i], low_[i], high_[i]) - mean_[i]) / deviation_[i];
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    next = layer.bias;
    for (std::size_t r = 0; r < layer.rows; ++r) {
      for (std::size_t c = 0; c < layer.columns; ++c)
        next[r] += layer.weights[r * layer.columns + c] * values[c];
      if (l + 1 < layers_.size()) next[r] = std::max(0.0, next[r]);
    }
    values.swap(next);
  }
  std::copy(values.begin(), values.end(), results.begin());
}

}  // namespace warploom::baselines
