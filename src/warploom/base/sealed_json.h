// JSON files of figures that were measured or fitted, with a hash of themselves, which tells of damage.
#pragma once

#include "warploom/base/json.h"

namespace warploom {

// Writes the object with a last key "_hash", whole or not at all.
void write_sealed_json(const std::filesystem::path& path, const Json& document);
// Throws InvalidInput when the object has a "_hash" that is not that of its other keys and values; spaces and
// lines do not count. A file of a user's own has none.
void check_seal(const Json& document, std::string_view where);

}  // namespace warploom
