#include "warploom/cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "warploom/cli/options.h"

namespace warploom {
namespace {

constexpr std::array kGroupOrder{kOperatorGroup, kModelGroup,       kSpaceGroup,    kWorkloadGroup,
                                 kParallelGroup, kPoolGroup,        kFleetGroup,    kEngineGroup,
                                 kMemoryGroup,   kSpeculationGroup, kOwnNamesGroup, kHostGroup,
                                 kGeneralGroup,  kServerGroup,      kOutputGroup};

constexpr std::size_t kLineWidth = 110;
constexpr std::size_t kNameWidth = 36;  // of the column of names, with its indent

// Options whose value is text of a kind of its own; all others take a name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 55> kValueNames{{
    {"--check", "FILE"},
    {"--prices", "FILE"},
    {"--svg", "FILE"},
    {"--model", "NAME|FILE"},
    {"--gpu", "NAME|FILE"},
    {"--prefill-gpu", "NAME|FILE"},
    {"--decode-gpu", "NAME|FILE"},
    {"--predictor", "FOLDER"},
    {"--ceilings", "FOLDER"},
    {"--package", "FOLDER"},
    {"--engine-version", "VERSION"},
    {"--framework-version", "VERSION"},
    {"--from-command", "'COMMAND'"},
    {"--manifest", "FILE"},
    {"--prefill-command", "'COMMAND'"},
    {"--decode-command", "'COMMAND'"},
    {"--speculative-config", "JSON"},
    {"--speculative-draft-model-path", "NAME|FILE"},
    {"--vision-encoder", "JSON|FILE"},
    {"--image-size", "WxH[xFRAMES]"},
    {"--goodput", "LIMIT:MS,..."},
    {"--fail-at", "WHEN"},
    {"--prefill", "BxL"},
    {"--decode", "BxL"},
    {"--requests", "GROUP,..."},
    {"--trace", "FILE"},
    {"--aiperf", "FILE"},
    {"--perfetto", "FILE"},
    {"--tuned", "FILE"},
    {"--html", "FILE"},
    {"--rooflines", "FILE"},
    {"--token-file", "FILE"},
    {"--token", "TEXT"},
    {"--address", "ADDRESS"},
    {"--table", "FILE"},
    {"--from-table", "FILE"},
    {"--store", "FILE"},
    {"--data", "PATH"},
    {"--baseline-data", "PATH"},
    {"--samples", "FILE"},
    {"--oracle", "FILE"},
    {"--seen", "FILE"},
    {"PATH", "PATH"},
    {"--anchors", "FILE"},
    {"--shapes", "FILE"},
    {"--sets", "FILE"},
    {"--output", "PATH"},
    {"--record", "FILE"},
    {"--write", "FILE"},
    {"--truth", "FILE"},
    {"--run", "FILE"},
    {"--apart-from", "FILE"},
    {"--gains", "FILE"},
    {"--near-best", "FILE"},
    {"--few-shot", "GPU:N"},
}};

// "INT:POSITIVE" -> "INTEGER"; "" for a switch.
std::string value_text(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  const std::string plain = type.substr(0, type.find(':'));
  const std::string lists = option.get_expected_max() > 1 ? " ..." : "";
  if (plain == "INT" || plain == "UINT") return "INTEGER" + lists;
  if (plain == "FLOAT") return "NUMBER" + lists;
  if (plain != "TEXT") return type + lists;
  const std::vector<std::string>& names = option.get_lnames();
  return value_name(names.empty() ? std::string() : "--" + names.front()) + lists;
}

std::string names_text(const CLI::Option& option, bool positional) {
  if (positional) return option.get_name(true);
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())  // the spellings with underscores go without saying
    if (name.find('_') == std::string::npos) names.push_back("--" + name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// What CLI11 writes for an empty string, list or optional is no default worth showing.
std::string default_text(const CLI::Option& option) {
  const std::string& text = option.get_default_str();
  const bool shown = !text.empty() && text != "[]" && text != "{}" && text != "\"\"" && text != "false" &&
                     option.get_expected_max() > 0 && !option.get_required();
  return shown ? fmt::format("{}default {}", option.get_description().empty() ? "" : "; ", text) : "";
}

// `text` in lines that fit beside the column of names.
std::string column(const std::string& name, const std::string& text) {
  std::string line = "  " + name, all;
  if (line.size() + 2 > kNameWidth) {
    all = line + "\n";
    line.clear();
  }
  line.resize(kNameWidth, ' ');
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    if (line.size() + end - begin + 1 > kLineWidth && line.size() > kNameWidth) {
      all += line + "\n";
      line.assign(kNameWidth, ' ');
    }
    if (line.size() > kNameWidth) line += ' ';
    line += text.substr(begin, end - begin);
    begin = end + 1;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return all + line + "\n";
}

// The options that help shows, under their headings.
std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> by_group(const CLI::App& app) {
  std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> groups;
  const bool output =
      !app.get_options([](const CLI::Option* option) { return option->get_group() == kOutputGroup; }).empty();
  for (const CLI::Option* option : app.get_options()) {
    const bool help = option == app.get_help_ptr();
    const std::string group = help ? std::string(output ? kOutputGroup : kGeneralGroup) : option->get_group();
    if (group.empty() || !option->nonpositional()) continue;
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == group; });
    if (at == groups.end()) at = groups.insert(groups.end(), {group, {}});
    at->second.push_back(option);
  }
  const auto place = [](const std::string& group) {
    return std::find(kGroupOrder.begin(), kGroupOrder.end(), group) - kGroupOrder.begin();
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
  return groups;
}

OptionWords words_of_option(const CLI::Option& option, bool positional) {
  return {.names = names_text(option, positional),
          .value = positional ? std::string() : value_text(option),
          .text = option.get_description() + default_text(option) +
                  (option.get_required() && !positional ? " (required)" : "")};
}

class HelpForm : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = app->get_description() + "\n\nUsage: " + usage_of(*app, name) + "\n";
    if (!app->get_footer().empty()) text += "\nExamples:\n" + app->get_footer();
    return text + positionals(*app) + make_subcommands(app, mode) + groups(*app);
  }

  std::string make_option(const CLI::Option* option, bool positional) const override {
    const OptionWords words = words_of_option(*option, positional);
    return column(words.names + (words.value.empty() ? "" : " ") + words.value, words.text);
  }

  std::string make_subcommand(const CLI::App* sub) const override {
    return column(sub->get_display_name(true), sub->get_description());
  }

 private:
  std::string groups(const CLI::App& app) const {
    std::string text;
    for (const auto& [group, options] : by_group(app)) {
      text += "\n" + group + ":\n";
      for (const CLI::Option* option : options) text += make_option(option, false);
    }
    return text;
  }

  std::string positionals(const CLI::App& app) const {
    std::string text;
    for (const CLI::Option* option : app.get_options())
      if (option->get_positional()) text += make_option(option, true);
    return text.empty() ? text : "\n" + text;
  }
};

}  // namespace

void use_help_form(CLI::App& app) {
  app.formatter(std::make_shared<HelpForm>());
  app.option_defaults()->always_capture_default();
}

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  command.footer(fmt::format("  {}\n", fmt::join(lines, "\n  ")));
}

OptionGroup::OptionGroup(Command& command, std::string_view group)
    : command_(command), previous_(command.set_default_group(std::string(group))) {}

OptionGroup::~OptionGroup() { command_.set_default_group(previous_); }

std::string usage_of(const CLI::App& command, const std::string& name) {
  std::string text = name;
  for (const CLI::Option* option : command.get_options()) {
    const bool required = option->get_required();
    if (option->get_positional()) {
      text += required ? " " + option->get_name(true) : " [" + option->get_name(true) + "]";
    } else if (required) {
      text += fmt::format(" {} {}", names_text(*option, false), value_text(*option));
    }
  }
  const bool commands = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  return text + (commands ? " COMMAND" : "") + " [options]";
}

std::vector<HelpGroup> help_groups(const CLI::App& command) {
  std::vector<HelpGroup> groups;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (groups.empty()) groups.push_back({});
    groups.back().options.push_back(words_of_option(*option, true));
  }
  for (const auto& [heading, options] : by_group(command)) {
    groups.push_back({.heading = heading, .options = {}});
    for (const CLI::Option* option : options)
      groups.back().options.push_back(words_of_option(*option, false));
  }
  return groups;
}

std::string value_name(std::string_view option) {
  const auto known = std::find_if(kValueNames.begin(), kValueNames.end(),
                                  [&](const auto& entry) { return entry.first == option; });
  return std::string(known == kValueNames.end() ? "NAME" : known->second);
}

}  // namespace warploom
