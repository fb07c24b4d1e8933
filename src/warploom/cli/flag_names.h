// How the command line calls the fields of requests: the one place that knows.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warploom {

// "max_num_seqs" -> "--max-num-seqs"
std::string option_name(std::string_view field_name);

// The same, but for the fields whose option has a name of its own: "families" -> "--family".
std::string flag_of(std::string_view field);

// The option of a command (`has` says which it has) that a field of its request stands behind; empty where
// none does. "LAYOUT" and "PATH" are arguments.
std::string known_flag(std::string_view field, const std::function<bool(const std::string& option)>& has);

// The spelling in which the line gave the field (`given` says so of an option): its short name, an engine's,
// or the usual one. Empty: it did not.
std::string given_flag(std::string_view field, const std::function<bool(const std::string& option)>& given);

// What app says of fields, in the words of a command: the name at the beginning ("few_shot_per: ...") and
// names in backticks become options, as the line has them (`given`) or else as the command knows them
// (`has`). All else stays, and so does an engine's field at the beginning, which each engine names otherwise.
std::string in_flags(std::string_view message, const std::function<bool(const std::string& option)>& has,
                     const std::function<bool(const std::string& option)>& given = {});

}  // namespace warploom
