// A runtime table in the formats that engines and tuners load.
#pragma once

#include <span>
#include <string>

#include "warploom/base/json.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

// fused_moe JSON of vLLM and SGLang: {"<tokens>": {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",
// "GROUP_SIZE_M", "num_warps", "num_stages"}} on the usual ladder of tokens, for one expert layer (n, k). The
// table must be of a grouped GEMM; a key's pairs are tokens x top_k. Throws InvalidInput otherwise.
Json fused_moe_json(const RuntimeTable& table, std::int64_t n, std::int64_t k);
// The file name that the engines look for: "E=16,N=4096,device_name=NVIDIA_H200.json". vLLM's N is half of
// the first GEMM's n, the width after the gated activation.
std::string fused_moe_file_name(const RuntimeTable& table, std::int64_t n);

// Kernel Tuner's T4 results: {"schema_version", "metadata", "results": [{"configuration", "objectives",
// "measurements": [{"name", "value", "unit"}], ...}]}: the best `count` configurations of each shape,
// predicted.
Json kernel_tuner_json(const RuntimeTable& table, std::span<const TileShape> shapes, std::size_t count);

}  // namespace warploom
