#include "warploom/report/prediction_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "warploom/kernels/operator_json.h"
#include "warploom/report/number_text.h"

namespace warploom {

std::string estimate_text(const LatencyEstimate& estimate) {
  return fmt::format("{}  ({} .. {}), limited by {}, tier {}{}", duration_text(estimate.p50),
                     duration_text(estimate.p10), duration_text(estimate.p90), name_of(estimate.bound),
                     name_of(estimate.tier),
                     estimate.stands_in      ? ", of the nearest kernel measured here"
                     : estimate.extrapolated ? ", outside the measured domain"
                                             : "");
}

namespace {

std::string requests_text(const Json& groups) {
  std::vector<std::string> parts;
  for (const Json& group : groups) {
    const auto context = group.at("context_tokens").get<std::int64_t>();
    parts.push_back(fmt::format("{}x{}", group.at("count").get<std::int64_t>(),
                                group.at("query_tokens").get<std::int64_t>()));
    if (context > 0) parts.back() += fmt::format("+{}", context);
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

void add_fields(const Json& object, std::vector<std::string>& parts) {
  for (const auto& [key, value] : object.items()) {
    if (key == "family") continue;
    if (value.is_object()) {
      add_fields(value, parts);
    } else if (key == "requests") {
      parts.push_back("requests " + requests_text(value));
    } else {
      parts.push_back(key + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
  }
}

}  // namespace

std::string operator_text(const Operator& op) {
  std::vector<std::string> parts;
  add_fields(operator_to_json(op), parts);
  return fmt::format("{} ({})", name_of(family_of(op)), fmt::join(parts, ", "));
}

Json operator_document(const Operator& op) { return operator_to_json(op); }

Json estimate_json(const LatencyEstimate& estimate) {
  return {{"p10_us", to_microseconds(estimate.p10)},
          {"p50_us", to_microseconds(estimate.p50)},
          {"p90_us", to_microseconds(estimate.p90)},
          {"physical_bound_us", to_microseconds(estimate.physical_bound)},
          {"bound", name_of(estimate.bound)},
          {"tier", name_of(estimate.tier)},
          {"extrapolated", estimate.extrapolated},
          {"stands_in", estimate.stands_in}};
}

}  // namespace warploom
