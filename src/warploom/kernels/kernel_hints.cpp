#include "warploom/kernels/kernel_hints.h"

namespace warploom {
namespace {

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

Engine engine_of(const KernelContext& context) {
  if (context.framework == "vllm" || contains(context.kernel, "vllm")) return Engine::Vllm;
  if (context.framework == "sglang") return Engine::Sglang;
  if (context.framework == "trtllm" || contains(context.kernel, "torch_flow")) return Engine::TensorRtLlm;
  return Engine::Unknown;
}

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

}  // namespace

KernelHints kernel_hints(const KernelContext& context) {
  KernelHints hints{engine_of(context), library_of(context.kernel)};
  // vLLM's data of these names were taken before its collector wrote the cache.
  // The kernels of warploom-collect ("own_...") never do.
  hints.writes_cache = context.kernel != "vllm_flash_attn" && context.kernel != "vllm_flashinfer" &&
                       !context.kernel.starts_with("own_");
  hints.decode_kernel = contains(context.kernel, "decode");
  // Before and after these data its collector left the experts of other ranks out.
  hints.clamps_remote_choices = hints.engine == Engine::Sglang && context.version == "0.5.10";
  return hints;
}

}  // namespace warploom
