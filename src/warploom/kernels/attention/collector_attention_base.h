// The structural time of warploom-collect's own attention kernels (collector/cuda/attention_*.cu), whose
// grids, tiles and splits are known exactly.
//
// What one step of a block takes was fitted to an H200 (decision 0026), in SM clocks; a sweep's offset and
// trees carry it to other GPUs.
#pragma once

#include "warploom/kernels/attention/attention_base.h"

namespace warploom {

// Blocks of 128 queries of a head, the last queries first, on one block per SM as each becomes free. Up to
// 4,096 blocks are dealt one by one, more count by their sum. Expects a checked view. O(blocks x log SMs),
// no allocation.
AttentionBase collector_prefill_base(const AttentionView& view, const GpuSpec& gpu);

// Blocks of a KV head's queries and a part of the cache, in waves; then a kernel that joins the parts.
// O(groups).
AttentionBase collector_decode_base(const AttentionView& view, const GpuSpec& gpu);

}  // namespace warploom
