#include "warploom/cli/man_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "warploom/cli/help.h"

namespace warploom {
namespace {

// Dashes stay dashes, so that lines can be copied; a line must not begin as an instruction does.
std::string man_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe;
}

// As the one word of an instruction.
std::string man_heading(std::string_view text) {
  std::string safe = "\"";
  for (const char c : man_text(text)) safe += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return safe + "\"";
}

std::string man_lines(const std::string& lines) {
  return lines.empty() ? lines
                       : ".PP\n.nf\n" + man_text(lines) + (lines.back() == '\n' ? "" : "\n") + ".fi\n";
}

std::vector<const CLI::App*> commands_below(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::string man_options(const CLI::App& command) {
  std::string text;
  for (const HelpGroup& group : help_groups(command)) {
    if (!group.heading.empty()) text += fmt::format(".PP\n\\fI{}\\fR\n", man_text(group.heading));
    for (const OptionWords& option : group.options)
      text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", man_text(option.names),
                          option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", man_text(option.value)),
                          man_text(option.text));
  }
  return text;
}

std::string man_command(const CLI::App& command, const std::string& words) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n\\fB{}\\fR\n", man_heading(words),
                                 man_text(command.get_description()), man_text(usage_of(command, words)));
  if (!command.get_footer().empty()) text += ".PP\n" + man_lines(command.get_footer());
  text += man_options(command);
  for (const CLI::App* sub : commands_below(command))
    text += man_command(*sub, words + " " + sub->get_name());
  return text;
}

// The list of commands under their headings, as the program's own help has it.
std::string man_overview(const CLI::App& program) {
  std::string text, heading;
  for (const CLI::App* command : commands_below(program)) {
    if (command->get_group() != heading)
      text += fmt::format(".PP\n\\fI{}\\fR\n", man_text(heading = command->get_group()));
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", man_text(command->get_name()),
                        man_text(command->get_description()));
  }
  return text;
}

constexpr std::string_view kMore = R"(.SH COMPLETION
\fBwarploom completion bash\fR (or zsh, fish) prints a script for the shell,
\fBwarploom man\fR this page.
.SH EXIT STATUS
.TP
0
Done.
.TP
1
Failed.
.TP
2
Bad input: one line says what was expected.
.TP
130
Interrupted.
)";

}  // namespace

std::string man_page(const CLI::App& program, const std::string& version) {
  std::string text = fmt::format(
      ".TH WARPLOOM 1 \"\" {} Warploom\n.SH NAME\nwarploom \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR\n"
      ".SH DESCRIPTION\nEvery command takes \\fB\\-\\-json\\fR and then prints one document.\n",
      man_heading("warploom " + version), man_text(program.get_description()),
      man_text(usage_of(program, program.get_name())));
  text += man_overview(program) + man_options(program) + ".SH EXAMPLES\n" + man_lines(program.get_footer()) +
          ".SH COMMANDS\n";
  for (const CLI::App* command : commands_below(program))
    text += man_command(*command, program.get_name() + " " + command->get_name());
  return text + std::string(kMore);
}

}  // namespace warploom
