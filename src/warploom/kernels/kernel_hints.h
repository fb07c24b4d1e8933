// What a kernel context says about an implementation, as codes: names are read once per context, so that
// predicting compares no strings.
#pragma once

#include <cstdint>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {

// The engines whose kernels were measured. What else an engine does stands in serving/engines.
enum class Engine : std::uint8_t { Unknown, Sglang, TensorRtLlm, Vllm };
// Names of frameworks in the measured data; the one whose kernels stand for any engine's comes first.
template <>
struct EnumNames<Engine> {
  static constexpr std::array<std::pair<Engine, std::string_view>, 3> kNames{
      {{Engine::Vllm, "vllm"}, {Engine::Sglang, "sglang"}, {Engine::TensorRtLlm, "trtllm"}}};
};

// Whether the framework of a measured kernel is an engine, rather than a library or a benchmark.
constexpr bool is_engine(std::string_view framework) { return enum_from_name<Engine>(framework).has_value(); }

// How far an engine's kernels speak for those of any engine: more is better, 0 for other frameworks.
constexpr int engine_rank(std::string_view framework) {
  int rank = int(EnumNames<Engine>::kNames.size());
  for (const auto& [engine, name] : EnumNames<Engine>::kNames) {
    if (name == framework) return rank;
    --rank;
  }
  return 0;
}

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

// Whichever version.
constexpr bool is_flash_attention(AttentionLibrary library) {
  return library >= AttentionLibrary::FlashAttention && library <= AttentionLibrary::FlashAttention4;
}

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
  // The rows were timed by one call over and over, which found in L2 what fits there. Those of the collector
  // (warploom-collect) rotate their operands.
  bool timed_warm = true;
  // Where such a call found caches and experts in L2, a step of an engine finds them in memory: between two
  // uses of a layer lie all others. Answers take it unless KernelContext::as_collected.
  bool cold_operands = false;
  friend bool operator==(const KernelHints&, const KernelHints&) = default;
};

// By the words of the measured data ("fa3", "vllm_flashinfer_trtllmprefill", "torch_flow", ...).
// O(length of the names), no allocation.
KernelHints kernel_hints(const KernelContext& context);

}  // namespace warploom
