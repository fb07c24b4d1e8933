#include "warploom/cli/page_words.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/cli/command_index.h"
#include "warploom/cli/engine_command.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {
namespace {

constexpr std::size_t kLongestCommand = 20'000;  // characters of a start command that a page may send

// Only what differs from the engine's defaults.
Json changed_fields(const ServingConfig& config) {
  const ServingConfig defaults;
  Json fields = Json::object();
  const Json all = write_fields(fields_of<ServingConfig>(), &config);
  const Json usual = write_fields(fields_of<ServingConfig>(), &defaults);
  for (const auto& [name, value] : all.items())
    if (name == "engine" || (!value.is_object() && (!usual.contains(name) || usual[name] != value)))
      fields[name] = value;
  return fields;
}

std::string command_line(const CommandIndex& index, std::string_view request, const Json& asked) {
  std::vector<std::string> words = command_words(index, request, asked);
  words.insert(words.begin(), "warploom");
  return shell_line(words);
}

Json engine_command_fields(std::string_view line) {
  if (line.size() > kLongestCommand)
    throw InvalidInput(fmt::format(
        "line: longer than {} characters, expected a command that starts an engine", kLongestCommand));
  const EngineCommand command = parse_engine_command(line, ConfigFiles::Refused);
  Json asked = Json::object();
  if (!command.model.empty()) asked["model"] = command.model;
  if (!command.quantization.empty()) asked["quantization"] = command.quantization;
  asked.update(changed_fields(command.config));
  return {{"asked", std::move(asked)}, {"ignored", command.ignored}};
}

// Keys with dots as objects inside objects; JSON is YAML too.
Json options_of(const StartCommand& command) {
  if (command.file.empty()) return nullptr;
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
  return options;
}

Json start_command_fields(const Json& asked) {
  SimulateRequest request;
  const FieldTable& table = fields_of<SimulateRequest>();
  read_fields(nested_request(asked, table, "simulate"), table, &request, "simulate");
  if (request.disaggregation)
    throw Unsupported("disaggregation: each pool has a start of its own, expected setup alone");
  const ServingConfig& config = request.setup.config;
  const StartCommand command = start_command(config, request.setup.model, request.setup.quantization);
  std::vector<std::string> words = command.words;
  if (!command.file.empty())
    words.insert(words.end(), {options_flag(engine_named(config.engine)), "engine_options.yaml"});
  return {{"command", shell_line(words)}, {"options", options_of(command)}};
}

}  // namespace

CommandWords page_words() {
  const auto index = std::make_shared<const CommandIndex>();
  return {.command_line = [index](std::string_view request,
                                  const Json& asked) { return command_line(*index, request, asked); },
          .engine_command = engine_command_fields,
          .start_command = start_command_fields};
}

}  // namespace warploom
