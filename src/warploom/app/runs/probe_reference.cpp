#include "warploom/app/runs/probe_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/probe_reference_files.h"

namespace warploom {
namespace {

// Cards of one kind never lie so far from their tables: more is a mistake.
constexpr double kMostOffset = 0.5;

// What a probe has: kernels that work on rows are not among its own.
constexpr std::array kProbed{KernelGroup::Streaming, KernelGroup::Computing};

double in_range(const Json& document, std::string_view key, double least, std::string_view where) {
  const double value = required_number(document, key, where);
  if (value >= least && value <= kMostOffset) return value;
  throw InvalidInput(
      fmt::format("{}: '{}' is {}, expected {} to {} (of ln)", where, key, value, least, kMostOffset));
}

std::array<ReferenceOffset, kKernelGroups> groups_of(const Json& document, std::string_view where) {
  std::array<ReferenceOffset, kKernelGroups> groups{};
  for (const KernelGroup group : kProbed) {
    const std::string of = fmt::format("{}: {}", where, name_of(group));
    const Json& each = required_member(document, name_of(group), where);
    groups[std::size_t(group)] = {.offset = in_range(each, "offset", -kMostOffset, of),
                                  .experts = in_range(each, "experts", -kMostOffset, of),
                                  .width = in_range(each, "width", 0, of)};
  }
  return groups;
}

}  // namespace

ReferenceOffset ProbeReference::of(std::string_view gpu, KernelGroup group) const {
  const auto found =
      std::find_if(gpus.begin(), gpus.end(), [&](const OfGpu& each) { return each.gpu == gpu; });
  if (found != gpus.end()) return found->groups[std::size_t(group)];
  return {.width = elsewhere[std::size_t(group)]};
}

ProbeReference parse_probe_reference(const Json& document, std::string_view where) {
  check_record_version(document, "warploom_probe_reference", 1, where);
  ProbeReference reference;
  const Json& gpus = required_member(document, "gpus", where);
  if (!gpus.is_object())
    throw InvalidInput(fmt::format("{}: 'gpus' is a {}, expected an object by GPU", where, gpus.type_name()));
  for (const auto& [gpu, groups] : gpus.items())
    reference.gpus.push_back({gpu, groups_of(groups, fmt::format("{}: {}", where, gpu))});
  const Json& elsewhere = required_member(document, "elsewhere", where);
  for (const KernelGroup group : kProbed)
    reference.elsewhere[std::size_t(group)] =
        in_range(elsewhere, name_of(group), 0, fmt::format("{}: elsewhere", where));
  return reference;
}

const ProbeReference& shipped_probe_reference() {
  static const ProbeReference reference =
      from_embedded(embedded::probe_reference_files(), "warploom_probe_reference", parse_probe_reference);
  return reference;
}

void refer_to_engines(const ProbeReference& reference, std::string_view gpu,
                      std::vector<KernelScale>& scales) {
  for (KernelScale& scale : scales) {
    const ReferenceOffset offset = reference.of(gpu, scale.group);
    const double factor = scale.factor * std::exp(offset.offset);
    const auto end = [&](double probed, double sign) {
      return factor * std::exp(sign * std::hypot(std::log(probed / scale.factor), offset.width));
    };
    const double low = end(scale.low, -1), high = end(scale.high, 1);
    scale.experts = scale.factor * std::exp(offset.experts);
    scale.factor = factor;
    scale.low = low;
    scale.high = high;
  }
}

}  // namespace warploom
