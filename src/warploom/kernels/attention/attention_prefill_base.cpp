#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/attention/attention_prefill_constants.h"
#include "warploom/kernels/attention/attention_steps.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

using namespace prefill;

constexpr double kDirectExponentials = 0.5;  // of exponential time that does not hide behind products
constexpr double kStepClocks = 100;          // barriers and bookkeeping
constexpr double kTritonTask = 3000;
constexpr double kSmallTile = 0.5;             // power of 64 / rows by which tiles below 64 rows slow
constexpr double kConversion = 0.5 / 128 * 2;  // clocks per element of an fp8 cache that is widened
constexpr double kTailLongestFirst = 0.05;
constexpr double kTailUniform = 0.7;     // of the part of the last wave that stays empty
constexpr double kMmaSyncShare = 0.125;  // of the tensor rate of data-centre Blackwell
constexpr double kLeastWriteThreads = 96, kMostWriteThreads = 512, kThreadsPerSm = 2048;
constexpr double kWriteBlockPower = 1.3;                // large blocks start together, small ones fill gaps
constexpr double kQuantisedQueries = 0.8;               // of write_queries, where queries alone are quantised
constexpr double kUnevenMean = 0.7, kEvenRange = 0.25;  // mean over longest block: tails turn uniform
constexpr double kFullRows = 64;                        // of a tile, below which the matrix unit waits
constexpr double kWriteRound = 0.2;  // of a block's time, by which each further round of elements adds

double older_factor(const AttentionTiling& tiling, const BaseConstants& c) {
  const std::size_t size = tiling.width <= 80 ? 0 : (tiling.width <= 128 ? 1 : (tiling.width <= 192 ? 2 : 3));
  return c[(tiling.fp8_products ? kOlderFp8At64 : kOlder64) + size];
}

struct Kernel {
  const AttentionView& view;
  const AttentionTiling& tiling;
  const KernelHints& hints;
  const GpuSpec& gpu;
  const BaseConstants& c;

  bool is(AttentionKernel kernel) const { return tiling.kernel == kernel; }
  bool triton() const { return is(AttentionKernel::Triton); }
  bool flash_attention() const {
    return is(AttentionKernel::FlashAttention2) || is(AttentionKernel::FlashAttention3) ||
           is(AttentionKernel::FlashAttention3Sm80) || is(AttentionKernel::FlashAttention4);
  }
  bool light_flashinfer() const { return is(AttentionKernel::FlashInfer) && !tiling.warp_specialised; }
  // SGLang prefills without a page table (its ragged wrapper of FlashInfer).
  bool ragged() const { return light_flashinfer() && hints.engine == Engine::Sglang && view.window == 0; }
  bool flash3_of_sglang() const {
    return is(AttentionKernel::FlashAttention3) && hints.engine == Engine::Sglang;
  }
  // vLLM sums fp8 products in two levels, which costs the fp8 rate.
  bool two_level() const {
    return is(AttentionKernel::FlashAttention3) && hints.engine == Engine::Vllm &&
           view.kv_cache == DataType::Fp8 && hints.writes_cache;
  }

  DataType tensor_type() const {
    return tiling.fp8_products && !two_level() ? DataType::Fp8 : DataType::Bf16;
  }
  double step_flop() const {
    const double values = view.value_dim == view.key_dim ? double(tiling.width) : double(view.value_dim);
    return 2 * double(tiling.query_rows) * double(tiling.keys) * (double(tiling.width) + values);
  }

  // FLOP per clock and SM. Data-centre Blackwell keeps its rate for tcgen05: mma.sync runs as on A100.
  double product_rate() const {
    const double rate = tensor_rate_per_clock(gpu, tensor_type());
    const bool older = is(AttentionKernel::TensorRtLlm) || is(AttentionKernel::FlashAttention2);
    return older && has_tensor_memory(gpu) ? rate * kMmaSyncShare : rate;
  }

  double products() const {  // clocks of one step's products
    double share = triton() ? c[kTritonProducts]
                            : (tiling.warp_specialised ? c[kPipelinedProducts] : c[kDirectProducts]);
    if (tiling.warp_specialised && hints.engine == Engine::TensorRtLlm) share *= c[kTensorRtProducts];
    if (two_level())
      share *= c[kTwoLevelFp8];
    else if (tiling.fp8_products && tiling.warp_specialised)
      share *= c[kFp8Products];
    if (is(AttentionKernel::TensorRtLlm) && !tiling.warp_specialised) share *= older_factor(tiling, c);
    if (is(AttentionKernel::FlashAttention3Sm80)) share *= c[kSm80Products];
    if (double(tiling.query_rows) < kFullRows)
      share *= std::pow(kFullRows / double(tiling.query_rows), kSmallTile);
    return share * step_flop() / product_rate();
  }

  double step() const {  // clocks
    const double pairs = double(tiling.query_rows) * double(tiling.keys);
    const double hidden =
        triton() ? 1.0 : (tiling.warp_specialised ? c[kPipelinedExponentials] : kDirectExponentials);
    double clocks = products() + hidden * pairs / std::max(gpu.special_function_lanes, 1.0) +
                    (triton() ? c[kTritonStep] : kStepClocks);
    if (view.kv_cache == DataType::Fp8 && (light_flashinfer() || triton()))
      clocks += kConversion * double(tiling.keys * tiling.width);
    if (triton() && has_async_matrix_unit(gpu)) clocks *= c[kTritonDataCentre];
    if (triton() && view.key_dim % 16 != 0) clocks *= c[kTritonOdd];
    if (triton() && view.kv_cache == DataType::Fp8) clocks *= c[kTritonFp8];
    if (triton() && hints.engine == Engine::Vllm) clocks *= c[kTritonUnified];
    if (!view.causal && flash_attention() && !is(AttentionKernel::FlashAttention4))
      clocks *= c[tiling.warp_specialised ? kUnpaged : kUnpagedDirect];
    if (!view.causal && is(AttentionKernel::TensorRtLlm)) clocks *= c[kMasked];
    if (ragged()) clocks *= c[kRagged];
    return clocks;
  }

  // SGLang's Triton kernel walks every tile of keys before the queries and skips only the products of those
  // outside of the window.
  TileSteps steps_of(const RequestGroup& group) const {
    TileSteps steps = tile_steps(view, group, tiling);
    if (!triton() || hints.engine != Engine::Sglang || view.window == 0) return steps;
    AttentionView whole = view;
    whole.window = 0;
    const TileSteps walked = tile_steps(whole, group, tiling);
    steps.mean += c[kTritonSkipped] * (walked.mean - steps.mean);
    steps.longest += c[kTritonSkipped] * (walked.longest - steps.longest);
    return steps;
  }

  double task() const {
    if (hints.decode_kernel) return c[kDecodeTask];
    if (is(AttentionKernel::TensorRtLlmGen)) return c[kPipelinedTask] * c[kGeneratedTask];
    return triton() ? kTritonTask : (tiling.warp_specialised ? c[kPipelinedTask] : c[kDirectTask]);
  }

  // The clock that the power limit sustains, the matrix units busy for their share of a step.
  double clock() const {
    PowerConstants power;
    power.idle_nanojoules = c[kEnergyIdle];
    const double busy =
        std::min(1.0, c[kEnergyProducts] * step_flop() / tensor_rate_per_clock(gpu, tensor_type()) / step());
    const MatrixLoad load = matrix_load(gpu, tensor_type(), power, busy);
    return clock_under_load(gpu, ClockRule::Limited, load, power).sustained();
  }

  double solo() const {  // a lone block against one among others
    if (is(AttentionKernel::TensorRtLlmGen) || (is(AttentionKernel::TensorRtLlm) && tiling.warp_specialised))
      return c[kSoloTensorRt];
    if (tiling.warp_specialised) return 1;
    return light_flashinfer() ? c[kSoloFlashInfer] : c[kSoloDirect];
  }

  double tail(double waves, double mean_of_longest) const {
    if (tiling.longest_first) return kTailLongestFirst;
    const double uniform = std::clamp((mean_of_longest - kUnevenMean) / kEvenRange, 0.0, 1.0);
    return uniform * (std::ceil(waves) - waves) * kTailUniform +
           (1 - uniform) * c[tiling.warp_specialised ? kTailPipelined : kTailDirect];
  }

  double launch() const {
    double clocks = c[kLaunchVllm];
    if (hints.engine == Engine::TensorRtLlm) clocks = c[kLaunchTensorRt];
    if (hints.engine == Engine::Sglang) clocks = c[light_flashinfer() ? kLaunchFlashInfer : kLaunchSglang];
    // Its scheduler's own kernel.
    double extra = is(AttentionKernel::FlashAttention3) && !flash3_of_sglang() ? 1 : 0;
    const bool generated_of_sglang = is(AttentionKernel::TensorRtLlmGen) && hints.engine == Engine::Sglang;
    if (hints.engine != Engine::TensorRtLlm && view.causal && hints.writes_cache && !generated_of_sglang)
      extra += 1;
    clocks += extra * c[kExtraLaunch];
    if (triton()) clocks += c[kTritonLaunch];
    if (tiling.copies_group) clocks += c[kSwapCopies];
    if (hints.decode_kernel && light_flashinfer()) clocks += c[kDecodeLaunch];
    if (hints.engine == Engine::Sglang && view.causal) {
      if (is(AttentionKernel::TensorRtLlmGen) && view.kv_cache == DataType::Fp8) clocks += c[kSglangCasts];
      if (is(AttentionKernel::FlashAttention3) && tiling.width == 192) clocks += c[kWideFlash];
    }
    return launch_seconds(clocks, gpu, c[kClockPower]);
  }

  // vLLM writes a token per block of at most 512 threads, so few heads wait for blocks and not for bytes;
  // what TensorRT-LLM's blocks do to queries before its kernel waits for them too.
  double write_blocks(double tokens) const {
    const bool latent = view.key_dim != view.value_dim;
    if (hints.engine == Engine::TensorRtLlm && view.causal && hints.writes_cache && !latent)
      return tokens * double(view.heads()) * double(view.key_dim) * c[kPreparedQuery] /
             gpu.sm_cycles_per_second();
    if (hints.engine != Engine::Vllm || !view.causal || !hints.writes_cache) return 0;
    const double elements = double(view.kv_heads) * double(view.key_dim);
    const double threads = std::clamp(elements, kLeastWriteThreads, kMostWriteThreads);
    const double rounds = std::max(1.0, elements / kMostWriteThreads);
    const double clocks = c[kWriteBlock] * (view.kv_cache == DataType::Fp8 ? c[kWriteFp8Block] : 1.0) *
                          std::pow(threads / kMostWriteThreads, kWriteBlockPower) *
                          (1 + kWriteRound * (rounds - 1));
    return tokens * clocks * kMostWriteThreads / (kThreadsPerSm * gpu.sm_cycles_per_second());
  }

  // Bytes of the pass that writes keys and values into the cache, and what it does to queries.
  double written_bytes(double tokens) const {
    if (!view.causal || !hints.writes_cache) return 0;
    const bool fp8 = view.kv_cache == DataType::Fp8;
    double bytes = tokens * double(view.kv_heads) * double(view.key_dim + view.value_dim) *
                   (2 + bytes_per_element(view.kv_cache)) * (fp8 && !flash3_of_sglang() ? c[kWriteFp8] : 1.0);
    const double queries = tokens * double(view.heads()) * double(view.key_dim) * 4;
    if (hints.engine == Engine::TensorRtLlm)
      bytes += c[kWriteQueries] * queries;
    else if (fp8 && !triton() && !light_flashinfer())
      bytes += c[kWriteQueries] * queries * kQuantisedQueries;
    return bytes;
  }
};

}  // namespace

std::span<const ConstantSpec> prefill_base_constants() { return kConstants; }

AttentionBase prefill_base(const AttentionView& view, const AttentionTiling& tiling, const KernelHints& hints,
                           const GpuSpec& gpu, const BaseConstants& c) {
  const Kernel kernel{view, tiling, hints, gpu, c};
  const double heads = double(tiling.packs_group ? view.kv_heads : view.heads());
  AttentionBase base;
  base.tasks = 0;
  double steps = 0, longest = 0, tokens = 0, keys = 0;
  for (const RequestGroup& group : view.requests) {
    const TileSteps tile = kernel.steps_of(group);
    const double tasks = double(group.count) * heads * tile.tiles;
    base.tasks += tasks;
    steps += tasks * tile.mean;
    longest = std::max(longest, tile.longest);
    tokens += double(group.count) * double(group.query_tokens);
    keys += double(group.count) * needed_keys(view, group);
  }
  const double sms = double(gpu.sm_count), clock = kernel.clock();
  const double step = kernel.step(), task = kernel.task();
  const double load = (steps * step + base.tasks * task) / sms, longest_clocks = longest * step + task;
  const double waves = base.tasks / sms;
  base.steps = steps / base.tasks;
  base.longest = longest_clocks / clock;
  const double tail = waves > 1 ? kernel.tail(waves, base.steps / longest) * longest_clocks : 0.0;
  const double busiest = std::max(load, longest_clocks * kernel.solo()) + tail;
  base.compute = busiest / clock;
  base.balance = busiest / load;

  const double bytes = keys * view.cache_width() * bytes_per_element(view.kv_cache) +
                       tokens * double(view.heads()) * double(view.key_dim + view.value_dim) * 2;
  const double fill = bytes / (c[kCapacity] * gpu.l2_capacity.value());
  base.resident = 1 / (1 + fill * fill * fill);
  const auto seconds = [&](double amount, double warm, double dram) {
    return amount * (base.resident / (warm * gpu.l2_bandwidth.value()) +
                     (1 - base.resident) / (dram * gpu.memory_bandwidth.value()));
  };
  base.memory = seconds(bytes, c[kWarm], c[kDram]);
  base.write = std::max(seconds(kernel.written_bytes(tokens), c[kWriteWarm], c[kWriteDram]),
                        kernel.write_blocks(tokens));
  base.launch = kernel.launch();
  base.overlap = c[kOverlap];
  base.seconds = base.launch + base.write + power_sum(base.compute, base.memory, base.overlap);
  return base;
}

}  // namespace warploom
