#include <bit>
#include <cmath>
#include <limits>

#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

enum Constant : std::size_t {
  kStepLatency,
  kPerHeadLatency,
  kPassedStep,
  kUnsplitLatency,
  kTritonLatency,
  kTritonDataCentre,
  kTritonPadded,
  kFirstStep,
  kTaskLoad,
  kPerHeadTaskLoad,
  kLightTaskLoad,
  kUnsplitTaskLoad,
  kLightFp8TaskLoad,
  kFlashTaskLoad,
  kGraphicsTaskLoad,
  kFlash3TaskLoad,
  kWideGroupLoad,
  kWindowLoad,
  kStepLoad,
  kPerHeadStepLoad,
  kWideHeadLoad,
  kProducts,
  kOneBlockProducts,
  kLaunchSglang,
  kLaunchFlashInfer,
  kLaunchTensorRt,
  kLaunchPerHead,
  kLaunchXqa,
  kLaunchGen,
  kLaunchSglangGen,
  kLaunchWide,
  kLaunchSglangTriton,
  kLaunchVllm,
  kLaunchVllmFlashInfer,
  kLaunchTriton,
  kExtraLaunch,
  kSwapCopies,
  kFp8Launch,
  kGeneratedCasts,
  kRequestClocks,
  kClockPower,
  kCombine,
  kCombineSplit,
  kGeneratedCombine,
  kWide192,
  kFp8Flash,
  kFp8Flash256,
  kOverlap,
  kDram,
  kGraphicsDram,
  kWarm,
  kCapacity,
  kGraphicsCapacity,
  kSharpness,
  kTokens
};

// Latencies and loads are SM clocks per 128 keys; a load is what a block costs its SM when others hide its
// latency. "Graphics": of graphics dies; its share of DRAM: of parts without HBM; its task load: where shared
// memory is small. "Data centre" of Triton: where the matrix unit is asynchronous.
constexpr std::array kDefaults{
    ConstantSpec{"step_latency", "clocks", 539, 150, 2500, 0.25},  // 0.3 us
    ConstantSpec{"per_head_latency", "clocks", 2800, 500, 6000, 0.25},
    ConstantSpec{"passed_step_clocks", "clocks", 50, 10, 300, 0.4},
    ConstantSpec{"unsplit_latency", "clocks", 3900, 1000, 9000, 0.25},
    ConstantSpec{"triton_latency", "clocks", 3800, 500, 12000, 0.4},
    ConstantSpec{"triton_data_centre", "1", 1.96, 0.8, 4, 0.3},
    ConstantSpec{"triton_padded", "1", 1.75, 0.8, 3, 0.3},
    ConstantSpec{"first_step_clocks", "clocks", 1600, 300, 8000, 0.4},
    ConstantSpec{"task_load", "clocks", 2100, 300, 8000, 0.3},
    ConstantSpec{"per_head_task_load", "clocks", 1000, 100, 4000, 0.3},
    ConstantSpec{"light_task_load", "clocks", 1300, 100, 4000, 0.4},
    ConstantSpec{"unsplit_task_load", "clocks", 9000, 300, 15000, 0.4},
    ConstantSpec{"light_fp8_task_load", "1", 4.85, 1, 6, 0.3},
    ConstantSpec{"flash_task_load", "1", 1.42, 0.5, 5, 0.3},
    ConstantSpec{"graphics_task_load", "1", 1.78, 0.8, 3, 0.3},
    ConstantSpec{"flash3_task_load", "1", 1.77, 0.5, 5, 0.3},
    ConstantSpec{"wide_group_load", "1", 2.21, 0.8, 6, 0.3},
    ConstantSpec{"window_load", "1", 1.63, 0.8, 4, 0.3},
    ConstantSpec{"step_load", "clocks", 465, 50, 3000, 0.4},
    ConstantSpec{"per_head_step_load", "clocks", 2400, 300, 6000, 0.3},
    ConstantSpec{"wide_head_load", "1", 1.45, 0.8, 3, 0.3},
    ConstantSpec{"products", "1", 0.876, 0.2, 2.5, 0.3},
    ConstantSpec{"one_block_products", "1", 1.24, 1, 2.5, 0.2},
    ConstantSpec{"launch_clocks_sglang", "clocks", 13000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_flashinfer", "clocks", 8600, 4000, 40000, 0.2},
    ConstantSpec{"launch_clocks_trtllm", "clocks", 16000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_per_head", "clocks", 17000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_xqa", "clocks", 11000, 4000, 40000, 0.2},
    ConstantSpec{"launch_clocks_trtllm_gen", "clocks", 20000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_sglang_gen", "clocks", 14000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_sglang_192", "clocks", 9900, 500, 24000, 0.3},
    ConstantSpec{"launch_clocks_sglang_triton", "clocks", 9100, 3000, 40000, 0.2},
    ConstantSpec{"launch_clocks_vllm", "clocks", 14000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_vllm_flashinfer", "clocks", 18000, 5000, 40000, 0.2},
    ConstantSpec{"launch_clocks_triton", "clocks", 889, 200, 10000, 0.5},
    ConstantSpec{"extra_launch_clocks", "clocks", 2500, 500, 10000, 0.3},
    ConstantSpec{"swap_copies_clocks", "clocks", 7700, 1000, 24000, 0.4},
    ConstantSpec{"fp8_launch_clocks", "clocks", 4300, 500, 12000, 0.3},
    ConstantSpec{"generated_cast_clocks", "clocks", 14000, 1000, 24000, 0.3},
    ConstantSpec{"request_clocks", "clocks", 19, 1, 100, 0.5},
    ConstantSpec{"launch_clock_power", "1", 0.832, 0.4, 1.2, 0.1},
    ConstantSpec{"combine_clocks", "clocks", 5100, 500, 15000, 0.4},
    ConstantSpec{"combine_clocks_per_split", "clocks", 323, 50, 1500, 0.3},
    ConstantSpec{"generated_combine_clocks", "clocks", 1600, 200, 8000, 0.4},
    ConstantSpec{"flash_192", "1", 1.33, 0.8, 3, 0.2},
    ConstantSpec{"flash_fp8", "1", 1.36, 0.8, 3, 0.2},
    ConstantSpec{"flash_fp8_256", "1", 1.42, 0.8, 2.5, 0.2},
    ConstantSpec{"overlap", "1", 1.62, 1, 6, 0.3},
    ConstantSpec{"dram_share", "1", 0.934, 0.5, 1, 0.1},
    ConstantSpec{"graphics_dram_share", "1", 0.835, 0.4, 1, 0.1},
    ConstantSpec{"l2_rate_share", "1", 0.616, 0.1, 1, 0.3},
    ConstantSpec{"l2_capacity_share", "1", 0.793, 0.3, 1.5, 0.15},
    ConstantSpec{"graphics_l2_capacity_share", "1", 1.13, 0.4, 2, 0.15},
    ConstantSpec{"l2_sharpness", "1", 7, 2, 16, 0.3},
    ConstantSpec{"token_traffic", "1", 0.726, 0.1, 4, 0.4},
};
constexpr auto kConstants = from_source(
    "fit with loose priors to the public decode rows of all measured GPUs, most of the way (decision 0038)",
    kDefaults);

constexpr double kTokenRateShare = 0.3;     // of the L2 rate, at which token_traffic is counted
constexpr std::int64_t kSwappedGroup = 16;  // heads of a group up to which generated kernels swap operands
constexpr std::int64_t kWideGroup = 64;     // heads of a group, from which masked attention loads an SM more
constexpr double kUsualHead = 128;          // elements, of which latencies and loads are
constexpr double kRows = 64;                // of the products, whatever the tile
constexpr double kOneBlockRows = 128;
constexpr double kMmaSyncShare = 0.125;  // of the tensor rate of data-centre Blackwell
constexpr double kSlots = 1.5;           // blocks per SM that splitting keys aims at
constexpr double kSharedHeads = 8;       // of a group, from which blocks per head take several
constexpr double kKeys = 128;            // of which the constants are

struct Kernel {
  const AttentionView& view;
  const AttentionTiling& tiling;
  const KernelHints& hints;
  const GpuSpec& gpu;
  const BaseConstants& c;

  bool is(AttentionKernel kernel) const { return tiling.kernel == kernel; }
  bool per_head() const { return tiling.design == DecodeDesign::PerHead; }
  bool flash_attention() const {
    return is(AttentionKernel::FlashAttention2) || is(AttentionKernel::FlashAttention3) ||
           is(AttentionKernel::FlashAttention3Sm80) || is(AttentionKernel::FlashAttention4);
  }
  bool fp8_cache() const { return view.kv_cache == DataType::Fp8; }
  // The fp8 path of these kernels reads twice as much per element as its rate suggests.
  bool slow_fp8() const { return per_head() && fp8_cache() && is_graphics_die(gpu); }

  // Tiles of 128 rows, one block per SM, one stage, so loads, products and exponentials follow each other.
  bool one_block() const { return is(AttentionKernel::FlashAttention3Sm80); }

  // FLOP per clock and SM. Data-centre Blackwell keeps its rate for tcgen05: mma.sync runs as on A100.
  double product_rate() const {
    const double rate = tensor_rate_per_clock(gpu, tiling.fp8_products ? DataType::Fp8 : DataType::Bf16);
    const bool older = is(AttentionKernel::FlashInfer) || is(AttentionKernel::FlashAttention2);
    return older && !view.value_in_key && has_tensor_memory(gpu) ? rate * kMmaSyncShare : rate;
  }

  double products() const {  // clocks per 128 keys
    if (one_block()) {
      const double flop = 2 * kOneBlockRows * kKeys * double(view.key_dim + view.value_dim);
      return c[kOneBlockProducts] * flop / tensor_rate_per_clock(gpu, DataType::Bf16) +
             kOneBlockRows * kKeys / std::max(gpu.special_function_lanes, 1.0);
    }
    if (tiling.design != DecodeDesign::Tiled) return 0;
    const double flop = 2 * kRows * kKeys * double(view.key_dim + view.value_dim);
    return c[kProducts] * flop / product_rate();
  }
  // Triton's tiles are powers of two wide.
  bool padded() const {
    return is(AttentionKernel::Triton) && hints.engine == Engine::Sglang &&
           !std::has_single_bit(std::uint64_t(view.key_dim));
  }
  double latency() const {
    double clocks = c[kStepLatency];
    if (is(AttentionKernel::Triton))
      clocks = c[kTritonLatency] * (padded() ? c[kTritonPadded] : 1.0) *
               (has_async_matrix_unit(gpu) ? c[kTritonDataCentre] : 1.0);
    if (per_head()) clocks = c[slow_fp8() ? kUnsplitLatency : kPerHeadLatency];
    if (tiling.design == DecodeDesign::Unsplit) clocks = c[kUnsplitLatency];
    return clocks * std::sqrt(double(view.key_dim) / kUsualHead) + products();
  }
  double task_load() const {
    if (per_head()) return c[kPerHeadTaskLoad];
    if (tiling.design == DecodeDesign::Unsplit) return c[kUnsplitTaskLoad];
    if (tiling.design == DecodeDesign::CudaCores)
      return c[kLightTaskLoad] * (fp8_cache() ? c[kLightFp8TaskLoad] : 1.0);
    // Above sixteen heads a group, generated kernels no longer swap the operands of their products.
    const bool wide = is(AttentionKernel::TensorRtLlmGen) && view.group > kSwappedGroup;
    if (!flash_attention()) return c[kTaskLoad] * (wide ? c[kWideGroupLoad] : 1.0);
    // A small shared memory leaves room for one block of them.
    if (is(AttentionKernel::FlashAttention3)) return c[kTaskLoad] * c[kFlash3TaskLoad];
    return c[kTaskLoad] * c[kFlashTaskLoad] * (has_small_shared_memory(gpu) ? c[kGraphicsTaskLoad] : 1.0);
  }
  double step_load() const {
    double clocks = per_head() ? c[kPerHeadStepLoad] * (slow_fp8() ? 2 : 1) : c[kStepLoad];
    if (padded()) clocks *= c[kTritonPadded];
    if (per_head() && view.group >= kWideGroup) clocks *= c[kWideHeadLoad];
    return clocks * double(view.key_dim) / kUsualHead + products();
  }
  double slowdown() const {
    if (!is(AttentionKernel::FlashAttention3)) return 1;
    return (tiling.width == 192 ? c[kWide192] : 1.0) *
           (fp8_cache() ? c[kFp8Flash] * (tiling.width == 256 ? c[kFp8Flash256] : 1.0) : 1.0);
  }

  // 128 keys each, of a block that walks a part of the cache.
  double steps_of_part(double steps) const {
    const double per = kKeys / double(tiling.keys);
    return one_block() || per_head() ? std::ceil(steps * per) / per : std::ceil(steps);
  }

  double sglang_launch() const {
    switch (tiling.kernel) {
      case AttentionKernel::FlashInfer:
        return c[kLaunchFlashInfer];
      case AttentionKernel::TensorRtLlmGen:
        return c[kLaunchSglangGen];
      case AttentionKernel::Triton:
        return c[kLaunchSglangTriton];
      default:
        return c[kLaunchSglang];
    }
  }

  double launch(double requests, double splits) const {
    double clocks = c[is(AttentionKernel::FlashInfer) ? kLaunchVllmFlashInfer : kLaunchVllm];
    const bool flash3 = is(AttentionKernel::FlashAttention3), triton = is(AttentionKernel::Triton);
    const bool sglang = hints.engine == Engine::Sglang;
    if (sglang) clocks = sglang_launch();
    if (hints.engine == Engine::TensorRtLlm) {
      const bool xqa = fp8_cache() && has_wgmma(gpu);
      clocks = c[is(AttentionKernel::TensorRtLlmGen) ? kLaunchGen : (xqa ? kLaunchXqa : kLaunchTensorRt)];
      if (per_head()) clocks = c[kLaunchPerHead];
    } else if (hints.writes_cache) {
      clocks += c[kExtraLaunch];
    }
    if (flash3) clocks += (sglang ? 0.0 : c[kExtraLaunch]) + c[kRequestClocks] * requests;
    if (flash3 && sglang && tiling.width == 192) clocks += c[kLaunchWide];
    if (tiling.copies_group) clocks += c[kSwapCopies];
    if (triton && !sglang) clocks += c[kLaunchTriton];
    if (fp8_cache() && !triton) {  // SGLang casts keys and values apart, others in fused kernels
      if (sglang && is(AttentionKernel::TensorRtLlmGen))
        clocks += c[kGeneratedCasts];
      else
        clocks += c[kFp8Launch] * (sglang ? 2.0 : (flash3 || is(AttentionKernel::FlashInfer) ? 0.5 : 0.0));
    }
    if (splits > 1) {
      // Generated kernels add the parts up themselves.
      clocks += c[is(AttentionKernel::TensorRtLlmGen) ? kGeneratedCombine : kCombine];
      if (is(AttentionKernel::FlashAttention2) || one_block()) clocks += c[kCombineSplit] * splits;
    }
    return launch_seconds(clocks, gpu, c[kClockPower]);
  }
};

// Sums over the requests; steps are 128 keys.
struct Batch {
  double units = 0, task_units = 0, steps = 0, longest = 0;
  double shortest = std::numeric_limits<double>::infinity();
  double longest_keys = 0, passed = 0, tokens = 0, keys = 0, requests = 0;
};

Batch batch_of(const Kernel& kernel) {
  const AttentionView& view = kernel.view;
  const AttentionTiling& tiling = kernel.tiling;
  Batch b;
  const double tile = double(tiling.keys);
  for (const RequestGroup& group : view.requests) {
    const double count = double(group.count), queries = double(group.query_tokens);
    const double needed = needed_keys(view, group);
    // A window begins inside a tile: the tile of its first key is read as well.
    const bool cut = view.window > 0 && double(group.kv_tokens()) > double(view.window);
    const double of_request = std::ceil((cut ? needed + tile - 1 : needed) / tile) * tile / kKeys;
    const double blocks =
        count * (tiling.packs_group ? double(view.kv_heads) * std::ceil(double(view.group) * queries / kRows)
                                    : double(view.heads()) * std::ceil(queries / kRows));
    b.units += blocks;
    b.task_units +=
        kernel.per_head()
            ? count * double(view.kv_heads) * std::min(double(view.group), kSharedHeads)
            : blocks * (cut && kernel.is(AttentionKernel::FlashAttention3) ? kernel.c[kWindowLoad] : 1.0);
    b.steps += blocks * of_request;
    b.longest = std::max(b.longest, of_request);
    b.shortest = std::min(b.shortest, of_request);
    b.longest_keys = std::max(b.longest_keys, tiling.walks_window ? double(group.kv_tokens()) : needed);
    if (tiling.walks_window) b.passed = std::max(b.passed, (double(group.kv_tokens()) - needed) / kKeys);
    b.tokens += count * queries;
    b.keys += count * needed;
    b.requests += count;
  }
  return b;
}

}  // namespace

std::span<const ConstantSpec> decode_base_constants() { return kConstants; }

AttentionBase decode_base(const AttentionView& view, const AttentionTiling& tiling, const KernelHints& hints,
                          const GpuSpec& gpu, const BaseConstants& c) {
  const Kernel kernel{view, tiling, hints, gpu, c};
  const auto [units, task_units, steps, longest, shortest, longest_keys, passed, tokens, keys, requests] =
      batch_of(kernel);
  const double sms = double(gpu.sm_count), clock = clock_under_load(gpu, ClockRule::Highest).hertz;
  AttentionBase base;
  const bool splits = tiling.splits_keys && longest_keys >= double(tiling.least_split_keys);
  if (splits) {
    base.splits = std::clamp(std::floor(sms * (kernel.one_block() ? 1.0 : kSlots) / units), 1.0,
                             std::min(std::ceil(longest + passed), double(tiling.most_splits)));
  }
  base.tasks = units * base.splits;
  base.steps = steps / base.tasks;
  // Parts are planned of like lengths, so a longer request has more of them: uneven batches take about what
  // even ones of as many keys take. Measured where one request is five times the mean: 0.8 to 1.0 of it on
  // A100, A40 and Hopper; 1.1 to 1.5 on H20, short of matrix units.
  const double part = splits && shortest < longest ? base.steps : longest / base.splits;
  const double chain =
      kernel.steps_of_part(part) * kernel.latency() + passed / base.splits * c[kPassedStep] + c[kFirstStep];
  const double load = (task_units * base.splits * kernel.task_load() + steps * kernel.step_load()) / sms;
  base.longest = chain / clock;
  const double busiest = kernel.one_block() ? std::ceil(base.tasks / sms) * chain : std::max(load, chain);
  base.compute = busiest / clock * kernel.slowdown();
  base.balance = std::max(1.0, busiest / load);
  base.overlap = c[kOverlap];

  const double heads = double(view.heads());
  const double token_bytes = tokens * heads * double(view.key_dim + view.value_dim) * 2;
  const double bytes = keys * view.cache_width() * bytes_per_element(view.kv_cache) + token_bytes;
  const double fill =
      bytes / (c[is_graphics_die(gpu) ? kGraphicsCapacity : kCapacity] * gpu.l2_capacity.value());
  base.resident = 1 / (1 + std::pow(fill, c[kSharpness]));
  const double dram = c[has_stacked_memory(gpu) ? kDram : kGraphicsDram] * gpu.memory_bandwidth.value();
  base.memory = bytes * (base.resident / (c[kWarm] * gpu.l2_bandwidth.value()) + (1 - base.resident) / dram);
  base.cold_memory = std::max(base.memory, bytes / dram);
  const double written = tokens * view.cache_width() * (2 + bytes_per_element(view.kv_cache));
  base.write = c[kTokens] * (written + token_bytes) / (kTokenRateShare * gpu.l2_bandwidth.value());
  base.launch = kernel.launch(requests, base.splits);
  const double around = base.launch + base.write;
  base.seconds = around + power_sum(base.compute, base.memory, c[kOverlap]);
  base.cold_seconds = around + power_sum(base.compute, base.cold_memory, c[kOverlap]);
  return base;
}

}  // namespace warploom
