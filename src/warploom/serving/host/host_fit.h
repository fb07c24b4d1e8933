// Fits the constants of a host to steps that ran one after the other (async scheduling off). Their wall time
// holds four things that a step count can tell apart: what every step takes, what each sequence of it adds,
// and the launches of its layers by graphs of parts or kernel by kernel. So four factors are fitted, each to
// a group of the profile's constants; within a group the constants keep their ratios.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "warploom/serving/host/host_profile.h"

namespace warploom {

struct TimedStep {
  Seconds gpu;   // predicted
  Seconds wall;  // measured
  std::int64_t sequences = 0;
  LaunchMode mode = LaunchMode::Graph;
};

enum class HostGroup : std::uint8_t { Step, Sequence, Pieces, Kernels };
template <>
struct EnumNames<HostGroup> {
  static constexpr std::array<std::pair<HostGroup, std::string_view>, 4> kNames{
      {{HostGroup::Step, "each step"},
       {HostGroup::Sequence, "each sequence"},
       {HostGroup::Pieces, "layers in graphs of parts"},
       {HostGroup::Kernels, "layers kernel by kernel"}}};
};
inline constexpr std::size_t kHostGroups = EnumNames<HostGroup>::kNames.size();
using HostFactors = std::array<double, kHostGroups>;

struct HostFit {
  HostFactors factors{};                         // of the base's constants
  std::array<std::size_t, kHostGroups> steps{};  // that a tenth more of the group changes by a percent
  // Whether so many steps bear on the group; others follow the factor of `Step`.
  bool determined(HostGroup group) const { return steps[std::size_t(group)] >= 3; }
};

EngineHost scaled_host(EngineHost base, const HostFactors& factors);

// What such a step takes by `host`.
Seconds serial_wall(const HostModel& host, const TimedStep& step);

// For one time: the square of ln(predicted / measured) in units of its noise, growing linearly for outliers.
double misfit_of(double predicted_over_measured);

// The factors at which `misfit`, a sum of misfit_of, and how far they lie from those of machines seen are
// least together. The search ends at moves of `last_move` of ln(factor).
HostFactors search_factors(const std::function<double(const HostFactors& factors)>& misfit, double last_move);

// Least squares of ln(predicted / measured), outliers bounded; factors that few steps bear on are drawn to
// the factor of `Step`, which is drawn to one. No step: all factors are one.
HostFit fit_host(const EngineHost& base, const LaunchedLayers& layers, std::span<const TimedStep> steps);

}  // namespace warploom
