// One way to cut an attention call into tasks: the kernel that runs, its tile and how it takes the keys.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"

namespace warploom {

enum class AttentionKernel : std::uint8_t {
  FlashAttention2,
  FlashAttention3,
  FlashAttention4,
  FlashInfer,      // its own kernels on mma.sync; CUTLASS FMHA on data-centre Blackwell
  TensorRtLlm,     // fmha_v2 in prefill, XQA and masked multi-head attention in decode
  TensorRtLlmGen,  // its kernels for data-centre Blackwell
  Triton,
  FlashAttention3Sm80  // FlashAttention-3's code for sm80 and sm89, which SGLang takes
};
template <>
struct EnumNames<AttentionKernel> {
  static constexpr std::array<std::pair<AttentionKernel, std::string_view>, 8> kNames{
      {{AttentionKernel::FlashAttention2, "fa2"},
       {AttentionKernel::FlashAttention3, "fa3"},
       {AttentionKernel::FlashAttention4, "fa4"},
       {AttentionKernel::FlashInfer, "flashinfer"},
       {AttentionKernel::TensorRtLlm, "trtllm"},
       {AttentionKernel::TensorRtLlmGen, "trtllm_gen"},
       {AttentionKernel::Triton, "triton"},
       {AttentionKernel::FlashAttention3Sm80, "fa3_sm80"}}};
};

// How a decode kernel works through the cache.
enum class DecodeDesign : std::uint8_t {
  Tiled,      // products on the matrix unit, the query heads of a KV head together
  PerHead,    // generic kernel, a block per query head, no matrix unit (groups of 64, masked MHA)
  Unsplit,    // one block walks the whole cache of a KV head (fp8 cache of TensorRT-LLM on Ada)
  CudaCores,  // a light block per KV head without the matrix unit (FlashInfer below four heads a group)
};

struct AttentionTiling {
  AttentionKernel kernel = AttentionKernel::FlashAttention2;
  std::int64_t query_rows = 128;  // rows of a tile
  std::int64_t keys = 64;         // keys of one step
  std::int64_t width = 128;       // head size that the kernel is compiled for: key_dim or the next larger one
  bool packs_group = false;       // rows hold the query heads of a KV head together
  bool copies_group = false;      // ... which copies of queries and results around the kernel bring about
  bool longest_first = false;
  bool warp_specialised = false;  // loads, products and softmax in separate warps (sm90, sm100 designs)
  bool fp8_products = false;      // queries are quantised where the cache is fp8 and the kernel can
  double occupancy = 1;           // blocks that one SM holds
  // Decode.
  DecodeDesign design = DecodeDesign::Tiled;
  bool walks_window = false;  // keys before a window are passed over one step after the other
  bool splits_keys = false;   // long caches are cut among several tasks
  std::int64_t least_split_keys = 1, most_splits = 256;
};

}  // namespace warploom
