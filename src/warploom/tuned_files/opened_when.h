// When an engine runs the Triton kernel that reads a file, by the order in which the release tries its
// kernels.
#pragma once

#include <cstdint>
#include <string>

#include "warploom/kernels/operator.h"
#include "warploom/tuned_files/file_look_up.h"

namespace warploom {

// `routed`: experts of the model; those of `experts` beyond them are shared ones.
std::string experts_opened(const FileLookUp& asked, const FusedMoe& experts, std::int64_t routed);
std::string product_opened(const FileLookUp& asked);

}  // namespace warploom
