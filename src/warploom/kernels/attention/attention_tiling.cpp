#include "warploom/kernels/attention/attention_tiling.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/attention/attention_decode_tiling.h"

namespace warploom {
namespace {

AttentionKernel default_kernel(const GpuSpec& gpu) {
  if (has_wgmma(gpu)) return AttentionKernel::FlashAttention3;
  if (has_tensor_memory(gpu)) return AttentionKernel::TensorRtLlmGen;
  if (gpu.vendor == Vendor::Amd) return AttentionKernel::Triton;
  return AttentionKernel::FlashAttention2;
}

std::int64_t compiled_width(std::int64_t width, std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes)
    if (width <= size) return size;
  return width;
}

std::int64_t compiled_width(const AttentionView& view, AttentionKernel kernel, bool hopper) {
  const std::int64_t width = std::max(view.key_dim, view.value_dim);
  switch (kernel) {
    case AttentionKernel::TensorRtLlm:
      // Hopper's rows in shared memory are powers of two long.
      if (hopper && !view.decode && view.key_dim == view.value_dim)
        return compiled_width(width, {64, 128, 256});
      [[fallthrough]];
    case AttentionKernel::TensorRtLlmGen:
      return compiled_width(width, {64, 80, 96, 128, 192, 256});
    case AttentionKernel::Triton:
      return compiled_width(width, {64, 128, 192, 256});
    default:
      return compiled_width(width, {64, 96, 128, 192, 256});
  }
}

double average_queries(const AttentionView& view) {
  double queries = 0, requests = 0;
  for (const RequestGroup& group : view.requests) {
    queries += double(group.count) * double(group.query_tokens);
    requests += double(group.count);
  }
  return queries / requests;
}

std::int64_t longest_query(const AttentionView& view) {
  std::int64_t longest = 0;
  for (const RequestGroup& group : view.requests) longest = std::max(longest, group.query_tokens);
  return longest;
}

bool can_multiply_fp8(const GpuSpec& gpu) { return gpu.tensor_rates.fp8 > gpu.tensor_rates.fp16; }

void tile_flash_attention2(const AttentionView& view, AttentionTiling& t) {
  if (view.causal) {  // paged caches take the split kernel
    t.query_rows = 64;
    t.keys = t.width <= 64 ? 256 : (t.width <= 128 ? 128 : 64);
    // Single tokens: the heads of a group become rows (flash_api.cpp: seqlenq_ngroups_swapped).
    t.packs_group = view.window == 0 && view.group > 1 && longest_query(view) == 1;
    t.copies_group = t.packs_group && view.kv_heads > 1;
  } else {
    t.query_rows = t.width <= 128 ? 128 : 64;
    t.keys = t.width <= 64 ? 128 : 64;
  }
}

// Keys of a step: as many fragments of 16 as shared memory leaves beside the queries of two blocks per SM and
// as registers hold, a power of two (FlashInfer, prefill.cuh: NUM_MMA_KV).
std::int64_t flashinfer_keys(const AttentionView& view, const GpuSpec& gpu, const AttentionTiling& t) {
  const double warps = t.query_rows > 16 ? 1 : 4;  // that share the keys of a step
  const double queries = double(t.query_rows * t.width) * 2;
  const double fragment = 16 * warps * double(2 * t.width) * bytes_per_element(view.kv_cache);
  const double shared = gpu.shared_memory_per_sm.value();
  const double room = shared >= 2 * (queries + fragment) ? shared / 2 : shared;
  const double fits = std::min((room - queries) / fragment, t.query_rows > 64 ? 4.0 : 8.0);
  return std::int64_t(16 * warps * (fits >= 8 ? 8 : (fits >= 4 ? 4 : (fits >= 2 ? 2 : 1))));
}

void tile_flashinfer(const AttentionView& view, const GpuSpec& gpu, AttentionTiling& t) {
  if (has_tensor_memory(gpu)) {
    t.query_rows = 256;
    t.keys = 128;
    return;
  }
  // Rows by the average length of packed queries.
  const double average = average_queries(view) * double(view.group);
  t.query_rows = average > 64 && t.width < 256 ? 128 : (average > 16 ? 64 : 16);
  t.keys = flashinfer_keys(view, gpu, t);
  t.packs_group = true;
}

void tile_tensorrt(const AttentionView& view, const GpuSpec& gpu, AttentionTiling& t) {
  const double queries = average_queries(view);
  t.keys = t.width <= 128 ? 128 : 64;
  if (t.kernel == AttentionKernel::TensorRtLlmGen) {
    t.query_rows = queries > 64 ? 128 : 64;
    t.keys = 128;
  } else if (has_wgmma(gpu)) {
    t.query_rows = 64;
    if (t.fp8_products && t.width <= 128) t.keys = 256;
  } else {
    const std::int64_t least = has_scaled_mma(gpu) ? 64 : 16;
    t.query_rows =
        queries > 64 ? (t.width <= 128 ? 128 : 64) : (queries > 32 ? 64 : (queries > 16 ? 32 : 16));
    t.query_rows = std::max(t.query_rows, least);
  }
}

void tile_prefill(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints,
                  AttentionTiling& t) {
  switch (t.kernel) {
    case AttentionKernel::FlashAttention2:
      tile_flash_attention2(view, t);
      break;
    case AttentionKernel::FlashAttention3Sm80:
      t.query_rows = 128;
      t.keys = 64;
      t.packs_group = true;
      break;
    case AttentionKernel::FlashAttention3:
      t.query_rows = t.width <= 64 ? 192 : 128;
      t.keys = t.width <= 128 ? 128 : (t.width <= 192 ? 96 : 64);
      t.packs_group = t.longest_first = true;
      break;
    case AttentionKernel::FlashAttention4:
      t.query_rows = t.width <= 128 ? 256 : 128;
      t.keys = 128;
      t.packs_group = t.longest_first = true;
      break;
    case AttentionKernel::FlashInfer:
      tile_flashinfer(view, gpu, t);
      break;
    case AttentionKernel::TensorRtLlm:
    case AttentionKernel::TensorRtLlmGen:
      tile_tensorrt(view, gpu, t);
      if (hints.decode_kernel) {
        t.query_rows = 16;
        t.packs_group = true;
      }
      break;
    case AttentionKernel::Triton:
      if (hints.engine == Engine::Vllm) {  // its unified kernel
        t.query_rows = std::max<std::int64_t>(16, std::int64_t(std::bit_ceil(std::uint64_t(view.group))));
        t.keys = 32;
        t.packs_group = true;
        break;
      }
      t.query_rows = t.width > 256 ? 32 : (has_small_shared_memory(gpu) ? 64 : 128);
      t.keys = has_small_shared_memory(gpu) && t.width <= 128 ? 128 : 64;
      break;
  }
}

double tiles_per_sm(const AttentionView& view, const GpuSpec& gpu, const AttentionTiling& tiling) {
  const double query = double(tiling.query_rows * view.key_dim) * bytes_per_element(view.compute);
  const double keys = double(tiling.keys) * double(view.key_dim + (view.value_in_key ? 0 : view.value_dim)) *
                      bytes_per_element(view.kv_cache);
  const double fits = gpu.shared_memory_per_sm.value() / std::max(1.0, query + keys);
  return std::clamp(double(std::int64_t(fits)), 1.0, tiling.query_rows > 64 ? 2.0 : 4.0);
}

AttentionKernel named_kernel(const KernelHints& hints, const GpuSpec& gpu) {
  const bool hopper = has_wgmma(gpu), blackwell = has_tensor_memory(gpu);
  switch (hints.attention) {
    case AttentionLibrary::Triton:
      return AttentionKernel::Triton;
    case AttentionLibrary::FlashInfer:
      if (blackwell && hints.engine != Engine::Sglang) return AttentionKernel::TensorRtLlmGen;
      return AttentionKernel::FlashInfer;
    case AttentionLibrary::TensorRtLlm:
      if (blackwell) return AttentionKernel::TensorRtLlmGen;
      if (hints.engine == Engine::TensorRtLlm || hints.engine == Engine::Unknown)
        return AttentionKernel::TensorRtLlm;
      return hopper ? AttentionKernel::FlashAttention3 : AttentionKernel::FlashInfer;
    case AttentionLibrary::FlashAttention:
    case AttentionLibrary::FlashAttention3:
      if (hopper) return AttentionKernel::FlashAttention3;
      return blackwell ? AttentionKernel::FlashAttention4 : AttentionKernel::FlashAttention2;
    case AttentionLibrary::FlashAttention4:
      return hopper || blackwell ? AttentionKernel::FlashAttention4 : AttentionKernel::FlashAttention2;
    case AttentionLibrary::FlashAttention2:
      return AttentionKernel::FlashAttention2;
    case AttentionLibrary::Unknown:
      break;
  }
  if (hints.engine == Engine::TensorRtLlm)
    return blackwell ? AttentionKernel::TensorRtLlmGen : AttentionKernel::TensorRtLlm;
  return default_kernel(gpu);
}

}  // namespace

AttentionKernel attention_kernel(const KernelHints& hints, const GpuSpec& gpu) {
  const AttentionKernel named = named_kernel(hints, gpu);
  return named == AttentionKernel::FlashAttention2 && hints.engine == Engine::Sglang
             ? AttentionKernel::FlashAttention3Sm80
             : named;
}

AttentionTiling attention_tiling(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints) {
  AttentionTiling tiling{.kernel = attention_kernel(hints, gpu)};
  // TensorRT-LLM generates none for odd head sizes (72 of vision encoders): fmha_v2 serves them.
  if (tiling.kernel == AttentionKernel::TensorRtLlmGen && hints.engine == Engine::TensorRtLlm &&
      view.key_dim % 16 != 0)
    tiling.kernel = AttentionKernel::TensorRtLlm;
  const bool hopper = has_wgmma(gpu);
  tiling.width = compiled_width(view, tiling.kernel, hopper);
  const bool tensorrt_hopper = tiling.kernel == AttentionKernel::TensorRtLlm && hopper;
  tiling.warp_specialised = tiling.kernel == AttentionKernel::FlashAttention3 ||
                            tiling.kernel == AttentionKernel::FlashAttention4 ||
                            tiling.kernel == AttentionKernel::TensorRtLlmGen || tensorrt_hopper ||
                            (tiling.kernel == AttentionKernel::FlashInfer && has_tensor_memory(gpu));
  const bool quantises_queries = view.kv_cache == DataType::Fp8 &&
                                 (tiling.kernel == AttentionKernel::TensorRtLlmGen ||
                                  tiling.kernel == AttentionKernel::FlashAttention3 || tensorrt_hopper);
  tiling.fp8_products = can_multiply_fp8(gpu) && (view.compute == DataType::Fp8 || quantises_queries);
  if (view.decode)
    tile_decode(view, gpu, hints, tiling);
  else
    tile_prefill(view, gpu, hints, tiling);
  tiling.occupancy = tiles_per_sm(view, gpu, tiling);
  return tiling;
}

}  // namespace warploom
