// How the tokens of a mixture of experts choose, in the words of a request: "uniform", "balanced" or
// "power_law:ALPHA".
#pragma once

#include <string>
#include <string_view>

#include "warploom/kernels/operator.h"

namespace warploom {

// The exponent of a skew when nothing is said: that which AIConfigurator takes for mixtures of experts
// (`_power_law_alpha` of its MOEModel, aiconfigurator/sdk/models), whose measured rows are the public ones;
// it has 1.01 for DeepSeek's. No public measurement of a trained router stands behind either.
inline constexpr double kUsualRoutingAlpha = 1.2;

// What fields that hold one say of themselves.
inline constexpr std::string_view kExpertRoutingDoc =
    "how tokens choose experts: uniform (each token at random, as random weights do), balanced (evenly) or "
    "power_law:ALPHA (a skew); default power_law:1.2";

struct ExpertRouting {
  RoutingKind kind = RoutingKind::PowerLaw;
  double alpha = kUsualRoutingAlpha;  // of PowerLaw; else 0
  friend bool operator==(const ExpertRouting&, const ExpertRouting&) = default;
};

// Throws InvalidInput that starts with `where`.
ExpertRouting parse_expert_routing(std::string_view text, std::string_view where);

std::string text_of(const ExpertRouting& routing);

}  // namespace warploom
