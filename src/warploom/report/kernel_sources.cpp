#include "warploom/report/kernel_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"

namespace warploom {
namespace {

constexpr auto kLongestFirst = [](const auto& a, const auto& b) { return a.time > b.time; };

Json part_json(const KernelTime& part, double total) {
  Json document = {{"framework", part.source.framework},
                   {"version", part.source.version},
                   {"kernel", part.source.kernel},
                   {"tier", name_of(part.source.tier)},
                   {"extrapolated", part.source.extrapolated},
                   {"time_s", part.time.value()},
                   {"share", total > 0 ? part.time.value() / total : 0.0}};
  add_stand_in(document, part.source);
  return document;
}

}  // namespace

std::string routing_text(const std::string& expert_routing) {
  return expert_routing.empty() ? std::string() : ", experts routed " + expert_routing;
}

std::string trust_text(const KernelTrust& trust) {
  std::string text = "kernel time";
  bool listed = false;
  for (const auto& [tier, name] : EnumNames<Tier>::kNames) {
    const double share = trust.tier_shares[std::size_t(tier)];
    if (share <= 0) continue;
    text += fmt::format("{} {} {}", listed ? "," : "", percent_text(share), name);
    listed = true;
  }
  constexpr double kShown = 0.0005;  // a tenth of a per cent, rounded
  if (trust.outside_share >= kShown)
    text += fmt::format(", {} of it outside the measured domain", percent_text(trust.outside_share));
  return text;
}

void add_trust(Json& document, const KernelTrust& trust) {
  document["tier"] = name_of(trust.tier);
  for (const auto& [tier, name] : EnumNames<Tier>::kNames)
    document["tier_shares"][std::string(name)] = trust.tier_shares[std::size_t(tier)];
  document["extrapolated"] = trust.extrapolated;
  document["outside_share"] = trust.outside_share;
}

bool any_stands_in(std::span<const KernelTime> kernels) {
  return std::any_of(kernels.begin(), kernels.end(),
                     [](const KernelTime& kernel) { return kernel.source.stands_in; });
}

void add_stand_in(Json& document, const KernelSource& source) {
  document["stands_in"] = source.stands_in;
  document["stands_in_for"] = source.stands_in_for;
  document["in_step"] = source.in_step;
  if (source.scheme_priced) document["scheme_priced"] = name_of(*source.scheme_priced);
}

std::string source_text(const KernelSource& source) {
  std::string text;
  for (const std::string* part : {&source.framework, &source.version, &source.kernel})
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  if (source.stands_in) text += " for " + source.stands_in_for;
  if (source.in_step) text += ", in a step";
  return text.empty() ? "-" : text;
}

std::string source_text(const LabelledKernel& kernel) {
  std::vector<std::string> texts;
  for (const KernelTime& part : kernel.parts) {
    std::string text = source_text(part.source);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.empty()) return "-";
  return texts.size() == 1 ? texts[0] : fmt::format("{} + {}", texts[0], texts.size() - 1);
}

Json kernel_sources_json(std::span<const KernelTime> kernels) {
  std::map<Family, std::vector<KernelTime>> families;
  for (KernelTime kernel : kernels) {
    kernel.label.clear();
    add_kernel_times(families[kernel.family], {&kernel, 1});
  }
  Json document = Json::object();
  for (auto& [family, parts] : families) {
    std::stable_sort(parts.begin(), parts.end(), kLongestFirst);
    double total = 0;
    for (const KernelTime& part : parts) total += part.time.value();
    Json tiers = Json::object(), list = Json::array();
    const auto seconds = seconds_by_tier(parts);
    for (const auto& [tier, name] : EnumNames<Tier>::kNames)
      tiers[std::string(name)] = total > 0 ? seconds[std::size_t(tier)] / total : 0.0;
    for (const KernelTime& part : parts) list.push_back(part_json(part, total));
    document[std::string(name_of(family))] = {
        {"time_s", total}, {"tier_shares", std::move(tiers)}, {"kernels", std::move(list)}};
  }
  return document;
}

}  // namespace warploom
