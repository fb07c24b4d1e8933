#include "warploom/serving/workload/token_distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/statistics.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {
namespace {

[[noreturn]] void refuse_tokens(std::string_view where, std::string_view what) {
  throw InvalidInput(
      fmt::format("{}: {}, expected a number of tokens, a range (min, max), a normal distribution (mean, "
                  "std_dev, min, max), quantiles or weights",
                  where, what));
}

double number_of(const Json& json, const char* key, std::string_view where) {
  if (!json.contains(key) || !json[key].is_number())
    refuse_tokens(where, fmt::format("'{}' is no number", key));
  return json[key].get<double>();
}

void check_token_keys(const Json& json, std::initializer_list<std::string_view> known,
                      std::string_view where) {
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse_tokens(where, fmt::format("'{}' does not go with the other keys", key));
}

std::int32_t whole_tokens(double tokens) { return std::int32_t(std::max(1.0, std::round(tokens))); }

}  // namespace

TokenDistribution TokenDistribution::constant(std::int64_t tokens) {
  TokenDistribution result;
  result.mean_ = result.least_ = result.most_ = double(tokens);
  return result;
}

TokenDistribution TokenDistribution::weighted(std::vector<std::pair<double, double>> weights,
                                              std::string_view where) {
  TokenDistribution result;
  result.kind_ = Kind::Weights;
  double sum = 0;
  std::sort(weights.begin(), weights.end());
  for (const auto& [tokens, weight] : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) refuse_tokens(where, "a weight is below 0");
    sum += weight;
  }
  if (!(sum > 0)) refuse_tokens(where, "no weight is above 0");
  double below = 0;
  result.mean_ = 0;
  for (const auto& [tokens, weight] : weights) {
    if (weight == 0) continue;
    below += weight / sum;
    result.weights_.emplace_back(tokens, below);
    result.mean_ += tokens * weight / sum;
  }
  result.least_ = result.weights_.front().first;
  result.most_ = result.weights_.back().first;
  result.check(where);
  return result;
}

void TokenDistribution::check(std::string_view where) const {
  // A bin of 0 tokens counts as 1, as whole_tokens has it.
  if (!(least_ >= 0 && least_ <= most_ && most_ <= double(kMaxRequestTokens)) || !(mean_ >= least_) ||
      !(mean_ <= most_ * (1 + 1e-9)) || !(deviation_ >= 0))
    refuse_tokens(where, fmt::format("min {}, mean {}, max {} are not in this order from 0 to {}", least_,
                                     mean_, most_, kMaxRequestTokens));
}

TokenDistribution TokenDistribution::from_json(const Json& json, std::string_view where) {
  TokenDistribution result;
  if (json.is_number()) {
    if (!(json.get<double>() >= 1)) refuse_tokens(where, fmt::format("{} tokens", json.get<double>()));
    result.mean_ = result.least_ = result.most_ = json.get<double>();
    result.check(where);
    return result;
  }
  if (!json.is_object()) refuse_tokens(where, "is of another type");
  if (json.contains("weights")) {
    check_token_keys(json, {"weights"}, where);
    std::vector<std::pair<double, double>> weights;
    if (!json["weights"].is_array()) refuse_tokens(where, "'weights' is no list");
    for (const Json& entry : json["weights"]) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number() || !entry[1].is_number())
        refuse_tokens(where, "an entry of 'weights' is no pair of numbers");
      weights.emplace_back(entry[0].get<double>(), entry[1].get<double>());
    }
    return weighted(std::move(weights), where);
  }
  if (json.contains("quantiles")) {
    check_token_keys(json, {"quantiles"}, where);
    result.kind_ = Kind::Quantiles;
    for (const Json& entry : json["quantiles"]) {
      if (!entry.is_number()) refuse_tokens(where, "a quantile is no number");
      result.quantiles_.push_back(entry.get<double>());
    }
    if (result.quantiles_.size() < 2 || !std::is_sorted(result.quantiles_.begin(), result.quantiles_.end()))
      refuse_tokens(where, "'quantiles' are not two or more in ascending order");
    result.least_ = result.quantiles_.front();
    result.most_ = result.quantiles_.back();
    result.mean_ = 0;
    for (std::size_t i = 0; i + 1 < result.quantiles_.size(); ++i)
      result.mean_ += (result.quantiles_[i] + result.quantiles_[i + 1]) / 2;
    result.mean_ /= double(result.quantiles_.size() - 1);
    result.check(where);
    return result;
  }
  result.least_ = number_of(json, "min", where);
  result.most_ = number_of(json, "max", where);
  if (json.contains("mean")) {
    check_token_keys(json, {"mean", "std_dev", "min", "max"}, where);
    result.kind_ = Kind::Normal;
    result.mean_ = number_of(json, "mean", where);
    result.deviation_ = number_of(json, "std_dev", where);
  } else {
    check_token_keys(json, {"min", "max"}, where);
    result.kind_ = Kind::Uniform;
    result.mean_ = (result.least_ + result.most_) / 2;
  }
  result.check(where);
  return result;
}

Json TokenDistribution::to_json() const {
  switch (kind_) {
    case Kind::Constant:
      return std::int64_t(mean_);
    case Kind::Uniform:
      return {{"min", least_}, {"max", most_}};
    case Kind::Normal:
      return {{"mean", mean_}, {"std_dev", deviation_}, {"min", least_}, {"max", most_}};
    case Kind::Quantiles:
      return {{"quantiles", quantiles_}};
    case Kind::Weights:
      break;
  }
  Json list = Json::array();
  double below = 0;
  for (const auto& [tokens, share] : weights_) {
    list.push_back({tokens, share - below});
    below = share;
  }
  return {{"weights", std::move(list)}};
}

std::int32_t TokenDistribution::draw(RandomStream& random) const {
  switch (kind_) {
    case Kind::Constant:
      return whole_tokens(mean_);
    case Kind::Uniform:
      return std::int32_t(random.integer(whole_tokens(least_), whole_tokens(most_)));
    case Kind::Normal:
      return whole_tokens(std::clamp(random.normal(mean_, deviation_), least_, most_));
    case Kind::Quantiles:
      return whole_tokens(quantile_of_sorted(quantiles_, random.uniform()));
    case Kind::Weights:
      break;
  }
  const double at = random.uniform();
  const auto found = std::find_if(weights_.begin(), weights_.end() - 1,
                                  [&](const auto& entry) { return at < entry.second; });
  return whole_tokens(found->first);
}

}  // namespace warploom
