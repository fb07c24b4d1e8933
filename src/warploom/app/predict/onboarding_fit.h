// What factors of an onboarding are worth, of recorded steps of several models on several machines:
// data/engines/onboarding.json, by tools/engine_truth/carried_factors.py.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warploom/app/predict/machine_profile.h"
#include "warploom/base/json.h"

namespace warploom {

// What another model has in common with the onboarded one: neither has experts, and products are in the same
// schemes or in others; or one of them has experts, whose kernels err by themselves.
enum class Kinship : std::uint8_t { Alike, AlikeAnotherScheme, Unlike };
template <>
struct EnumNames<Kinship> {
  static constexpr std::array<std::pair<Kinship, std::string_view>, 3> kNames{
      {{Kinship::Alike, "alike"},
       {Kinship::AlikeAnotherScheme, "alike_another_scheme"},
       {Kinship::Unlike, "unlike"}}};
};

struct CarriedFactor {
  double share = 0;  // of ln(factor) that holds for the other model too
  double width = 0;  // half-width, in ln, of the 80 % of what its kernels err by together then
};

struct OnboardingFit {
  // Standard deviations of ln: of a sum of kernels where the factors are right, and of what works on rows
  // alone, whose fused kernels follow their tokens otherwise.
  double noise = 0, rows_noise = 0;
  std::array<double, kKernelGroups> spread{};  // of factors about one
  std::array<CarriedFactor, EnumNames<Kinship>::kNames.size()> carried{};
};

// Throws InvalidInput "<where>: ..." on what is missing or out of range, Unsupported on a newer version.
OnboardingFit parse_onboarding_fit(const Json& document, std::string_view where);

// As shipped; read once.
const OnboardingFit& shipped_onboarding_fit();

// What a profile says of another model than the onboarded one.
MachineProfile for_another_model(MachineProfile profile, Kinship kinship,
                                 const OnboardingFit& fit = shipped_onboarding_fit());

}  // namespace warploom
