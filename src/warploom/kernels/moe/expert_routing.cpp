#include "warploom/kernels/moe/expert_routing.h"

#include <fmt/format.h>

#include <charconv>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::string_view kPowerLaw = "power_law:";
constexpr double kLargestAlpha = 16;  // as operators allow

}  // namespace

ExpertRouting parse_expert_routing(std::string_view text, std::string_view where) {
  for (const RoutingKind kind : {RoutingKind::Uniform, RoutingKind::Balanced})
    if (text == name_of(kind)) return {kind, 0};
  ExpertRouting routing;
  if (text.starts_with(kPowerLaw)) {
    const std::string_view number = text.substr(kPowerLaw.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), routing.alpha);
    const bool whole = error == std::errc() && end == number.data() + number.size();
    if (whole && routing.alpha > 0 && routing.alpha <= kLargestAlpha) return routing;
  }
  throw InvalidInput(
      fmt::format("{}: '{}' is no routing, expected uniform, balanced or power_law:ALPHA with ALPHA above 0 "
                  "and at most {}, for example power_law:{}",
                  where, text, kLargestAlpha, kUsualRoutingAlpha));
}

std::string text_of(const ExpertRouting& routing) {
  if (routing.kind != RoutingKind::PowerLaw) return std::string(name_of(routing.kind));
  return fmt::format("{}{}", kPowerLaw, routing.alpha);
}

}  // namespace warploom
