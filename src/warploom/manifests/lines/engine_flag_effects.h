// What flags of engines that are no fields of ServingConfig do to the times of a run.
// Data: data/engines/flags.json.
#pragma once

#include <string_view>

namespace warploom {

// None: a switch that says nothing of how long steps take. NoneWithValue and NoneWithValues: the same of a
// flag with one value and with all words up to the next flag. Approximated: the engine's own, it says how a
// part of a step is run; what the engine does without it is simulated. NotModelled: the engine's own, it
// changes times or memory in a way that is not modelled.
enum class FlagEffect { Unknown, None, NoneWithValue, NoneWithValues, Approximated, NotModelled };

// The long name of another spelling of the engine's, as "speculative_config" of "sc"; else `name` itself.
std::string_view long_name_of_flag(std::string_view engine, std::string_view name);

// `name` as a field's, "served_model_name"; of a switch also with "no_" before it.
FlagEffect effect_of_flag(std::string_view engine, std::string_view name);

// Whether a flag that is not modelled does nothing at this value, as most do at their defaults.
bool does_nothing_at(std::string_view engine, std::string_view name, std::string_view value);

}  // namespace warploom
