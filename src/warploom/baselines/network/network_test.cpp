// Gradients against differences, steps against numbers by hand, and what training promises.
#include <gtest/gtest.h>

#include <cmath>

#include "warploom/base/error.h"
#include "warploom/baselines/network/hidden_layer.h"
#include "warploom/baselines/network/matrix_product.h"
#include "warploom/baselines/network/train_network.h"

namespace warploom::baselines {
namespace {

std::vector<float> drawn(std::size_t count, std::string_view name) {
  RandomStream random(7, name);
  std::vector<float> values(count);
  for (float& value : values) value = float(random.normal(0, 1));
  return values;
}

TEST(MatrixProduct, IsTheSameWithEveryUnitAndAnyLayoutOfItsFactor) {
  constexpr std::size_t kRows = 13, kInner = 37, kColumns = 41;
  const std::vector<float> a = drawn(kRows * kInner, "a"), b = drawn(kInner * kColumns, "b");
  std::vector<float> transposed(a.size());
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < kInner; ++k) transposed[k * kRows + i] = a[i * kInner + k];
  for (const VectorUnit unit : {VectorUnit::Plain, VectorUnit::Avx2, VectorUnit::Avx512}) {
    if (!has_vector_unit(unit)) continue;
    std::vector<float> c(kRows * kColumns), d(c.size());
    multiply({a.data(), kInner, 1}, b.data(), c.data(), {kRows, kInner, kColumns}, unit);
    multiply({transposed.data(), 1, kRows}, b.data(), d.data(), {kRows, kInner, kColumns}, unit);
    EXPECT_EQ(c, d);
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kColumns; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < kInner; ++k) sum += a[i * kInner + k] * b[k * kColumns + j];
        ASSERT_EQ(c[i * kColumns + j], sum) << i << ", " << j;
      }
  }
}

TEST(AdamStep, ChangesAValueAsComputedByHand) {
  Parameters p(1);
  p.values[0] = 2;
  p.gradient[0] = 0.5;
  // m = 0.05, v = 0.00025, both corrected to 0.5 and 0.25: the step is the rate, after decay by 0.1 * 0.01.
  adam_step(p, {.rate = 0.1, .weight_decay = 0.01, .number = 1});
  EXPECT_NEAR(p.values[0], 2 * (1 - 0.001) - 0.1, 1e-6);
  p.gradient[0] = -1;
  // m = 0.9 * 0.05 - 0.1 = -0.055, over 1 - 0.81; v = 0.999 * 0.00025 + 0.001, over 1 - 0.998001.
  adam_step(p, {.rate = 0.1, .weight_decay = 0, .number = 2});
  const double step = 0.1 * (-0.055 / 0.19) / std::sqrt(0.00124975 / 0.001999);
  EXPECT_NEAR(p.values[0], 1.898 - step, 1e-5);
  // A gradient that is cut counts by its scale.
  Parameters cut(1);
  cut.gradient[0] = 10;
  adam_step(cut, {.rate = 0.1, .weight_decay = 0, .number = 1}, 0.1F);
  EXPECT_NEAR(cut.first[0], 0.1, 1e-6);
  EXPECT_DOUBLE_EQ(gradient_norm({&p, &cut}), std::sqrt(101.0));
}

TEST(HiddenLayer, NormalisesABatchAndKeepsItsMoments) {
  HiddenLayer layer(1, 1, {.batch_norm = true});
  layer.linear.weights.values[0] = 1;
  const std::vector<float> x{1, 2, 3, 6};
  std::vector<float> y;
  RandomStream random(1, "none");
  layer.train(x, 4, random, y);
  const double deviation = std::sqrt(3.5 + 1e-5);  // mean 3, squares 4 + 1 + 0 + 9
  EXPECT_NEAR(y[0], -2 / deviation, 1e-5);
  EXPECT_NEAR(y[3], 3 / deviation, 1e-5);
  EXPECT_NEAR(layer.running.mean[0], 0.3, 1e-6);
  EXPECT_NEAR(layer.running.variance[0], 0.9 + 0.1 * 14.0 / 3, 1e-5);
  layer.answer({3}, 1, y);
  EXPECT_NEAR(y[0], (3 - 0.3) / std::sqrt(0.9 + 1.4 / 3 + 1e-5), 1e-5);
}

TEST(HiddenLayer, DropsAShareAndScalesTheRest) {
  HiddenLayer layer(1, 64, {.batch_norm = false, .dropout = 0.25});
  for (float& weight : layer.linear.weights.values) weight = 1;
  const std::vector<float> x(100, 1.0F);
  std::vector<float> y;
  RandomStream random(3, "drop");
  layer.train(x, 100, random, y);
  std::size_t kept = 0;
  for (const float value : y) {
    if (value == 0) continue;
    ++kept;
    EXPECT_NEAR(value, 4.0 / 3, 1e-6);
  }
  EXPECT_NEAR(double(kept) / double(y.size()), 0.75, 0.02);
}

// The sum of outputs times `weights`, by which the gradients below are.
double weighted_sum(HiddenLayer& layer, const std::vector<float>& x, std::size_t rows,
                    const std::vector<float>& weights) {
  std::vector<float> y;
  RandomStream random(5, "drop");
  layer.train(x, rows, random, y);
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += double(y[i]) * double(weights[i]);
  return sum;
}

TEST(HiddenLayer, HasTheGradientsOfDifferences) {
  constexpr std::size_t kRows = 9, kIn = 3, kOut = 4;
  HiddenLayer layer(kIn, kOut, {.batch_norm = true, .dropout = 0.25});
  layer.linear.weights.values = drawn(kIn * kOut, "weights");
  std::vector<float> x = drawn(kRows * kIn, "x");
  const std::vector<float> by = drawn(kRows * kOut, "by");
  weighted_sum(layer, x, kRows, by);
  std::vector<float> dy = by, below;
  layer.backward(x, dy, kRows, &below);
  constexpr float kStep = 1e-3F;
  const auto slope = [&](float& value) {
    const float before = value;
    value = before + kStep;
    const double up = weighted_sum(layer, x, kRows, by);
    value = before - kStep;
    const double down = weighted_sum(layer, x, kRows, by);
    value = before;
    return (up - down) / (2 * double(kStep));
  };
  for (Parameters* parameters : layer.parameters())
    for (std::size_t i = 0; i < parameters->values.size(); ++i)
      EXPECT_NEAR(parameters->gradient[i], slope(parameters->values[i]), 0.02) << i;
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(below[i], slope(x[i]), 0.02) << i;
}

NetworkLoss squares(const std::vector<double>& truth) {
  return [&truth](std::size_t row, std::span<const float> outputs, std::span<float> gradient) {
    const double off = double(outputs[0]) - truth[row];
    gradient[0] = float(off);
    return off * off / 2;
  };
}

struct Sine {
  std::vector<double> inputs, truth;
  Sine() {
    for (int i = 0; i < 400; ++i) {
      inputs.push_back(i * 0.01);
      truth.push_back(std::sin(i * 0.01) + 3);
    }
  }
};

double answer_of(const DenseNetwork& network, double x) {
  double result = 0;
  network.answer(std::span(&x, 1), std::span(&result, 1));
  return result;
}

TEST(TrainNetwork, LearnsASmoothFunction) {
  const Sine sine;
  const DenseNetwork network = train_network(sine.inputs, 1, 1, squares(sine.truth), {.epochs = 100});
  for (const double x : {0.5, 1.7, 3.3}) EXPECT_NEAR(answer_of(network, x), std::sin(x) + 3, 0.05);
}

TEST(TrainNetwork, FoldsBatchNormsIntoWhatAnswers) {
  const Sine sine;
  NetworkOptions options{.hidden = {32, 16}, .standardise = false, .batch_norm = true};
  options.initial = InitialWeights::Uniform;
  options.rate = 1e-2;
  options.schedule = RateSchedule::Plateau;
  options.validation_share = 0.2;
  options.epochs = 200;
  options.most_gradient = 1;
  std::vector<double> losses;
  options.progress = [&](std::size_t, std::size_t, double loss) { losses.push_back(loss); };
  const DenseNetwork network = train_network(sine.inputs, 1, 1, squares(sine.truth), options);
  for (const double x : {0.5, 1.7, 3.3}) EXPECT_NEAR(answer_of(network, x), std::sin(x) + 3, 0.1);
  ASSERT_FALSE(losses.empty());
  // The state with the least loss is kept, so the answers are as good as it was.
  double least = losses[0], sum = 0;
  for (const double loss : losses) least = std::min(least, loss);
  for (std::size_t i = 0; i < sine.inputs.size(); ++i)
    sum += std::pow(answer_of(network, sine.inputs[i]) - sine.truth[i], 2) / 2;
  EXPECT_LT(sum / double(sine.inputs.size()), 3 * least + 1e-4);
}

TEST(TrainNetwork, EndsWhenTheRowsApartGainNoMore) {
  const std::vector<double> inputs{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, truth(10, 0.0);
  NetworkOptions options{.hidden = {4}};
  options.validation_share = 0.2;
  options.patience = 5;
  options.epochs = 100000;
  options.fewest_steps = 0;
  std::size_t seen = 0;
  options.progress = [&](std::size_t epoch, std::size_t, double) { seen = epoch; };
  train_network(inputs, 1, 1, squares(truth), options);
  EXPECT_LT(seen, 100000U);
}

TEST(TrainNetwork, GivesEqualNetworksForEqualInputAndReadsThemBack) {
  const Sine sine;
  NetworkOptions options{.hidden = {16}, .batch_norm = true, .dropout = 0.1, .epochs = 20};
  const DenseNetwork a = train_network(sine.inputs, 1, 1, squares(sine.truth), options);
  const DenseNetwork b = train_network(sine.inputs, 1, 1, squares(sine.truth), options);
  ByteWriter first, second;
  a.write(first);
  b.write(second);
  EXPECT_EQ(first.bytes(), second.bytes());
  ByteReader reader(first.bytes(), "bytes");
  EXPECT_EQ(answer_of(DenseNetwork::read(reader, "bytes"), 1.25), answer_of(a, 1.25));
  EXPECT_TRUE(reader.at_end());
  std::string cut = first.bytes();
  cut.resize(cut.size() - 3);
  ByteReader short_reader(cut, "cut");
  EXPECT_THROW(DenseNetwork::read(short_reader, "cut"), InvalidInput);
}

TEST(TrainNetwork, RefusesWhatIsNoData) {
  const auto loss = [](std::size_t, std::span<const float>, std::span<float>) { return 0.0; };
  EXPECT_THROW(train_network({}, 1, 1, loss, {}), InvalidInput);
  const std::vector<double> bad{1, std::nan("")};
  EXPECT_THROW(train_network(bad, 1, 1, loss, {}), InvalidInput);
}

}  // namespace
}  // namespace warploom::baselines
