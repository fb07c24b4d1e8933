#include "warploom/serving/engines/eplb_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_or_text.h"

namespace warploom {
namespace {

void apply(ServingConfig& config, const Json& document, const std::string& where) {
  if (const auto count = document.find("num_redundant_experts"); count != document.end()) {
    if (!count->is_number_integer() || count->get<std::int64_t>() < 0)
      throw InvalidInput(fmt::format("{}: num_redundant_experts is {}, expected a whole number from 0 on",
                                     where, count->dump()));
    config.num_redundant_experts = count->get<std::int64_t>();
  }
  const auto policy = document.find("policy");
  if (policy != document.end() && *policy != "default")
    throw Unsupported(
        fmt::format("{}: policy {} is not modelled, expected \"default\"", where, policy->dump()));
}

}  // namespace

void apply_eplb_config(ServingConfig& config, std::string_view json, const std::string& where) {
  apply(config, json_object(json, where), where);
}

void apply_eplb_entry(ServingConfig& config, std::string_view key, std::string_view value,
                      const std::string& where) {
  apply(config, json_entry(key, value, where), where);
}

}  // namespace warploom
