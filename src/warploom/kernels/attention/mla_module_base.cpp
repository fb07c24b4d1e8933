#include "warploom/kernels/attention/mla_module_base.h"

#include "warploom/kernels/attention_view.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

enum Fitted : std::size_t { kLaunchSeconds, kDramRate, kRateShare };
constexpr auto kConstants =
    from_source("centre of the prior: typical of the modules in aiconfigurator, set by hand",
                std::array{
                    ConstantSpec{"launch_seconds", "s", 10e-6, 1e-6, 40e-6, 0.4},
                    ConstantSpec{"dram_share", "1", 0.8, 0.3, 1, 0.15},
                    ConstantSpec{"rate_share", "1", 0.6, 0.2, 1, 0.2},
                });

constexpr double kKeysPerIteration = 128;          // of expanded attention
constexpr double kQueriesPerTask = 128;            // of expanded attention
constexpr double kAbsorbedKeys = 64;               // of an iteration of absorbed attention
constexpr double kAbsorbedHeads = 64;              // of its tile
constexpr double kAbsorbedIterationClocks = 1500;  // set by hand over the public modules
constexpr double kProjectionLaunch = 10e-6;        // s, of all projections; set by hand
constexpr double kProjectionRateShare = 0.6;       // of the matrix rate
constexpr double kProjectionDramShare = 0.81;      // of peak bandwidth, streaming reads

void sum_batch(const AttentionView& view, MlaModuleBase& base) {
  const AttentionTotals totals = attention_totals(view);
  base.requests = totals.requests;
  base.queries = totals.queries;
  base.pairs = totals.pairs;
  base.keys = totals.keys;
  for (const RequestGroup& group : view.requests)
    base.longest_keys = std::max(base.longest_keys, double(group.kv_tokens()));
}

void expand(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted, MlaModuleBase& base) {
  const MlaShape& shape = op.shape;
  const double heads = double(shape.heads), key_dim = double(shape.nope_head_dim + shape.rope_head_dim);
  const double value_dim = double(shape.value_head_dim);
  base.flop = 2 * heads * base.pairs * (key_dim + value_dim);
  base.bytes = (base.keys + base.queries) * heads * (key_dim + value_dim) * 2;
  base.tasks = heads * std::max(base.requests, base.queries / kQueriesPerTask);
  base.iterations = std::ceil(base.longest_keys / kKeysPerIteration);
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, op.compute)).value();
  const double fill = wave_fill(base.tasks / double(gpu.sm_count));
  base.compute = base.flop / rate / fitted[kRateShare] / fill;
  base.balance = 1 / fill;
}

void absorb(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted, MlaModuleBase& base) {
  const MlaShape& shape = op.shape;
  const double heads = double(shape.heads), latent = double(shape.kv_lora_rank),
               rope = double(shape.rope_head_dim);
  base.flop = 2 * heads * base.pairs * (2 * latent + rope);
  base.bytes = base.keys * (latent + rope) * bytes_per_element(op.kv_cache) +
               base.queries * heads * (2 * latent + rope) * 2;
  const double sms = double(gpu.sm_count);
  const double tiles = base.queries * ceil_div(heads, kAbsorbedHeads);
  base.iterations = std::max(std::ceil(base.longest_keys / kAbsorbedKeys), 1.0);
  const double splits = std::clamp(std::floor(sms / tiles), 1.0, base.iterations);
  base.tasks = tiles * splits;
  const double schedule = std::ceil(base.tasks / sms) * std::ceil(base.iterations / splits) *
                          kAbsorbedIterationClocks / clock_under_load(gpu, ClockRule::DataSheet).hertz;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, op.compute)).value();
  const double products = base.flop / rate / fitted[kRateShare];
  base.compute = std::max(products, schedule);
  base.balance = std::max(1.0, base.compute / std::max(products, schedule * wave_fill(base.tasks / sms)));
}

void project(const MlaModule& op, const GpuSpec& gpu, MlaModuleBase& base) {
  const double hidden = double(op.hidden), heads = double(op.shape.heads),
               latent = double(op.shape.kv_lora_rank);
  const double nope = double(op.shape.nope_head_dim), rope = double(op.shape.rope_head_dim);
  const double value = double(op.shape.value_head_dim), q_rank = double(op.q_lora_rank);
  base.weights = hidden * (q_rank + latent + rope) + q_rank * heads * (nope + rope) +
                 latent * heads * (nope + value) + heads * value * hidden;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.projections))).value();
  base.projections =
      kProjectionLaunch + power_sum(2 * base.weights * base.queries / (kProjectionRateShare * rate),
                                    base.weights * bytes_per_element(weight_type(op.projections)) /
                                        (kProjectionDramShare * gpu.memory_bandwidth.value()),
                                    kMlaModuleOverlap);
}

}  // namespace

std::span<const ConstantSpec> mla_module_constants() { return kConstants; }

MlaModuleBase mla_module_base(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  MlaModuleBase base{.launch = fitted[kLaunchSeconds]};
  sum_batch(view_of(op), base);
  op.decode ? absorb(op, gpu, fitted, base) : expand(op, gpu, fitted, base);
  project(op, gpu, base);
  base.memory = base.bytes / gpu.memory_bandwidth.value();
  base.streamed = base.memory / fitted[kDramRate];
  base.seconds = base.launch + power_sum(base.compute, base.streamed, kMlaModuleOverlap) + base.projections;
  return base;
}

}  // namespace warploom
