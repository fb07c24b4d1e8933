// The words of this command line, for the page: which command asks the same, and what an engine's command
// asks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/web/command_words.h"

namespace warploom {

class CommandIndex;

CommandWords page_words();

// The words of the command that asks what answers/answer.h is asked, without "warploom" and --json. Fields
// that bear on no answer of that command are left out. Throws NotFound on a request without a command,
// InvalidInput on fields that are none and on those that no option has.
std::vector<std::string> command_words(const CommandIndex& index, std::string_view request,
                                       const Json& asked);

}  // namespace warploom
