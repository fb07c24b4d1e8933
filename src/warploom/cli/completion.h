// What shells need to complete a command line, from the same tree of commands that is parsed.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace warploom {

// A script for bash, zsh or fish. Throws NotFound on another shell.
std::string completion_script(const CLI::App& program, std::string_view shell);

}  // namespace warploom
