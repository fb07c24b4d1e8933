// How the command line calls the fields of requests: the one place that knows.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace warploom {

// "max_num_seqs" -> "--max-num-seqs", but for the fields whose option has a name of its own: "families" ->
// "--family".
std::string flag_of(std::string_view field);

// What app says of fields, in the words of `command`: the name at the beginning ("few_shot_per: ...") and
// names in backticks become options where the command has them; all else stays, and so does an engine's field
// at the beginning, which each engine names otherwise.
std::string in_flags(std::string_view message, const CLI::App& command);

}  // namespace warploom
