// Tile rules of the public attention kernels.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

enum class AttentionKernel {
  FlashAttention2,
  FlashAttention3,
  FlashAttention4,
  FlashInfer,
  TensorRtLlm,
  Triton
};
template <>
struct EnumNames<AttentionKernel> {
  static constexpr std::array<std::pair<AttentionKernel, std::string_view>, 6> kNames{
      {{AttentionKernel::FlashAttention2, "fa2"},
       {AttentionKernel::FlashAttention3, "fa3"},
       {AttentionKernel::FlashAttention4, "fa4"},
       {AttentionKernel::FlashInfer, "flashinfer"},
       {AttentionKernel::TensorRtLlm, "trtllm"},
       {AttentionKernel::Triton, "triton"}}};
};

// The kernel that a context names by the words of the measured data ("fa3", "vllm_flashinfer", "torch_flow",
// ...); where it names none, what engines ship for the GPU. O(length of the names).
AttentionKernel attention_kernel(const KernelContext& context, const GpuSpec& gpu);

struct AttentionTiling {
  AttentionKernel kernel = AttentionKernel::FlashAttention2;
  std::int64_t query_rows = 128;  // rows of a tile
  std::int64_t keys = 64;         // keys of one step
  bool packs_group = false;       // rows hold the query heads of a KV head together
  bool splits_keys = false;       // long caches are cut among several tasks (decode)
  bool longest_first = false;
  double occupancy = 1;  // blocks that one SM holds
};

AttentionTiling attention_tiling(const AttentionView& view, const GpuSpec& gpu, const KernelContext& context);

}  // namespace warploom
