#include "warploom/cli/command_index.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/cli/program.h"

namespace warploom {
namespace {

std::string with_underscores(std::string text) {
  for (char& c : text)
    if (c == '-' || c == ' ') c = '_';
  return text;
}

// Whether a command below `app` has this name; its words are added.
const CLI::App* find_command(const CLI::App& app, std::string_view rest, std::vector<std::string>& words) {
  if (rest.empty()) return &app;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = with_underscores(sub->get_name());
    if (!rest.starts_with(name)) continue;
    std::string_view behind = rest.substr(name.size());
    if (!behind.empty() && behind.front() != '_') continue;
    behind.remove_prefix(std::min<std::size_t>(1, behind.size()));
    words.push_back(sub->get_name());
    if (const CLI::App* found = find_command(*sub, behind, words)) return found;
    words.pop_back();
  }
  return nullptr;
}

}  // namespace

bool IndexedCommand::has(const std::string& option) const {
  return app_.get_option_no_throw(option) != nullptr;
}

bool IndexedCommand::takes_words(const std::string& option) const {
  const CLI::Option* known = app_.get_option_no_throw(option);
  return known != nullptr && known->get_expected_max() > 1;
}

CommandIndex::CommandIndex() : program_(make_program("")) {}
CommandIndex::~CommandIndex() = default;

IndexedCommand CommandIndex::command(std::string_view words) const {
  std::vector<std::string> found;
  const CLI::App* app = find_command(*program_, with_underscores(std::string(words)), found);
  if (app == nullptr || found.empty()) throw NotFound(fmt::format("request: no command asks '{}'", words));
  return {*app, found};
}

}  // namespace warploom
