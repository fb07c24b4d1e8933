// The MLA module: projections and latent attention together, as some engines measure it.
#include "warploom/kernels/attention_view.h"
#include "warploom/predictor/features/feature_parts.h"

namespace warploom::features {
namespace {

constexpr double kKeysPerIteration = 128;
enum Fitted : std::size_t { kLaunchSeconds, kDramRate, kRateShare };
constexpr std::array kConstants{
    ConstantSpec{"launch_seconds", 10e-6, 1e-6, 40e-6, 0.4},
    ConstantSpec{"dram_share", 0.8, 0.3, 1, 0.15},
    ConstantSpec{"rate_share", 0.6, 0.2, 1, 0.2},
};

// Sums over the requests of a batch.
struct Batch {
  double requests = 0, queries = 0, pairs = 0, keys = 0, longest_keys = 0;
};

Batch sum_batch(const AttentionView& view) {
  const AttentionTotals totals = attention_totals(view);
  Batch batch{totals.requests, totals.queries, totals.pairs, totals.keys};
  for (const RequestGroup& group : view.requests)
    batch.longest_keys = std::max(batch.longest_keys, double(group.kv_tokens()));
  return batch;
}

// MLA in either form: `rows` tiles of queries per head group against the keys of each request.
struct MlaWork {
  double flop, bytes, tasks, iterations;
  double compute_seconds;
  double projection_seconds = 0;
};

void add_mla(const MlaShape& shape, const Batch& batch, const MlaWork& work, DataType compute,
             DataType kv_cache, const GpuSpec& gpu, const BaseConstants& fitted, OperatorFeatures& row) {
  const double bandwidth = gpu.memory_bandwidth.value(), heads = double(shape.heads);
  const double memory = work.bytes / bandwidth;
  const double base = fitted[kLaunchSeconds] +
                      power_sum(work.compute_seconds, memory / fitted[kDramRate], 3) +
                      work.projection_seconds;
  row.log_base = std::log(base);
  const double waves = work.tasks / double(gpu.sm_count);
  row.add(bytes_per_element(compute));
  row.add(bytes_per_element(kv_cache));
  row.add_log2(base);
  row.add_log2(work.flop / gpu.tensor_rate(tensor_rate_per_clock(gpu, compute)).value() / base);
  row.add_log2(memory / base);
  row.add_log2(work.compute_seconds / base);
  row.add_log2(heads);
  row.add_log2(batch.requests);
  row.add_log2(std::max(2 * batch.pairs / batch.queries - 1, 1.0));
  row.add_log2(batch.queries);
  row.add(std::min(waves, 64.0));
  row.add(wave_fill(waves));
  row.add_log2(work.flop);
  row.add_log2(work.bytes / gpu.l2_capacity.value());
  row.add_log2(work.iterations);
  row.add_log2(batch.requests * heads);
  row.add_log2(batch.keys);
  row.add_log2(batch.keys * heads);
  row.add_log2(batch.requests / double(gpu.sm_count));
  row.add_log2(double(shape.kv_lora_rank));
}

MlaWork expanded_work(const MlaShape& shape, const Batch& batch, DataType compute, const GpuSpec& gpu,
                      const BaseConstants& fitted) {
  const double heads = double(shape.heads), key_dim = double(shape.nope_head_dim + shape.rope_head_dim);
  const double value_dim = double(shape.value_head_dim);
  MlaWork work{};
  work.flop = 2 * heads * batch.pairs * (key_dim + value_dim);
  work.bytes = (batch.keys + batch.queries) * heads * (key_dim + value_dim) * 2;
  work.tasks = heads * std::max(batch.requests, batch.queries / 128);
  work.iterations = std::ceil(batch.longest_keys / kKeysPerIteration);
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, compute)).value();
  work.compute_seconds = work.flop / rate / fitted[kRateShare] / wave_fill(work.tasks / double(gpu.sm_count));
  return work;
}

MlaWork absorbed_work(const MlaShape& shape, const Batch& batch, DataType compute, DataType kv_cache,
                      const GpuSpec& gpu, const BaseConstants& fitted) {
  const double heads = double(shape.heads), latent = double(shape.kv_lora_rank),
               rope = double(shape.rope_head_dim);
  MlaWork work{};
  work.flop = 2 * heads * batch.pairs * (2 * latent + rope);
  work.bytes = batch.keys * (latent + rope) * bytes_per_element(kv_cache) +
               batch.queries * heads * (2 * latent + rope) * 2;
  const double sms = double(gpu.sm_count);
  const double tiles = batch.queries * ceil_div(heads, 64);
  work.iterations = std::max(std::ceil(batch.longest_keys / 64), 1.0);
  const double splits = std::clamp(std::floor(sms / tiles), 1.0, work.iterations);
  work.tasks = tiles * splits;
  const double schedule = std::ceil(work.tasks / sms) * std::ceil(work.iterations / splits) * 1500 /
                          clock_under_load(gpu, ClockRule::DataSheet).hertz;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, compute)).value();
  work.compute_seconds = std::max(work.flop / rate / fitted[kRateShare], schedule);
  return work;
}

}  // namespace

std::span<const ConstantSpec> mla_module_constants() { return kConstants; }

void add_mla_module(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted,
                    OperatorFeatures& row) {
  const Batch batch = sum_batch(view_of(op));
  MlaWork work = op.decode ? absorbed_work(op.shape, batch, op.compute, op.kv_cache, gpu, fitted)
                           : expanded_work(op.shape, batch, op.compute, gpu, fitted);
  const double hidden = double(op.hidden), heads = double(op.shape.heads),
               latent = double(op.shape.kv_lora_rank);
  const double nope = double(op.shape.nope_head_dim), rope = double(op.shape.rope_head_dim);
  const double value = double(op.shape.value_head_dim), q_rank = double(op.q_lora_rank);
  const double weights = hidden * (q_rank + latent + rope) + q_rank * heads * (nope + rope) +
                         latent * heads * (nope + value) + heads * value * hidden;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.projections))).value();
  work.projection_seconds = 10e-6 + power_sum(2 * weights * batch.queries / (0.6 * rate),
                                              weights * bytes_per_element(weight_type(op.projections)) /
                                                  (kDramShare * gpu.memory_bandwidth.value()),
                                              3);
  add_mla(op.shape, batch, work, op.compute, op.kv_cache, gpu, fitted, row);
  row.add(int(op.projections));
  row.add(op.decode ? 1 : 0);
  row.add_log2(hidden);
  row.add_log2(weights);
  row.add_log2(work.projection_seconds / std::exp(row.log_base));
}

}  // namespace warploom::features
