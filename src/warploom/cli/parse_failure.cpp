#include "warploom/cli/parse_failure.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "warploom/base/nearest_name.h"
#include "warploom/base/wrong_number.h"
#include "warploom/cli/missing_option.h"

namespace warploom {
namespace {

struct Innermost {
  const CLI::App* command;
  std::string name;  // with its parents, without the program
};

Innermost named_command(const CLI::App& app) {
  Innermost result{&app, ""};
  while (!result.command->get_subcommands().empty()) {
    result.command = result.command->get_subcommands().front();
    result.name += (result.name.empty() ? "" : " ") + result.command->get_name();
  }
  return result;
}

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What the words behind a command are called.
std::string_view kind_of_words(const CLI::App& command) {
  return command.get_name() == "predict" ? "operator" : "command";
}

std::string unexpected_text(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> subcommands = subcommands_of(command);
  if (word.rfind('-', 0) == 0) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} is no option of this command{}", name, did_you_mean(name, options_of(command)));
  }
  if (subcommands.size() == 1 && word == "list")
    return fmt::format("'{}' is no command, expected {} NAME (`warploom {}s` lists all)", word,
                       subcommands.front(), command.get_name());
  if (subcommands.size() == 1)
    return fmt::format("'{}' is no command, expected {} {}", word, subcommands.front(), word);
  if (!subcommands.empty())
    return fmt::format("'{}' is no {}{}", word, kind_of_words(command), did_you_mean(word, subcommands));
  if (command.get_name() == "gpus")
    return fmt::format("'{}' was not expected: `warploom gpu show {}` shows one", word, word);
  // A bare word where a model is meant: `simulate Llama-3.1-8B`.
  const std::vector<std::string> options = options_of(command);
  const bool takes_model = std::find(options.begin(), options.end(), "--model") != options.end();
  return fmt::format("'{}' was not expected{}", word,
                     takes_model ? ", a model is given as --model NAME" : "");
}

// CLI11 says "--k: 1 required TEXT missing" of an option at the end of the line, and "--k: At most 1 required
// but received 2" of one that stands there twice.
std::string missing_value_text(const CLI::App& command, const std::string& what) {
  const std::string name = what.substr(0, what.find(':'));
  for (const CLI::Option* option : command.get_options())
    if (option->check_name(name))
      return what.find("but received") != std::string::npos
                 ? fmt::format("{} is given more than once, expected one value", name)
                 : fmt::format("{} has no value", name);
  return what;
}

// CLI11 says "Could not convert: --batch = 1e11".
std::string conversion_text(const CLI::App& command, const std::string& what) {
  constexpr std::string_view kBefore = "Could not convert: ", kBetween = " = ";
  const std::size_t between = what.find(kBetween);
  if (!what.starts_with(kBefore) || between == std::string::npos) return what;
  const std::string name = what.substr(kBefore.size(), between - kBefore.size());
  const std::string value = what.substr(between + kBetween.size());
  for (const CLI::Option* option : command.get_options()) {
    if (!option->check_name(name)) continue;
    const std::string type = option->get_type_name();
    if (type == "INT" || type == "UINT" || type == "INTEGER")
      return fmt::format("{}: {}", name, wrong_integer_text(value));
    return fmt::format("{}: '{}' cannot be read, expected {}", name, value,
                       type == "FLOAT" || type == "NUMBER" ? "a number like 0.9 or 2e3" : type);
  }
  return what;
}

// All options that are required and missing; of what most lines need how it looks.
std::string required_text(const CLI::App& command, const std::string& what) {
  std::vector<std::string> missing;
  for (const CLI::Option* option : command.get_options())
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  if (missing.size() > 1) return fmt::format("{} are required", fmt::join(missing, ", "));
  const std::string gpu = missing_gpu_text();
  return gpu.starts_with(what) ? gpu : what;
}

}  // namespace

const CLI::App& innermost_command(const CLI::App& app) { return *named_command(app).command; }

std::string parse_failure_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto [command, name] = named_command(app);
  const std::vector<std::string> unexpected = app.remaining(true);
  std::string text = error.what();
  // A misspelt option is said before those that are missing: it may be one of them.
  const bool misspelt = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                        dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
                        dynamic_cast<const CLI::RequiresError*>(&error) != nullptr;
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) text = required_text(*command, text);
  if (!unexpected.empty() && (misspelt || !subcommands_of(*command).empty())) {
    text = unexpected_text(*command, unexpected.front());
  } else if (!subcommands_of(*command).empty()) {
    const std::string_view kind = kind_of_words(*command);
    text = fmt::format("{} {} is missing, expected one of: {}", kind == "operator" ? "an" : "a", kind,
                       fmt::join(subcommands_of(*command), ", "));
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    text = missing_value_text(*command, text);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) text = conversion_text(*command, text);
  const std::string place = name.empty() ? "" : name + ": ";
  return fmt::format("{}{} (see warploom {}--help)", place, text, name.empty() ? "" : name + " ");
}

}  // namespace warploom
