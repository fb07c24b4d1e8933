// What flags of engines that are no fields of ServingConfig do to the times of a run.
// Data: data/engines/flags.json.
#pragma once

#include <string_view>

namespace warploom {

// None: a switch that says nothing of how long steps take. NoneWithValue: the same of a flag with a value.
// NotModelled: the engine's own, it changes times or memory in a way that is not modelled.
enum class FlagEffect { Unknown, None, NoneWithValue, NotModelled };

// The long name of another spelling of the engine's, as "speculative_config" of "sc"; else `name` itself.
std::string_view long_name_of_flag(std::string_view engine, std::string_view name);

// `name` as a field's, "served_model_name"; of a switch also with "no_" before it.
FlagEffect effect_of_flag(std::string_view engine, std::string_view name);

}  // namespace warploom
