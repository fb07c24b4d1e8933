// The JSON schema (draft 2020-12) of what read_fields takes.
#pragma once

#include "warploom/base/json.h"

namespace warploom {

// An object with a property for each field: type, description, range, choices, default, and under words of
// our own "unit", "group" (the field's topic) and "owners". `defaults` is an object of the table's type. No
// "$schema" at the top, so that it can stand inside another.
Json json_schema(const FieldTable& table, const void* defaults);

}  // namespace warploom
