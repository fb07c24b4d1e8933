// The "schema" and "version" notes of a hardware record.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/base/json.h"

namespace warploom {

// Throws InvalidInput when `document` is no object, says another schema or is damaged (base/sealed_json.h),
// Unsupported when its version is above `version`. The notes may be absent: a user's record need not carry
// them.
void check_record_version(const Json& document, std::string_view schema, std::int64_t version,
                          std::string_view where);

}  // namespace warploom
