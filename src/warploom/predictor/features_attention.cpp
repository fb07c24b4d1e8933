// Attention over ragged batches: tiles of queries, iterations over keys, the schedule's makespan and the
// traffic.
#include "warploom/predictor/feature_parts.h"

namespace warploom::features {
namespace {

constexpr double kKeysPerIteration = 128;
enum Fitted : std::size_t {
  kLaunchSeconds,
  kDramRate,
  kOverlap,
  kRateShare,
  kIterationCycles,
  kTaskCycles,
  kExponentialShare
};
// The launch is that of the several small kernels that libraries launch around attention.
constexpr std::array kPrefillConstants{
    ConstantSpec{"launch_seconds", 8e-6, 1e-6, 30e-6, 0.4},
    ConstantSpec{"dram_share", 0.85, 0.3, 1, 0.15},
    ConstantSpec{"overlap", 1.2, 1, 8, 0.2},
    ConstantSpec{"rate_share", 1.1, 0.4, 1.6, 0.15},
    ConstantSpec{"iteration_cycles", 100, 10, 600, 0.5},  // barrier and bookkeeping
    ConstantSpec{"task_cycles", 2500, 300, 12000, 0.4},   // prologue, epilogue, store
    ConstantSpec{"exponential_share", 0.6, 0.1, 1.2, 0.3},
};
constexpr std::array kDecodeConstants{
    ConstantSpec{"launch_seconds", 8e-6, 1e-6, 30e-6, 0.4},
    ConstantSpec{"dram_share", 0.85, 0.3, 1, 0.15},
    ConstantSpec{"overlap", 4, 1, 10, 0.3},
    ConstantSpec{"rate_share", 0.8, 0.2, 1.2, 0.2},
    ConstantSpec{"iteration_cycles", 550, 100, 2500, 0.3},  // latency-bound: 0.3 us at 1.8 GHz
};
enum FittedMla : std::size_t { kMlaLaunchSeconds, kMlaDramRate, kMlaRateShare };
constexpr std::array kMlaConstants{
    ConstantSpec{"launch_seconds", 10e-6, 1e-6, 40e-6, 0.4},
    ConstantSpec{"dram_share", 0.8, 0.3, 1, 0.15},
    ConstantSpec{"rate_share", 0.6, 0.2, 1, 0.2},
};
constexpr double kUnlimited = 1e18;

// Sums over the requests of a batch.
struct Batch {
  double requests = 0, queries = 0, pairs = 0;   // pairs: query-key products that the mask leaves
  double keys = 0;                               // key positions read at least once
  double longest_queries = 0, longest_keys = 0;  // of the largest request
};

double visible_pairs(double q, double context, double window, bool causal) {
  if (!causal) return q * (context + q);
  const double growing =
      std::clamp(window - context, 0.0, q);  // queries that still see everything before them
  return growing * context + growing * (growing + 1) / 2 + (q - growing) * window;
}

Batch sum_batch(const std::vector<RequestGroup>& groups, double window, bool causal) {
  Batch batch;
  for (const RequestGroup& group : groups) {
    const double n = double(group.count), q = double(group.query_tokens),
                 context = double(group.context_tokens);
    batch.requests += n;
    batch.queries += n * q;
    batch.pairs += n * visible_pairs(q, context, window, causal);
    batch.keys += n * std::min(context + q, window + q - 1);
    batch.longest_queries = std::max(batch.longest_queries, q);
    batch.longest_keys = std::max(batch.longest_keys, std::min(context + q, window + q - 1));
  }
  return batch;
}

// A rule by which a library cuts attention into tasks of `rows` query rows; packed: the query heads of one KV
// head share tiles.
struct TileRule {
  double rows;
  bool packed;
};
constexpr std::array<TileRule, 4> kRules{{{128, true}, {128, false}, {64, false}, {64, true}}};

struct Schedule {
  double seconds, waves, longest_seconds;
};

Schedule schedule_prefill(const AttentionPrefill& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          const Batch& batch, TileRule rule) {
  const double sms = double(gpu.sm_count), clock = gpu.boost_clock.value();
  const double group = rule.packed ? double(op.heads) / double(op.kv_heads) : 1;
  const double heads = rule.packed ? double(op.kv_heads) : double(op.heads);
  double tasks = 0;
  for (const RequestGroup& r : op.requests)
    tasks += double(r.count) * ceil_div(double(r.query_tokens) * group, rule.rows);
  tasks *= heads;
  const double tile_queries = rule.rows / group;
  const double mean_keys = batch.pairs / batch.queries + (tile_queries + kKeysPerIteration) / 2;
  const double longest_keys =
      op.window > 0 ? std::min(double(op.window) + tile_queries, batch.longest_keys) : batch.longest_keys;
  const double longest = std::ceil(longest_keys / kKeysPerIteration);
  const double mean = std::clamp(mean_keys / kKeysPerIteration, 1.0, std::max(longest, 1.0));
  const double rate = tensor_rate_per_clock(gpu, op.compute) * sustained_rate_share(gpu) * fitted[kRateShare];
  const double iteration =
      4 * rule.rows * kKeysPerIteration * double(op.head_dim) / rate +
      fitted[kExponentialShare] * rule.rows * kKeysPerIteration / std::max(gpu.special_function_lanes, 1.0) +
      fitted[kIterationCycles];
  const double longest_cycles = longest * iteration + fitted[kTaskCycles];
  const double mean_load = tasks * (mean * iteration + fitted[kTaskCycles]) / sms;
  const double waves = tasks / sms;
  const double cycles = std::max(mean_load, longest_cycles) + (waves > 1 ? 0.4 * longest_cycles : 0.0);
  return {cycles / clock, waves, longest_cycles / clock};
}

Schedule schedule_decode(const AttentionDecode& op, const GpuSpec& gpu, const BaseConstants& fitted,
                         const Batch& batch, TileRule rule) {
  const double sms = double(gpu.sm_count), clock = gpu.boost_clock.value();
  const double queries = batch.queries / batch.requests;
  const double group = double(op.heads) / double(op.kv_heads);
  const double tasks_per_request =
      rule.packed ? double(op.kv_heads) * ceil_div(group * queries, 64) : double(op.heads);
  const double tasks = batch.requests * tasks_per_request;
  const double mean = std::max(std::ceil(batch.keys / batch.requests / kKeysPerIteration), 1.0);
  const double longest = std::max(std::ceil(batch.longest_keys / kKeysPerIteration), 1.0);
  const double residents = rule.rows < 128 ? 2 : 1;
  const double splits = std::clamp(std::floor(sms * residents / tasks), 1.0, mean);
  const double rate = tensor_rate_per_clock(gpu, op.compute) * fitted[kRateShare];
  const double iteration = 4 * 64 * kKeysPerIteration * double(op.head_dim) / rate + fitted[kIterationCycles];
  const double longest_cycles = std::ceil(longest / splits) * iteration;
  const double cycles = std::max(tasks * mean * iteration / sms, longest_cycles);
  return {cycles / clock, tasks * splits / sms, longest_cycles / clock};
}

struct AttentionSizes {
  double heads, kv_heads, head_dim, window;
  double flop, kv_bytes, query_bytes;
  DataType compute, kv_cache;
};

void add_attention(const AttentionSizes& s, const Batch& batch,
                   const std::array<Schedule, kRules.size()>& schedules, const GpuSpec& gpu,
                   const BaseConstants& fitted, double compute_seconds, FeatureRow& row) {
  const double bandwidth = gpu.memory_bandwidth.value(), l2 = gpu.l2_capacity.value(),
               sms = double(gpu.sm_count);
  const double fill = s.kv_bytes / (0.7 * l2);
  const double resident = 1 / (1 + fill * fill * fill);  // repeated launches find the cache's keys in L2
  const double memory =
      (s.kv_bytes * (1 - 0.6 * resident) + s.query_bytes * 0.5) / (fitted[kDramRate] * bandwidth);
  const double base = fitted[kLaunchSeconds] + power_sum(compute_seconds, memory, fitted[kOverlap]);
  row.log_base = std::log(base);
  row.add(bytes_per_element(s.compute));
  row.add(bytes_per_element(s.kv_cache));
  for (const Schedule& schedule : schedules) {
    row.add_log2(schedule.seconds / base);
    row.add(std::min(schedule.waves, 64.0));
    row.add(wave_fill(schedule.waves));
    row.add_log2(schedule.longest_seconds / schedule.seconds);
  }
  row.add_log2(base);
  row.add_log2(s.flop / gpu.tensor_rate(tensor_rate_per_clock(gpu, s.compute)).value() / base);
  row.add_log2((s.kv_bytes + s.query_bytes) / bandwidth / base);
  row.add_log2(s.heads * batch.pairs /
               (std::max(gpu.special_function_lanes, 1.0) * gpu.sm_cycles_per_second()) / base);
  row.add(resident);
  row.add_log2(s.kv_bytes / l2);
  row.add_log2(batch.requests);
  row.add_log2(s.heads);
  row.add_log2(s.kv_heads);
  row.add_log2(s.heads / s.kv_heads);
  row.add(s.head_dim);
  row.add(s.window < kUnlimited ? s.window : 0.0);
  const double keys = batch.keys / batch.requests;
  row.add_log2(
      std::max(2 * batch.pairs / batch.queries - 1, 1.0));  // length of a causal square with this mean depth
  row.add_log2(keys);
  row.add_log2(std::min(keys / s.window, 4.0));
  row.add_log2(batch.requests * s.heads);
  row.add_log2(batch.requests * s.kv_heads);
  row.add(keys / kKeysPerIteration - std::floor(keys / kKeysPerIteration));
  row.add_log2(batch.requests * s.kv_heads / sms);
  row.add_log2(batch.requests * keys);
  row.add_log2(batch.queries);
  row.add_log2(s.flop);
}

}  // namespace

std::span<const ConstantSpec> attention_prefill_constants() { return kPrefillConstants; }
std::span<const ConstantSpec> attention_decode_constants() { return kDecodeConstants; }
std::span<const ConstantSpec> mla_constants() { return kMlaConstants; }

void add_attention_prefill(const AttentionPrefill& op, const GpuSpec& gpu, const BaseConstants& fitted,
                           FeatureRow& row) {
  const double window = op.window > 0 ? double(op.window) : kUnlimited;
  const Batch batch = sum_batch(op.requests, window, op.causal);
  const double heads = double(op.heads), kv_heads = double(op.kv_heads), dim = double(op.head_dim);
  const AttentionSizes sizes{heads,
                             kv_heads,
                             dim,
                             window,
                             4 * heads * dim * batch.pairs,
                             2 * batch.keys * kv_heads * dim * bytes_per_element(op.kv_cache),
                             2 * batch.queries * heads * dim * 2,
                             op.compute,
                             op.kv_cache};
  std::array<Schedule, kRules.size()> schedules;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    schedules[i] = schedule_prefill(op, gpu, fitted, batch, kRules[i]);
  // FlashAttention packs grouped heads; data-centre Blackwell kernels do not.
  const std::size_t rule = architecture_class(gpu) == 100 ? 1 : 0;
  add_attention(sizes, batch, schedules, gpu, fitted, schedules[rule].seconds, row);
  row.add(op.causal ? 1 : 0);
}

void add_attention_decode(const AttentionDecode& op, const GpuSpec& gpu, const BaseConstants& fitted,
                          FeatureRow& row) {
  const double window = op.window > 0 ? double(op.window) : kUnlimited;
  const Batch batch = sum_batch(op.requests, window, true);
  const double heads = double(op.heads), kv_heads = double(op.kv_heads), dim = double(op.head_dim);
  const AttentionSizes sizes{heads,
                             kv_heads,
                             dim,
                             window,
                             4 * heads * dim * batch.pairs,
                             2 * batch.keys * kv_heads * dim * bytes_per_element(op.kv_cache),
                             2 * batch.queries * heads * dim * 2,
                             op.compute,
                             op.kv_cache};
  std::array<Schedule, kRules.size()> schedules;
  for (std::size_t i = 0; i < kRules.size(); ++i)
    schedules[i] = schedule_decode(op, gpu, fitted, batch, kRules[i]);
  add_attention(sizes, batch, schedules, gpu, fitted, schedules[0].seconds, row);
}

namespace {

// MLA in either form: `rows` tiles of queries per head group against the keys of each request.
struct MlaWork {
  double flop, bytes, tasks, iterations;
  double compute_seconds;
  double projection_seconds = 0;
};

void add_mla(const MlaShape& shape, const Batch& batch, const MlaWork& work, DataType compute,
             DataType kv_cache, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const double bandwidth = gpu.memory_bandwidth.value(), heads = double(shape.heads);
  const double memory = work.bytes / bandwidth;
  const double base = fitted[kMlaLaunchSeconds] +
                      power_sum(work.compute_seconds, memory / fitted[kMlaDramRate], 3) +
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
  work.compute_seconds =
      work.flop / rate / fitted[kMlaRateShare] / wave_fill(work.tasks / double(gpu.sm_count));
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
  const double schedule =
      std::ceil(work.tasks / sms) * std::ceil(work.iterations / splits) * 1500 / gpu.boost_clock.value();
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, compute)).value();
  work.compute_seconds = std::max(work.flop / rate / fitted[kMlaRateShare], schedule);
  return work;
}

}  // namespace

void add_mla_prefill(const MlaPrefill& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const Batch batch = sum_batch(op.requests, kUnlimited, true);
  add_mla(op.shape, batch, expanded_work(op.shape, batch, op.compute, gpu, fitted), op.compute, op.kv_cache,
          gpu, fitted, row);
}

void add_mla_decode(const MlaDecode& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const Batch batch = sum_batch(op.requests, kUnlimited, true);
  add_mla(op.shape, batch, absorbed_work(op.shape, batch, op.compute, op.kv_cache, gpu, fitted), op.compute,
          op.kv_cache, gpu, fitted, row);
}

void add_mla_module(const MlaModule& op, const GpuSpec& gpu, const BaseConstants& fitted, FeatureRow& row) {
  const Batch batch = sum_batch(op.requests, kUnlimited, true);
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
