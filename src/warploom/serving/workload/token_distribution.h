// How many tokens a prompt or an answer has: a number, a range, a normal distribution, quantiles or weights.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/base/random.h"

namespace warploom {

class TokenDistribution {
 public:
  // 500; {"min": 10, "max": 100}; {"mean": 50, "std_dev": 10, "min": 10, "max": 100}; {"quantiles": [...]},
  // evenly spaced from the least to the most; {"weights": [[tokens, weight], ...]}. Throws InvalidInput
  // "<where>: ...".
  static TokenDistribution from_json(const Json& json, std::string_view where);
  Json to_json() const;

  std::int32_t draw(RandomStream& random) const;
  double mean() const { return mean_; }

  static TokenDistribution constant(std::int64_t tokens);
  // Tokens and their weights, which need not add up to 1.
  static TokenDistribution weighted(std::vector<std::pair<double, double>> weights, std::string_view where);

 private:
  enum class Kind { Constant, Uniform, Normal, Quantiles, Weights };
  void check(std::string_view where) const;

  Kind kind_ = Kind::Constant;
  double mean_ = 1, deviation_ = 0, least_ = 1, most_ = 1;
  std::vector<double> quantiles_;                   // ascending
  std::vector<std::pair<double, double>> weights_;  // tokens, cumulative share
};

}  // namespace warploom
