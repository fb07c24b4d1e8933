#include "warploom/cli/parse_failure.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

struct Innermost {
  const CLI::App* command;
  std::string name;  // with its parents, without the program
};

Innermost innermost_command(const CLI::App& app) {
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

std::string unexpected_text(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> subcommands = subcommands_of(command);
  if (word.rfind('-', 0) == 0) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("{} is no option of this command{}", name, did_you_mean(name, options_of(command)));
  }
  if (subcommands.empty()) return fmt::format("'{}' was not expected", word);
  return fmt::format("'{}' is no command{}", word, did_you_mean(word, subcommands));
}

}  // namespace

std::string parse_failure_text(const CLI::App& app, const CLI::ParseError& error) {
  const auto [command, name] = innermost_command(app);
  const std::vector<std::string> unexpected = app.remaining(true);
  std::string text = error.what();
  if (!unexpected.empty() &&
      (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || !subcommands_of(*command).empty())) {
    text = unexpected_text(*command, unexpected.front());
  } else if (!subcommands_of(*command).empty()) {
    text =
        fmt::format("a command is missing, expected one of: {}", fmt::join(subcommands_of(*command), ", "));
  }
  const std::string place = name.empty() ? "" : name + ": ";
  return fmt::format("{}{} (see warploom {}--help)", place, text, name.empty() ? "" : name + " ");
}

}  // namespace warploom
