// Values of fields as people write them: on a command line, in the flags of an engine.
#pragma once

#include <string_view>

#include "warploom/base/fields.h"

namespace warploom {

// The value that `text` spells for `field`; throws InvalidInput that starts with `where`. Lists are comma
// separated.
FieldValue field_value_from_text(const Field& field, std::string_view text, std::string_view where);

}  // namespace warploom
