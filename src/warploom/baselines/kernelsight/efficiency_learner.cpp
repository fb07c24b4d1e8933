#include "warploom/baselines/kernelsight/efficiency_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/baselines/kernelsight/product_blocks.h"
#include "warploom/baselines/linear.h"
#include "warploom/baselines/network/train_network.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/learning/boosting.h"
#include "warploom/learning/small_cholesky.h"

namespace warploom::baselines {
namespace {

constexpr std::size_t kFeatures = EfficiencyView::kFeatures;
constexpr std::size_t kWaves = 4, kWorkPerSm = 2;  // places of features
constexpr double kRidge = 1e-3;                    // of the rows' number, added to each square

double safe_log(double value) { return std::log(std::max(value, 1e-9)); }

std::vector<double> linear_fit(const EfficiencySamples& samples) {
  constexpr std::size_t kTerms = kFeatures + 1;  // and a constant
  std::vector<double> squares(kTerms * kTerms), with_target(kTerms);
  for (std::size_t s = 0; s < samples.views.size(); ++s) {
    std::array<double, kTerms> terms{1};
    std::copy_n(samples.views[s].features.begin(), kFeatures, terms.begin() + 1);
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) squares[i * kTerms + j] += terms[i] * terms[j];
      with_target[i] += terms[i] * samples.log_efficiency[s];
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) squares[i * kTerms + i] += kRidge * double(samples.views.size());
  factorise(squares, kTerms);
  return solve(squares, with_target);
}

LinearModel::Terms analytic_terms(const EfficiencyView& view) {
  return {1, std::exp(-view.features[kWaves]), std::exp(-view.features[kWorkPerSm]), 0};
}

// Relative least squares of 1 / efficiency.
std::vector<double> analytic_fit(const EfficiencySamples& samples) {
  std::array<LinearModel::Terms, LinearModel::kTerms> products{};
  LinearModel::Terms with_target{};
  for (std::size_t s = 0; s < samples.views.size(); ++s) {
    const LinearModel::Terms terms = analytic_terms(samples.views[s]);
    const double target = std::exp(-samples.log_efficiency[s]);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = 0; j < terms.size(); ++j)
        products[i][j] += terms[i] * terms[j] / (target * target);
      with_target[i] += terms[i] / target;
    }
  }
  const LinearModel::Terms found = LinearModel::nonnegative_fit(products, with_target);
  return {found.begin(), found.end()};
}

std::string boosted(const EfficiencySamples& samples, std::uint64_t seed) {
  std::vector<float> rows, targets;
  for (const EfficiencyView& view : samples.views)
    for (const double feature : view.features) rows.push_back(float(feature));
  for (const double target : samples.log_efficiency) targets.push_back(float(target));
  const BoostingOptions options{
      .trees = 150, .leaves = 64, .depth = 6, .eta = 0.1, .column_share = 1, .seed = seed};
  return encode_trees(boost_trees(rows, kFeatures, targets, options));
}

DenseNetwork small_mlp(const EfficiencySamples& samples, std::uint64_t seed) {
  std::vector<double> inputs;
  double sum = 0;
  for (const EfficiencyView& view : samples.views)
    inputs.insert(inputs.end(), view.features.begin(), view.features.end());
  for (const double target : samples.log_efficiency) sum += target;
  const NetworkLoss loss = [&](std::size_t row, std::span<const float> outputs, std::span<float> gradient) {
    const double off = double(outputs[0]) - samples.log_efficiency[row];
    gradient[0] = float(std::clamp(off, -1.0, 1.0));
    return std::abs(off);
  };
  NetworkOptions options{.hidden = {32, 32}};
  options.first_output = sum / double(samples.views.size());
  options.fewest_steps = 1000;
  options.seed = seed;
  return train_network(inputs, kFeatures, 1, loss, options);
}

}  // namespace

EfficiencyView efficiency_view(const Operator& op, const GpuSpec& gpu) {
  const KernelProfile p = profile(op, gpu);
  const auto* product = std::get_if<Gemm>(&op);
  const ProductBlocks counted =
      product != nullptr ? product_blocks(*product, gpu) : ProductBlocks{p.tasks, p.occupancy};
  const double sms = double(gpu.sm_count), tasks = std::max(1.0, counted.blocks);
  const double occupancy = std::max(1.0, counted.occupancy);
  const double waves = tasks / (sms * occupancy);
  const double fill = std::ceil(waves - 1e-9) / waves;
  const double flop = p.work.matrix_flop.value() + p.work.fma_flop.value();
  const double bytes = std::max(1.0, p.work.unique_bytes().value());
  const double rate = p.unit_rate > 0 ? p.unit_rate : 2 * gpu.fma_lanes;
  const double peak = gpu.tensor_rate(rate).value();
  const double ridge = peak / gpu.memory_bandwidth.value();
  EfficiencyView view;
  // A grid of one part-filled wave is no reason to expect more than the whole GPU's time of it.
  const double compute = flop / peak * (waves > 1 ? fill : 1.0);
  view.bound_seconds = std::max({compute, bytes / gpu.memory_bandwidth.value(), p.t_network, 1e-9});
  view.features = {safe_log(flop / bytes), safe_log(flop / bytes / ridge),
                   safe_log(tasks / sms),  std::log(occupancy),
                   safe_log(waves),        safe_log(bytes / gpu.l2_capacity.value())};
  return view;
}

EfficiencyLearner::EfficiencyLearner(LearnerKind kind, const EfficiencySamples& samples, std::uint64_t seed)
    : kind_(kind) {
  const auto [low, high] = std::minmax_element(samples.log_efficiency.begin(), samples.log_efficiency.end());
  low_ = *low;
  high_ = *high;
  switch (kind) {
    case LearnerKind::Linear:
      coefficients_ = linear_fit(samples);
      break;
    case LearnerKind::Trees:
      encoded_trees_ = boosted(samples, seed);
      trees_ = TreeEnsemble(encoded_trees_, "training");
      break;
    case LearnerKind::Mlp:
      network_ = small_mlp(samples, seed);
      break;
    case LearnerKind::Analytic:
      coefficients_ = analytic_fit(samples);
      break;
  }
}

double EfficiencyLearner::log_efficiency(const EfficiencyView& view) const {
  double answer = 0;
  switch (kind_) {
    case LearnerKind::Linear:
      answer = coefficients_[0];
      for (std::size_t i = 0; i < kFeatures; ++i) answer += coefficients_[i + 1] * view.features[i];
      break;
    case LearnerKind::Trees: {
      FeatureRow row;
      row.clear();
      for (const double feature : view.features) row.add(feature);
      TreeEnsemble::set_guard(row);
      answer = double(trees_.predict(row));
      break;
    }
    case LearnerKind::Mlp:
      network_.answer(view.features, {&answer, 1});
      break;
    case LearnerKind::Analytic: {
      const LinearModel::Terms terms = analytic_terms(view);
      double inverse = 0;
      for (std::size_t i = 0; i < terms.size(); ++i) inverse += coefficients_[i] * terms[i];
      answer = -safe_log(inverse);
      break;
    }
  }
  return std::clamp(answer, low_, high_);
}

void EfficiencyLearner::write(ByteWriter& writer) const {
  writer.put_text(name_of(kind_));
  writer.put(low_);
  writer.put(high_);
  switch (kind_) {
    case LearnerKind::Linear:
    case LearnerKind::Analytic:
      writer.put_all(coefficients_);
      break;
    case LearnerKind::Trees:
      writer.put_text(encoded_trees_);
      break;
    case LearnerKind::Mlp:
      network_.write(writer);
      break;
  }
}

EfficiencyLearner EfficiencyLearner::read(ByteReader& reader, std::string_view where) {
  const auto refuse = [&](std::string_view what) {
    throw InvalidInput(fmt::format("{}: an efficiency's learner {}", where, what));
  };
  EfficiencyLearner learner;
  learner.kind_ = parse_enum<LearnerKind>(reader.take_text(), fmt::format("{}: a learner", where));
  learner.low_ = reader.take<double>();
  learner.high_ = reader.take<double>();
  if (!std::isfinite(learner.low_) || !std::isfinite(learner.high_) || learner.low_ > learner.high_)
    refuse("has no valid range of answers");
  switch (learner.kind_) {
    case LearnerKind::Linear:
    case LearnerKind::Analytic: {
      learner.coefficients_ = reader.take_all<double>();
      const std::size_t expected =
          learner.kind_ == LearnerKind::Linear ? kFeatures + 1 : std::size_t(LinearModel::kTerms);
      if (learner.coefficients_.size() != expected)
        refuse(fmt::format("has {} coefficients, expected {}", learner.coefficients_.size(), expected));
      for (const double value : learner.coefficients_)
        if (!std::isfinite(value)) refuse("has a coefficient that is no number");
      break;
    }
    case LearnerKind::Trees:
      learner.encoded_trees_ = reader.take_text();
      learner.trees_ = TreeEnsemble(learner.encoded_trees_, where);
      break;
    case LearnerKind::Mlp:
      learner.network_ = DenseNetwork::read(reader, where);
      if (learner.network_.inputs() != kFeatures || learner.network_.outputs() != 1)
        refuse(fmt::format("has a network of {} inputs, expected {}", learner.network_.inputs(), kFeatures));
      break;
  }
  return learner;
}

}  // namespace warploom::baselines
