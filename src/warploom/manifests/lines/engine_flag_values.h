// What the flags of an engine's own stand for among the fields of a ServingConfig.
#pragma once

#include <string>
#include <string_view>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/json.h"

namespace warploom {

// The flag of that name (underscores) that the engine has; nullptr: none.
const EngineFlag* find_flag(std::string_view engine, std::string_view flag);

// The value of the flag's field, checked. Throws InvalidInput on a bad one, in a message that starts with
// `where`.
FieldValue flag_value(const EngineFlag& flag, const std::string& text, const std::string& where);

// Sets the field that `flag` (underscores) of the config's engine stands for. False when the engine has no
// such flag. Throws as flag_value.
bool apply_engine_flag(ServingConfig& config, std::string_view flag, const std::string& text,
                       const std::string& where);

// The engine that fields of a ServingConfig name, or the one that is meant where they name none.
std::string engine_in(const Json& config);

}  // namespace warploom
