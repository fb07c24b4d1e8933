// What is said about a command line that cannot be parsed.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warploom {

// The command that was named, or the deepest of them.
const CLI::App& innermost_command(const CLI::App& app);

// One line: the command, what is wrong with it, and the nearest name where a name is unknown. `app` is the
// program after the failed parse.
std::string parse_failure_text(const CLI::App& app, const CLI::ParseError& error);

}  // namespace warploom
