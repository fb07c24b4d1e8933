// What the page says in the words of a command line. The module that knows the flags gives it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

struct CommandWords {
  // A line for a POSIX shell that asks the same. Throws NotFound on a request without a command,
  // InvalidInput.
  std::function<std::string(std::string_view request, const Json& asked)> command_line;
  // The fields of `simulate` that an engine's start command says, and its flags that bear on no time:
  // {"asked": {...}, "ignored": [...]}. Reads no file. Throws InvalidInput, Unsupported.
  std::function<Json(std::string_view line)> engine_command;
  // What starts the engine that fields of `simulate` describe: {"command": a line for a POSIX shell,
  // "options": what its file of options must hold, null where it needs none}. Throws InvalidInput,
  // Unsupported.
  std::function<Json(const Json& asked)> start_command;
};

}  // namespace warploom
