#include "warploom/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

struct Completed {
  std::string path;                                                    // "predict gemm"; empty: the program
  std::vector<std::string> words;                                      // sub-commands, then options
  std::vector<std::pair<std::string, std::string>> commands, options;  // with a line of help
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void collect(const CLI::App& command, const std::string& path, std::vector<Completed>& all) {
  Completed here{.path = path, .words = {}, .commands = {}, .options = {}};
  const auto subs = command.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : subs) {
    here.words.push_back(sub->get_name());
    here.commands.emplace_back(sub->get_name(), first_line(sub->get_description()));
  }
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) {
      here.words.push_back("--" + name);
      here.options.emplace_back(name, first_line(option->get_description()));
    }
  all.push_back(std::move(here));
  for (const CLI::App* sub : subs) collect(*sub, path + (path.empty() ? "" : " ") + sub->get_name(), all);
}

// The longest row of leading words that is a command decides; a word behind an option that is no option is a
// file. No variable is called `path` or `words`, which are zsh's own.
std::string bash_script(const std::vector<Completed>& all, std::string_view name = "_warploom") {
  std::string cases;
  for (const Completed& each : all)
    cases += fmt::format("    '{}') known='{}' ;;\n", each.path, fmt::join(each.words, " "));
  return fmt::format(
      "{1}() {{\n  local here=${{COMP_WORDS[COMP_CWORD]}} asked='' known='' word\n"
      "  for word in \"${{COMP_WORDS[@]:1:$((COMP_CWORD-1))}}\"; do\n    case $word in -*) break ;; esac\n"
      "    asked=\"${{asked:+$asked }}$word\"\n  done\n  case \"$asked\" in\n{0}  esac\n"
      "  COMPREPLY=($(compgen -W \"$known\" -- \"$here\"))\n}}\n"
      "complete -o default -F {1} warploom\n",
      cases, name);
}

// The script of bash by zsh's own means, to be sourced or to be the file `_warploom` of a folder of
// functions: there it runs at the first completion, which it must answer too.
std::string zsh_script(const std::vector<Completed>& all) {
  return "#compdef warploom\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_script(all, "_warploom_words") +
         "[[ ${funcstack[1]} != _warploom ]] || _bash_complete -o default -F _warploom_words\n";
}

std::string fish_quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return "'" + safe + "'";
}

std::string fish_script(const std::vector<Completed>& all) {
  std::string text = "complete -c warploom -n __fish_use_subcommand -f\n";
  for (const Completed& each : all) {
    std::string condition = "__fish_use_subcommand";
    if (!each.path.empty())
      condition = fmt::format("__fish_seen_subcommand_from {}", each.path.substr(each.path.rfind(' ') + 1));
    for (const auto& [name, doc] : each.commands)
      text += fmt::format("complete -c warploom -n {} -f -a {} -d {}\n", fish_quoted(condition), name,
                          fish_quoted(doc));
    for (const auto& [name, doc] : each.options)
      text += fmt::format("complete -c warploom -n {} -l {} -d {}\n", fish_quoted(condition), name,
                          fish_quoted(doc));
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& program, std::string_view shell) {
  std::vector<Completed> all;
  collect(program, "", all);
  for (const char* word : {"help", "version", "completion", "man"}) all.front().words.emplace_back(word);
  if (shell == "bash") return bash_script(all);
  if (shell == "zsh") return zsh_script(all);
  if (shell == "fish") return fish_script(all);
  const std::vector<std::string> shells{"bash", "zsh", "fish"};
  throw NotFound(fmt::format("completion: '{}' is no shell that is known{}, expected one of: {}", shell,
                             did_you_mean(shell, shells), fmt::join(shells, ", ")));
}

}  // namespace warploom
