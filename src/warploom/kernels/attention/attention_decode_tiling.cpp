#include "warploom/kernels/attention/attention_decode_tiling.h"

#include <bit>

#include "warploom/hardware/gpu_class.h"

namespace warploom {
namespace {

// TensorRT-LLM before its Blackwell kernels: XQA for an fp8 cache, masked multi-head attention (a block per
// query head) for the rest; groups of 64 and odd groups fall to the latter everywhere.
void tile_tensorrt(const AttentionView& view, const GpuSpec& gpu, AttentionTiling& t) {
  const bool fp8_cache = view.kv_cache == DataType::Fp8;
  const bool hopper = has_wgmma(gpu);
  const bool old = t.kernel == AttentionKernel::TensorRtLlm;
  const bool wide = view.group >= 64;
  const bool odd = old && view.group > 16 && !std::has_single_bit(std::uint64_t(view.group));
  const bool alone = old && view.group == 1;
  if (wide || odd || alone || (old && !fp8_cache)) {
    t.design = DecodeDesign::PerHead;
    t.packs_group = !wide && !(odd && view.group > 32);
    t.splits_keys = !wide && !odd;
    t.least_split_keys = view.group >= 16 || alone ? 2048 : 1024;
    if (old) t.keys = 32;
    t.walks_window = old && view.window > 0;
  } else if (old && fp8_cache && !hopper) {
    t.design = DecodeDesign::Unsplit;
    t.splits_keys = false;
  }
}

}  // namespace

void tile_decode(const AttentionView& view, const GpuSpec& gpu, const KernelHints& hints,
                 AttentionTiling& t) {
  t.query_rows = 64;
  t.keys = view.key_dim > 256 ? 64 : 128;
  t.packs_group = t.splits_keys = true;
  switch (t.kernel) {
    case AttentionKernel::FlashAttention2:
      if (t.width <= 64) t.keys = 256;
      // Windows and single heads are not packed, and what is not packed is not split.
      t.packs_group = view.window == 0;
      t.splits_keys = view.window == 0 && view.group > 1;
      t.copies_group = t.splits_keys && view.kv_heads > 1;
      break;
    case AttentionKernel::FlashAttention3Sm80:
      t.query_rows = 128;
      t.keys = 64;
      t.least_split_keys = 4 * 128 + 1;
      break;
    case AttentionKernel::FlashInfer:
      t.query_rows = 16;
      if (hints.engine == Engine::Sglang && view.group < 4) t.design = DecodeDesign::CudaCores;
      break;
    case AttentionKernel::TensorRtLlm:
    case AttentionKernel::TensorRtLlmGen:
      if (hints.engine == Engine::TensorRtLlm && hints.attention == AttentionLibrary::TensorRtLlm &&
          !view.value_in_key)
        tile_tensorrt(view, gpu, t);
      break;
    case AttentionKernel::Triton:
      t.query_rows = 16;
      t.most_splits = 8;
      break;
    case AttentionKernel::FlashAttention3:
    case AttentionKernel::FlashAttention4:
      break;
  }
}

}  // namespace warploom
