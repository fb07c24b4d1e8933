#include "warploom/app/predict/onboarding_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/onboarding_files.h"

namespace warploom {
namespace {

// A number above 0, or at it where that is allowed, and at most 1.
double part_of_one(const Json& document, std::string_view key, std::string_view where, bool with_zero) {
  const double value = required_number(document, key, where);
  if (!(value <= 1) || value < 0 || (value == 0 && !with_zero))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected {} to 1", where, key, value,
                                   with_zero ? "0" : "a number above 0"));
  return value;
}

CarriedFactor carried_of(const Json& list, Kinship kinship, std::string_view where) {
  if (list.is_array())
    for (const Json& each : list)
      if (text_member_or(each, "models", "") == name_of(kinship)) {
        const std::string of = fmt::format("{}: {}", where, name_of(kinship));
        return {part_of_one(each, "share", of, true), part_of_one(each, "width", of, false)};
      }
  throw InvalidInput(
      fmt::format("{}: 'carried' has no entry of models {}, expected one", where, name_of(kinship)));
}

}  // namespace

OnboardingFit parse_onboarding_fit(const Json& document, std::string_view where) {
  check_record_version(document, "warploom_onboarding_fit", 1, where);
  OnboardingFit fit;
  fit.noise = part_of_one(document, "noise", where, false);
  fit.rows_noise = part_of_one(document, "rows_noise", where, false);
  const Json& spread = required_member(document, "spread", where);
  for (const auto& [group, name] : EnumNames<KernelGroup>::kNames)
    fit.spread[std::size_t(group)] = part_of_one(spread, name, fmt::format("{}: spread", where), false);
  const Json& carried = required_member(document, "carried", where);
  for (const auto& [kinship, name] : EnumNames<Kinship>::kNames)
    fit.carried[std::size_t(kinship)] = carried_of(carried, kinship, where);
  return fit;
}

const OnboardingFit& shipped_onboarding_fit() {
  static const OnboardingFit fit =
      from_embedded(embedded::onboarding_files(), "warploom_onboarding_fit", parse_onboarding_fit);
  return fit;
}

MachineProfile for_another_model(MachineProfile profile, Kinship kinship, const OnboardingFit& fit) {
  const CarriedFactor& carried = fit.carried[std::size_t(kinship)];
  for (KernelScale& scale : profile.kernels) {
    // What works on rows is other kernels where the products' scheme is another.
    const bool others = scale.group == KernelGroup::Rows && kinship != Kinship::Alike;
    const double share = others ? 0 : carried.share, log = std::log(scale.factor);
    const double factor = std::exp(share * log);
    // So little of it may be the card's, or all: a factor far from one says that kernels err much here.
    const double unknown = std::max(share, 1 - share) * log;
    const auto end = [&](double of_model, double sign) {
      const double of_fit = share * std::log(of_model / scale.factor);
      return factor * std::exp(sign * std::hypot(carried.width, of_fit, unknown));
    };
    const double low = end(scale.low, -1), high = end(scale.high, 1);
    scale = {scale.group, factor, low, high, scale.scatter};
  }
  return profile;
}

}  // namespace warploom
