#include "warploom/serving/engines/compilation_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_or_text.h"

namespace warploom {
namespace {

std::int64_t capture_size(const Json& value, const std::string& where, std::string_view key) {
  if (value.is_number_integer() && value.get<std::int64_t>() >= 1) return value.get<std::int64_t>();
  throw InvalidInput(
      fmt::format("{}: {} holds {}, expected whole numbers above 0", where, key, value.dump()));
}

void apply(ServingConfig& config, const Json& document, const std::string& where) {
  if (const auto mode = document.find("cudagraph_mode"); mode != document.end()) {
    if (!mode->is_string())
      throw InvalidInput(fmt::format("{}: cudagraph_mode is {}, expected a name", where, mode->dump()));
    config.cudagraph_mode = mode->get<std::string>();
  }
  if (const auto sizes = document.find("cudagraph_capture_sizes"); sizes != document.end()) {
    if (!sizes->is_array() || sizes->empty())
      throw InvalidInput(
          fmt::format("{}: cudagraph_capture_sizes is {}, expected a list of sizes", where, sizes->dump()));
    config.cudagraph_capture_sizes.clear();
    for (const Json& size : *sizes)
      config.cudagraph_capture_sizes.push_back(capture_size(size, where, "cudagraph_capture_sizes"));
  }
  if (const auto size = document.find("max_cudagraph_capture_size"); size != document.end())
    config.max_cudagraph_capture_size = capture_size(*size, where, "max_cudagraph_capture_size");
}

}  // namespace

void apply_compilation_config(ServingConfig& config, std::string_view json, const std::string& where) {
  apply(config, json_object(json, where), where);
}

void apply_compilation_entry(ServingConfig& config, std::string_view key, std::string_view value,
                             const std::string& where) {
  apply(config, json_entry(key, value, where), where);
}

}  // namespace warploom
