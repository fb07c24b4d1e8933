// The arithmetic of an operator in one word, for tables of errors.
#pragma once

#include <string>

#include "warploom/kernels/operator.h"

namespace warploom {

// "bf16", "fp8_block", "bf16/kv_fp8" for attention whose cache differs; empty for collectives.
std::string data_type_label(const Operator& op);

}  // namespace warploom
