// GPU records of version 1, which did not say what kind of part the GPU is.
#pragma once

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom {

// Fills the kinds (class, memory, matrix instruction, design of the SM, process, largest part, link) that
// `document` lacks from its generation and compute capability. A record that says version 2 or later must
// carry class, memory_kind, matrix_instruction and sm_design itself: throws InvalidInput naming the key.
void complete_old_record(GpuSpec& gpu, const Json& document, std::string_view where);

}  // namespace warploom
