#include "warploom/kernels/kernel_hints.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// Words that tell whose a kernel is where its framework does not.
struct KernelWord {
  Engine engine;
  std::string_view word;
};
constexpr std::array<KernelWord, 2> kKernelWords{
    {{Engine::Vllm, "vllm"}, {Engine::TensorRtLlm, "torch_flow"}}};

Engine engine_of(const KernelContext& context) {
  for (const auto& [engine, name] : EnumNames<Engine>::kNames) {
    if (context.framework == name) return engine;
    for (const KernelWord& of : kKernelWords)
      if (of.engine == engine && contains(context.kernel, of.word)) return engine;
  }
  return Engine::Unknown;
}

// Versions whose collector counted the experts of other ranks in; before and after they were left out.
struct MeasuredVersion {
  Engine engine;
  std::string_view version;
};
constexpr MeasuredVersion kClampsRemoteChoices{Engine::Sglang, "0.5.10"};

AttentionLibrary library_of(std::string_view name) {
  if (contains(name, "triton")) return AttentionLibrary::Triton;
  // FlashInfer names the TensorRT-LLM kernels that it carries.
  if (contains(name, "trtllm")) return AttentionLibrary::TensorRtLlm;
  if (contains(name, "flashinfer")) return AttentionLibrary::FlashInfer;
  if (contains(name, "torch_flow")) return AttentionLibrary::TensorRtLlm;
  if (contains(name, "fa4") || name.ends_with("attention_v4")) return AttentionLibrary::FlashAttention4;
  if (contains(name, "fa3") || name.ends_with("attention_v3")) return AttentionLibrary::FlashAttention3;
  if (contains(name, "fa2") || name.ends_with("attention_v2")) return AttentionLibrary::FlashAttention2;
  if (contains(name, "flash_attn") || contains(name, "flash_attention") || contains(name, "FLASH"))
    return AttentionLibrary::FlashAttention;
  return AttentionLibrary::Unknown;
}

// vLLM 0.1 to 0.14.
bool writes_in_backend(std::string_view version) {
  if (!version.starts_with("0.")) return false;
  int minor = 0;
  std::size_t at = 2;
  for (; at < version.size() && version[at] >= '0' && version[at] <= '9'; ++at)
    minor = std::min(10 * minor + (version[at] - '0'), 1000);
  return at > 2 && minor <= 14;
}

}  // namespace

KernelHints kernel_hints(const KernelContext& context) {
  KernelHints hints{engine_of(context), library_of(context.kernel)};
  // vLLM's backends wrote the cache themselves up to 0.14 (its pull request 25954 took that out); its data of
  // these names were taken by calling them alone. The kernels of warploom-collect ("own_...") never do.
  const bool backend_alone = context.kernel == "vllm_flash_attn" || context.kernel == "vllm_flashinfer";
  const bool collectors_own = context.kernel.starts_with("own_");
  hints.writes_cache = !(backend_alone && !writes_in_backend(context.version)) && !collectors_own;
  hints.timed_warm = !collectors_own;
  hints.decode_kernel = contains(context.kernel, "decode");
  hints.clamps_remote_choices =
      hints.engine == kClampsRemoteChoices.engine && context.version == kClampsRemoteChoices.version;
  return hints;
}

}  // namespace warploom
