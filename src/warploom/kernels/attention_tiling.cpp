#include "warploom/kernels/attention_tiling.h"

#include <algorithm>

namespace warploom {
namespace {

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

AttentionKernel default_kernel(const GpuSpec& gpu) {
  if (gpu.generation == Generation::Hopper) return AttentionKernel::FlashAttention3;
  if (gpu.generation == Generation::Blackwell) return AttentionKernel::TensorRtLlm;
  if (gpu.vendor == Vendor::Amd) return AttentionKernel::Triton;
  return AttentionKernel::FlashAttention2;
}

// FlashInfer chooses rows by the average length of packed queries.
std::int64_t flashinfer_rows(const AttentionView& view) {
  double rows = 0, requests = 0;
  for (const RequestGroup& group : view.requests) {
    rows += double(group.count) * double(group.query_tokens * view.group);
    requests += double(group.count);
  }
  const double average = rows / requests;
  if (average > 64 && view.key_dim < 256) return 128;
  return average > 16 ? 64 : 16;
}

AttentionTiling prefill_tiling(const AttentionView& view, const GpuSpec& gpu, AttentionKernel kernel) {
  const std::int64_t width = std::max(view.key_dim, view.value_dim);
  AttentionTiling tiling{.kernel = kernel};
  switch (kernel) {
    case AttentionKernel::FlashAttention2:
      tiling.query_rows = width > 192 ? 64 : 128;
      tiling.keys = width <= 64 ? 128 : 64;
      break;
    case AttentionKernel::FlashAttention3:
      tiling.query_rows = width <= 64 ? 192 : 128;
      tiling.keys = width <= 128 ? 128 : (width <= 192 ? 96 : 64);
      tiling.packs_group = true;
      tiling.longest_first = true;
      break;
    case AttentionKernel::FlashAttention4:
      tiling.query_rows = width <= 128 ? 256 : 128;
      tiling.keys = 128;
      tiling.packs_group = true;
      tiling.longest_first = true;
      break;
    case AttentionKernel::FlashInfer:
      tiling.query_rows = flashinfer_rows(view);
      tiling.keys = width <= 64 ? 128 : 64;
      tiling.packs_group = true;
      break;
    case AttentionKernel::TensorRtLlm: {
      const bool warp_specialised =
          gpu.generation == Generation::Hopper || gpu.generation == Generation::Blackwell;
      tiling.query_rows = warp_specialised || width > 128 ? 64 : 128;
      tiling.keys = width <= 128 ? 128 : 64;
      break;
    }
    case AttentionKernel::Triton:
      tiling.query_rows = width <= 128 ? 128 : 64;
      tiling.keys = 64;
      break;
  }
  return tiling;
}

AttentionTiling decode_tiling(const AttentionView& view, AttentionKernel kernel) {
  AttentionTiling tiling{
      .kernel = kernel, .query_rows = 64, .keys = 128, .packs_group = true, .splits_keys = true};
  if (kernel == AttentionKernel::FlashInfer || kernel == AttentionKernel::Triton) tiling.query_rows = 16;
  // Windowed decode of FlashAttention-2 and groups of 64 in TensorRT-LLM take kernels of one head a block.
  if (kernel == AttentionKernel::FlashAttention2 && view.window > 0) tiling.packs_group = false;
  if (kernel == AttentionKernel::TensorRtLlm && view.group == 64 && !view.value_in_key)
    tiling.packs_group = false;
  if (view.key_dim > 256) tiling.keys = 64;
  return tiling;
}

double tiles_per_sm(const AttentionView& view, const GpuSpec& gpu, const AttentionTiling& tiling) {
  const double query = double(tiling.query_rows * view.key_dim) * bytes_per_element(view.compute);
  const double keys = double(tiling.keys) * double(view.key_dim + (view.value_in_key ? 0 : view.value_dim)) *
                      bytes_per_element(view.kv_cache);
  const double fits = gpu.shared_memory_per_sm.value() / std::max(1.0, query + keys);
  return std::clamp(double(std::int64_t(fits)), 1.0, tiling.query_rows > 64 ? 2.0 : 4.0);
}

}  // namespace

AttentionKernel attention_kernel(const KernelContext& context, const GpuSpec& gpu) {
  const std::string_view name = context.kernel;
  if (contains(name, "fa4")) return AttentionKernel::FlashAttention4;
  if (contains(name, "fa3")) return AttentionKernel::FlashAttention3;
  if (contains(name, "fa2")) return AttentionKernel::FlashAttention2;
  if (contains(name, "trtllm") || contains(name, "torch_flow")) return AttentionKernel::TensorRtLlm;
  if (contains(name, "flashinfer")) return AttentionKernel::FlashInfer;
  if (contains(name, "triton")) return AttentionKernel::Triton;
  if (contains(name, "flash_attn") || contains(name, "flash_attention") || contains(name, "FLASH")) {
    return gpu.generation == Generation::Hopper ? AttentionKernel::FlashAttention3
                                                : AttentionKernel::FlashAttention2;
  }
  if (context.framework == "trtllm") return AttentionKernel::TensorRtLlm;
  return default_kernel(gpu);
}

AttentionTiling attention_tiling(const AttentionView& view, const GpuSpec& gpu,
                                 const KernelContext& context) {
  const AttentionKernel kernel = attention_kernel(context, gpu);
  AttentionTiling tiling = view.decode ? decode_tiling(view, kernel) : prefill_tiling(view, gpu, kernel);
  tiling.occupancy = tiles_per_sm(view, gpu, tiling);
  return tiling;
}

}  // namespace warploom
