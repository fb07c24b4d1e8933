#include "warploom/app/serving/engine_start.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {
namespace {

// Keys with dots as objects inside objects; JSON is YAML too.
std::string options_of(const StartCommand& command) {
  if (command.file.empty()) return {};
  Json options = Json::object();
  for (const auto& [key, value] : command.file) {
    Json* inner = &options;
    std::string_view rest = key;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      inner = &(*inner)[std::string(rest.substr(0, dot))];
      rest.remove_prefix(dot + 1);
    }
    const Json read = Json::parse(value, nullptr, false);
    (*inner)[std::string(rest)] = read.is_discarded() ? Json(value) : read;
  }
  return options.dump();
}

}  // namespace

EngineStart engine_start(const ServingSetupRequest& setup, const std::string& options_name) {
  const StartCommand command = start_command(setup.config, setup.model, setup.quantization);
  EngineStart start{.words = command.words, .options = options_of(command)};
  if (!command.file.empty())
    start.words.insert(start.words.end(), {options_flag(engine_named(setup.config.engine)), options_name});
  return start;
}

}  // namespace warploom
