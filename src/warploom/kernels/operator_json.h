// Operators as JSON: {"family": "gemm", "m": 16, ...}, keys as in operator_fields(family).
#pragma once

#include <string_view>

#include "warploom/base/json.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// Throws InvalidInput on a missing or unknown family, an unknown key, a value out of range, or an operator
// that check_operator refuses. Keys that are absent keep their defaults.
Operator operator_from_json(const Json& document, std::string_view where);

// The inverse: operator_from_json(operator_to_json(op)) equals op.
Json operator_to_json(const Operator& op);

}  // namespace warploom
