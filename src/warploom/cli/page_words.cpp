#include "warploom/cli/page_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "warploom/answers/flat_request.h"
#include "warploom/answers/judge_process.h"
#include "warploom/answers/request_schema.h"
#include "warploom/app/serving/engine_start.h"
#include "warploom/app/serving/simulate_serving.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/cli/command_index.h"
#include "warploom/manifests/files/manifest_file.h"
#include "warploom/manifests/lines/engine_command.h"
#include "warploom/manifests/manifest_request.h"

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

bool is_judged(std::string_view name) {
  const auto& all = described_requests();
  return std::any_of(all.begin(), all.end(), [&](const DescribedRequest& request) {
    return request.name == name && request.table == nullptr;
  });
}

std::string command_line(const CommandIndex& index, std::string_view request, const Json& asked) {
  if (is_judged(request))
    return ask_judge({{"command_line", {{"request", request}, {"asked", asked}}}}, request)
        .get<std::string>();
  std::vector<std::string> words = command_words(index, request, asked);
  words.insert(words.begin(), "warploom");
  return shell_line(words);
}

Json engine_command_fields(std::string_view line) {
  if (line.size() > kLongestCommand)
    throw InvalidInput(fmt::format(
        "line: longer than {} characters, expected a command that starts an engine", kLongestCommand));
  if (looks_like_manifest(line)) return pasted_manifest(line);
  const EngineCommand command = parse_engine_command(line, ConfigFiles::Refused);
  Json asked = Json::object();
  if (!command.model.empty()) asked["model"] = command.model;
  if (!command.quantization.empty()) asked["quantization"] = command.quantization;
  asked.update(changed_fields(command.config));
  std::vector<std::string> ignored = command.ignored;
  for (const auto* more : {&command.approximated, &command.unknown})
    ignored.insert(ignored.end(), more->begin(), more->end());
  return {{"asked", std::move(asked)}, {"ignored", ignored}};
}

Json start_command_fields(const Json& asked) {
  SimulateRequest request;
  const FieldTable& table = fields_of<SimulateRequest>();
  read_fields(nested_request(asked, table, "simulate"), table, &request, "simulate");
  if (request.disaggregation)
    throw Unsupported("disaggregation: each pool has a start of its own, expected setup alone");
  const EngineStart start = engine_start(request.setup, "engine_options.yaml");
  return {{"command", shell_line(start.words)},
          {"options", start.options.empty() ? Json(nullptr) : parse_json(start.options, "options")}};
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
