#include "warploom/cli/flag_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {
namespace {

// Lists are given one by one, and some options are older than their field.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> kOwnNames{
    {{"families", "--family"},
     {"gpus", "--gpu"},
     {"node_gpus", "--gpus"},
     {"gpu_names", "--gpus"},
     {"supported_models", "--model"},
     {"supported_gpus", "--gpu"},
     {"supported_engines", "--engine"},
     {"time_limit_s", "--time-limit"},
     {"tensor_parallel_sizes", "--tp"},
     {"pipeline_parallel_sizes", "--pp"},
     {"data_parallel_sizes", "--dp"},
     {"exclude_gpus", "--exclude-gpu"},
     {"schemes", "--scheme"},
     {"baselines", "--baseline"},
     {"baseline_exclude_gpus", "--baseline-exclude-gpu"},
     {"with_baselines", "--baselines"},
     {"input_tokens", "--input"},
     {"output_tokens", "--output"},
     {"default_config", "--default"},
     {"user_think_time_s", "--user-think-time"},
     {"perfetto", "--perfetto"},
     {"traced_steps", "--perfetto-steps"},
     {"trace_from_s", "--perfetto-from"},
     {"layout", "LAYOUT"},
     {"paths", "PATH"}}};

// Options of setup_options.h beside the usual ones.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kShortNames{
    {{"tensor_parallel_size", "--tp"}, {"pipeline_parallel_size", "--pp"}, {"data_parallel_size", "--dp"}}};

bool is_name(char c) {
  const auto letter = static_cast<unsigned char>(c);
  return std::islower(letter) != 0 || std::isdigit(letter) != 0 || c == '_';
}

// Each engine has names of its own for these.
bool is_engine_field(std::string_view name) {
  const std::vector<Field>& fields = fields_of<ServingConfig>().fields;
  return std::any_of(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
}

using HasOption = std::function<bool(const std::string& option)>;

}  // namespace

std::string option_name(std::string_view field_name) {
  std::string name = "--" + std::string(field_name);
  std::replace(name.begin() + 2, name.end(), '_', '-');
  return name;
}

std::string flag_of(std::string_view field) {
  const auto own = std::find_if(kOwnNames.begin(), kOwnNames.end(), [&](const auto& entry) {
    return entry.first == field && entry.second.starts_with("--");
  });
  return own == kOwnNames.end() ? option_name(field) : std::string(own->second);
}

std::string known_flag(std::string_view field, const HasOption& has) {
  if (field.empty()) return "";
  for (const auto& [name, flag] : kOwnNames)
    if (name == field && has(std::string(flag))) return std::string(flag);
  const std::string usual = option_name(field);
  return has(usual) ? usual : "";
}

std::string given_flag(std::string_view field, const HasOption& given) {
  if (!given || field.empty()) return "";
  std::vector<std::string> spellings;
  for (const auto& [name, flag] : kShortNames)
    if (name == field) spellings.emplace_back(flag);
  for (const EngineSpec* engine : all_engines())
    for (const EngineFlag& flag : engine->flags)
      if (flag.field == field) spellings.push_back(option_name(flag.flag));
  spellings.push_back(option_name(field));
  const auto found = std::find_if(spellings.begin(), spellings.end(), given);
  return found == spellings.end() ? "" : *found;
}

namespace {

// Without the field's name behind its option's, "--price-kind: 'price_kind': ...", which readers of JSON add.
std::string named_once(std::string_view message) {
  constexpr std::string_view kBetween = ": '", kBehind = "': ";
  const std::size_t option = message.find(kBetween);
  if (!message.starts_with("--") || option == message.npos) return std::string(message);
  const std::size_t name = option + kBetween.size(), end = message.find(kBehind, name);
  if (end == message.npos || option_name(message.substr(name, end - name)) != message.substr(0, option))
    return std::string(message);
  return fmt::format("{}: {}", message.substr(0, option), message.substr(end + kBehind.size()));
}

}  // namespace

std::string in_flags(std::string_view message, const HasOption& has, const HasOption& given) {
  const auto flag_for = [&](std::string_view field) {
    const std::string typed = given_flag(field, given);
    return typed.empty() ? known_flag(field, has) : typed;
  };
  const std::string once = named_once(message);
  message = once;
  std::string text;
  const auto end = std::find_if_not(message.begin(), message.end(), is_name);
  const std::string_view first = message.substr(0, std::size_t(end - message.begin()));
  const std::string_view rest = message.substr(first.size());
  if (!is_engine_field(first) &&
      (rest.starts_with(": ") || rest.starts_with(" is ") || rest.starts_with(" changes nothing"))) {
    const std::string flag = flag_for(first);
    text = flag.empty() ? std::string(first) : flag;
    message = rest;
  }
  while (!message.empty()) {
    const std::size_t open = message.find('`');
    const std::size_t close = open == message.npos ? open : message.find('`', open + 1);
    if (close == message.npos) break;
    const std::string flag = flag_for(message.substr(open + 1, close - open - 1));
    text += message.substr(0, open);
    text += flag.empty() ? message.substr(open, close - open + 1) : std::string_view(flag);
    message.remove_prefix(close + 1);
  }
  return text.append(message);
}

}  // namespace warploom
