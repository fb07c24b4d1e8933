// What a kernel context says about an implementation, as codes: names are read once per context, so that
// predicting compares no strings.
#pragma once

#include <cstdint>

#include "warploom/kernels/latency_model.h"

namespace warploom {

enum class Engine : std::uint8_t { Unknown, Sglang, TensorRtLlm, Vllm };

enum class AttentionLibrary : std::uint8_t {
  Unknown,
  FlashAttention,  // whichever version the GPU takes
  FlashAttention2,
  FlashAttention3,
  FlashAttention4,
  FlashInfer,
  TensorRtLlm,
  Triton
};

struct KernelHints {
  Engine engine = Engine::Unknown;
  AttentionLibrary attention = AttentionLibrary::Unknown;
  // The measured call also writes new keys and values into the cache.
  bool writes_cache = true;
  // A decode kernel, which may also serve prompts of a token.
  bool decode_kernel = false;
  // Experts of other ranks were measured as rows of this rank's first expert (rank_workload.h). No engine
  // does this: answers take it only when KernelContext::as_collected.
  bool clamps_remote_choices = false;
  friend bool operator==(const KernelHints&, const KernelHints&) = default;
};

// By the words of the measured data ("fa3", "vllm_flashinfer_trtllmprefill", "torch_flow", ...).
// O(length of the names), no allocation.
KernelHints kernel_hints(const KernelContext& context);

}  // namespace warploom
