#include "warploom/serving/engines/additional_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_or_text.h"

namespace warploom {
namespace {

constexpr std::string_view kBackend = "gdn_prefill_backend";

void apply(ServingConfig& config, const Json& document, const std::string& where) {
  const auto backend = document.find(kBackend);
  if (backend == document.end()) return;
  if (!backend->is_string())
    throw InvalidInput(fmt::format("{}: {} is {}, expected a name", where, kBackend, backend->dump()));
  auto& name = config.gdn_prefill_backend = backend->get<std::string>();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
}

}  // namespace

void apply_additional_config(ServingConfig& config, std::string_view json, const std::string& where) {
  apply(config, json_object(json, where), where);
}

void apply_additional_entry(ServingConfig& config, std::string_view key, std::string_view value,
                            const std::string& where) {
  apply(config, json_entry(key, value, where), where);
}

}  // namespace warploom
