// DeepSeek sparse attention: the whole block, priced as the sum of its parts (operator/dsa.h).
//
//   scores   every query times the index keys of every token that it sees, in fp8, over index_heads heads
//   choice   one block a query reads its row of scores; a long row is bound by what one block can read
//   compute  one task a query and 64 heads, over the chosen tokens 64 at a time; few tasks split them
//   memory   latents of the chosen tokens: each distinct one from DRAM, the rest from L2
#include <algorithm>
#include <array>
#include <cmath>

#include "warploom/kernels/define_family.h"
#include "warploom/kernels/matrix_rate.h"

namespace warploom {
namespace {

enum Fitted : std::size_t {
  kLaunchSeconds,
  kIndexerSeconds,
  kProductRate,
  kProductDram,
  kScoreRate,
  kChoiceDram,
  kRowRate,
  kAttentionRate,
  kGatherShare,
  kIterationClocks
};
constexpr auto kConstants =
    from_source("centre of the prior: of vLLM's blocks on H200 in aisimulate, set by hand",
                std::array{
                    ConstantSpec{"launch_seconds", "s", 35e-6, 3e-6, 150e-6, 0.4},
                    ConstantSpec{"indexer_seconds", "s", 30e-6, 2e-6, 150e-6, 0.4},
                    ConstantSpec{"product_rate_share", "1", 0.6, 0.2, 1, 0.2},
                    ConstantSpec{"product_dram_share", "1", 0.75, 0.3, 1, 0.15},
                    ConstantSpec{"score_rate_share", "1", 0.4, 0.05, 1, 0.3},
                    ConstantSpec{"choice_dram_share", "1", 0.3, 0.02, 1, 0.4},
                    ConstantSpec{"row_rate", "B/clock", 32, 3, 300, 0.5},
                    ConstantSpec{"attention_rate_share", "1", 0.55, 0.1, 1, 0.25},
                    ConstantSpec{"gather_share", "1", 0.5, 0.1, 1, 0.3},
                    ConstantSpec{"iteration_clocks", "clocks", 1500, 200, 10000, 0.3},
                });

constexpr double kTile = 64;            // heads of a task, and tokens of an iteration, in the public kernels
constexpr double kScoreBytes = 4;       // of a score, fp32
constexpr double kIndexScaleBytes = 4;  // of the scale of an fp8 index key
constexpr double kOverlap = 3;          // power of the sums of compute and memory
constexpr std::uint32_t kPooled = 1u << 15;             // in the code of a kind
constexpr double kLaunches = 12, kIndexerLaunches = 8;  // kernels of the usual implementation

// The attention in absorbed form: one latent for all heads, of the last top_k tokens in the count of pairs.
AttentionView view_of(const Dsa& op) {
  return {.compute = op.compute,
          .kv_cache = op.kv_cache,
          .kv_heads = 1,
          .group = op.shape.heads,
          .key_dim = op.shape.kv_lora_rank + op.shape.rope_head_dim,
          .value_dim = op.shape.kv_lora_rank,
          .value_in_key = true,
          .window = op.top_k,
          .decode = true,
          .requests = op.requests};
}

double latent_width(const Dsa& op) { return double(op.shape.kv_lora_rank + op.shape.rope_head_dim); }

// The products around the attention, those of the indexer joined to those that read the same rows.
using DsaProducts = std::array<Gemm, 5>;
DsaProducts products_of(const Dsa& op) {
  double queries = 0;
  for (const RequestGroup& group : op.requests) queries += double(group.count) * double(group.query_tokens);
  const std::int64_t m = std::int64_t(queries);
  const MlaShape& s = op.shape;
  const std::int64_t keys = op.indexer ? op.index_dim + op.index_heads : 0;
  const std::int64_t index_queries = op.indexer ? op.index_heads * op.index_dim : 0;
  return {Gemm{.scheme = op.projections,
               .m = m,
               .n = op.q_lora_rank + s.kv_lora_rank + s.rope_head_dim + keys,
               .k = op.hidden},
          Gemm{.scheme = op.projections,
               .m = m,
               .n = s.heads * (s.nope_head_dim + s.rope_head_dim) + index_queries,
               .k = op.q_lora_rank},
          Gemm{.m = m, .n = s.kv_lora_rank, .k = s.nope_head_dim, .batch = s.heads},
          Gemm{.m = m, .n = s.value_head_dim, .k = s.kv_lora_rank, .batch = s.heads},
          Gemm{.scheme = op.projections, .m = m, .n = op.hidden, .k = s.heads * s.value_head_dim}};
}

void sum_requests(const Dsa& op, DsaParts& parts) {
  const AttentionView view = view_of(op);
  const double token = latent_width(op) * bytes_per_element(op.kv_cache);
  for (const RequestGroup& group : op.requests) {
    const double count = double(group.count), queries = double(group.query_tokens);
    const double keys = double(group.kv_tokens()), chosen = attended_pairs(view, group);
    parts.requests += count;
    parts.queries += count * queries;
    parts.keys += count * keys;
    parts.seen += count * (queries * double(group.context_tokens) + queries * (queries + 1) / 2);
    parts.chosen += count * chosen;
    parts.unique_bytes += count * std::min(keys, chosen) * token;
    parts.longest_keys = std::max(parts.longest_keys, keys);
  }
  parts.gathered_bytes = parts.chosen * token;
  parts.scored = parts.seen / double(op.index_pool);
  parts.index_keys = parts.keys / double(op.index_pool);
}

void price_products(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted, DsaParts& parts) {
  for (const Gemm& product : products_of(op)) {
    const Work work = gemm_work(product);
    const double flop = work.matrix_flop.value(), bytes = work.unique_bytes().value();
    const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(product.scheme))).value();
    parts.product_flop += flop;
    parts.product_bytes += bytes;
    parts.projections += power_sum(flop / (fitted[kProductRate] * rate),
                                   bytes / (fitted[kProductDram] * gpu.memory_bandwidth.value()), kOverlap);
  }
}

void price_indexer(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted, DsaParts& parts) {
  const double dram = gpu.memory_bandwidth.value();
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, DataType::Fp8)).value();
  parts.score_flop = 2 * parts.scored * double(op.index_heads) * double(op.index_dim);
  const double key = double(op.index_dim) * bytes_per_element(DataType::Fp8) + kIndexScaleBytes;
  const double rows = kScoreBytes * parts.scored;
  parts.score_bytes = parts.index_keys * key + rows;
  parts.scores = power_sum(parts.score_flop / (fitted[kScoreRate] * rate),
                           parts.score_bytes / (fitted[kProductDram] * dram), kOverlap);
  const double rounds = std::ceil(parts.queries / double(gpu.sm_count));
  const double row_rate = fitted[kRowRate] * clock_under_load(gpu, ClockRule::DataSheet).hertz;
  parts.choice =
      power_sum(rows / (fitted[kChoiceDram] * dram),
                rounds * kScoreBytes * parts.longest_keys / double(op.index_pool) / row_rate, kOverlap);
  parts.launch += fitted[kIndexerSeconds];
}

void price_attention(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted, DsaParts& parts) {
  const double sms = double(gpu.sm_count), heads = double(op.shape.heads);
  const double width = latent_width(op) + double(op.shape.kv_lora_rank);
  parts.flop = 2 * heads * parts.chosen * width;
  const double tiles = parts.queries * ceil_div(heads, kTile);
  parts.iterations = std::max(std::ceil(std::min(parts.longest_keys, double(op.top_k)) / kTile), 1.0);
  const double splits = std::clamp(std::floor(sms / tiles), 1.0, parts.iterations);
  parts.tasks = tiles * splits;
  const double schedule = std::ceil(parts.tasks / sms) * std::ceil(parts.iterations / splits) *
                          fitted[kIterationClocks] / clock_under_load(gpu, ClockRule::DataSheet).hertz;
  const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, op.compute)).value();
  const double padded = ceil_div(heads, kTile) * kTile / heads;
  parts.compute = power_sum(parts.flop * padded / (fitted[kAttentionRate] * rate), schedule, kOverlap);
  parts.memory =
      parts.unique_bytes / (fitted[kProductDram] * gpu.memory_bandwidth.value()) +
      (parts.gathered_bytes - parts.unique_bytes) / (fitted[kGatherShare] * gpu.l2_bandwidth.value());
}

// Every query attends to all that it sees, as no choice is needed: engines have kernels of their own for such
// prompts.
bool sees_no_more_than_it_chooses(const Dsa& op) {
  return std::all_of(op.requests.begin(), op.requests.end(),
                     [&](const RequestGroup& group) { return group.kv_tokens() <= op.top_k; });
}

struct DsaFamily : RequestFamily<DsaFamily, Dsa> {
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kScheme = &Dsa::projections;
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("projections", &Dsa::projections, {.doc = "scheme of the linear layers"})
        .add("compute", &Dsa::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &Dsa::kv_cache, {.doc = "type of the cached latent"})
        .add("decode", &Dsa::decode, {.doc = "new tokens of running requests instead of prompts"})
        .add("indexer", &Dsa::indexer,
             {.doc = "has an indexer; a layer without takes over an earlier one's choice"})
        .add("hidden", &Dsa::hidden, product_side("width of the model"))
        .add("q_lora_rank", &Dsa::q_lora_rank, product_side("width of the query latent"))
        .add("shape", &Dsa::shape, {.doc = "head counts and widths"})
        .add("index_heads", &Dsa::index_heads, at_least_one("heads of the indexer"))
        .add("index_dim", &Dsa::index_dim, at_least_one("elements of an index key"))
        .add("top_k", &Dsa::top_k,
             at_least_one("tokens that a query chooses; with fewer in sight it attends to all of them"))
        .add("index_pool", &Dsa::index_pool, at_least_one("tokens that share an index key"))
        .add("requests", &Dsa::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const Dsa& op) {
    c.not_negative("rope_head_dim", op.shape.rope_head_dim);
    MlaShape shape = op.shape;
    shape.rope_head_dim = std::max<std::int64_t>(shape.rope_head_dim, 1);  // none (NoPE) is as good as any
    c.mla(shape, op.requests, true);
    c.side("hidden", op.hidden)
        .side("q_lora_rank", op.q_lora_rank)
        .side("kv_lora_rank", op.shape.kv_lora_rank);
    c.positive("index_heads", op.index_heads).positive("index_dim", op.index_dim).positive("top_k", op.top_k);
    c.positive("index_pool", op.index_pool);
    const MlaShape& s = op.shape;
    const double widest = double(s.nope_head_dim + s.rope_head_dim + s.value_head_dim);
    c.amount("heads x width of a head", double(s.heads) * widest, double(kLargestSide), "columns");
    const double index = double(op.index_heads) * double(op.index_dim);
    c.amount("index_heads x index_dim", index, double(kLargestSide), "columns");
    double seen = 0;
    for (const RequestGroup& group : op.requests)
      seen += double(group.count) * double(group.query_tokens) * double(group.kv_tokens());
    c.amount("2 x index_heads x index_dim x queries x keys", 2 * index * seen, kMostFlop, "FLOP");
    for (const Gemm& product : products_of(op)) c.gemm(product);
  }
  static void hash(ShapeHasher& hasher, const Dsa& op) {
    hasher.mix(op.projections, op.compute, op.kv_cache, op.decode, op.indexer, op.hidden, op.q_lora_rank,
               op.shape, op.index_heads, op.index_dim, op.top_k, op.requests);
    if (op.index_pool > 1) hasher.mix(op.index_pool);  // others keep the hash that they were split by
  }
  static bool decodes(const Dsa& op) { return op.decode; }

  static Work work(const Dsa& op) {
    DsaParts sums;
    sum_requests(op, sums);
    Work work;
    for (const Gemm& product : products_of(op)) {
      work.matrix_flop += gemm_work(product).matrix_flop;
      work.weight_bytes += gemm_work(product).weight_bytes;
    }
    const double heads = double(op.shape.heads), latent = latent_width(op);
    work.matrix_flop += Flop(2 * heads * sums.chosen * (latent + double(op.shape.kv_lora_rank)));
    work.special_ops = heads * sums.chosen;
    const double token = latent * bytes_per_element(op.kv_cache);
    double least_tokens = 0;  // of which latents are read, when all queries choose the same
    for (const RequestGroup& group : op.requests)
      least_tokens += double(group.count) * double(std::min(group.kv_tokens(), op.top_k));
    work.cache_bytes = Bytes(least_tokens * token);
    work.launches = kLaunches;
    if (op.indexer) {
      const double key = double(op.index_dim) * bytes_per_element(DataType::Fp8) + kIndexScaleBytes;
      work.matrix_flop += Flop(2 * sums.scored * double(op.index_heads) * double(op.index_dim));
      work.cache_bytes += Bytes(sums.index_keys * key);
      work.scratch_bytes = Bytes(kScoreBytes * sums.scored);
      work.launches += kIndexerLaunches;
    }
    const double row = sums.queries * double(op.hidden) * bytes_per_element(DataType::Bf16);
    work.input_bytes = Bytes(row);
    work.output_bytes = Bytes(row + sums.queries * token);
    return work;
  }
  // Products, scores and attention one after the other. Heads may also be expanded, which takes fewer FLOP
  // for each pair: the bound counts those, and of the absorbed products none.
  static void raise_compute(BoundLimit& limit, const Dsa& op, const GpuSpec& gpu, const Work&) {
    DsaParts sums;
    sum_requests(op, sums);
    const DsaProducts products = products_of(op);
    double seconds = fastest_product_seconds(products[0], gpu) + fastest_product_seconds(products[1], gpu) +
                     fastest_product_seconds(products[4], gpu);
    const MlaShape& s = op.shape;
    const double width = double(s.nope_head_dim + s.rope_head_dim + s.value_head_dim);
    seconds += seconds_at_peak(2 * double(s.heads) * sums.chosen * width,
                               fastest_attention_rate(op.compute, op.kv_cache, gpu), gpu);
    if (op.indexer && !sees_no_more_than_it_chooses(op))
      seconds += seconds_at_peak(2 * sums.scored * double(op.index_heads) * double(op.index_dim),
                                 tensor_rate_per_clock(gpu, DataType::Fp8), gpu);
    limit.raise(seconds, Bound::Tensor);
  }

  static std::span<const ConstantSpec> constants() { return kConstants; }
  static StructuralPrice price(const Dsa& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    const DsaParts parts = dsa_parts(op, gpu, fitted);
    return {.seconds = parts.seconds,
            .launch = parts.launch,
            .passes = parts.projections + parts.scores + parts.choice,
            .compute = parts.compute,
            .memory = parts.memory,
            .overlap = kOverlap,
            .balance = 1 / wave_fill(parts.tasks / double(gpu.sm_count)),
            .again = 1 - parts.unique_bytes / parts.gathered_bytes,
            .tile_rows = kTile,
            .tile_columns = kTile,
            .tasks = parts.tasks,
            .waves = parts.tasks / double(gpu.sm_count)};
  }
  static void profile(ProfileBuilder& builder, const Dsa& op) {
    Work rest = work(op);
    for (const Gemm& product : products_of(op)) {
      builder.add_projection(product);
      rest.matrix_flop -= gemm_work(product).matrix_flop;
      rest.weight_bytes -= gemm_work(product).weight_bytes;
    }
    builder.add_stream(rest, "sparse attention");
    TaskGrid& grid = builder.parts.sequence.kernels[builder.parts.sequence.size - 1];
    grid.tensor_rate = tensor_rate_per_clock(builder.gpu, op.compute);
    grid.per_task.tensor_flop = rest.matrix_flop.value() / grid.tasks();
  }

  static std::uint32_t kind_in(const Dsa& op, MatmulScheme scheme) {
    const std::uint32_t types = kind_pair(half_as_one(op.compute), half_as_one(op.kv_cache));
    const bool all = !op.decode && sees_no_more_than_it_chooses(op);
    return (op.index_pool > 1 ? kPooled : 0) + (types * 16 + std::uint32_t(half_as_one(scheme))) * 8 +
           (op.decode ? 4 : 0) + (op.indexer ? 2 : 0) + (all ? 1 : 0);
  }
  static std::uint32_t kind_code(const Dsa& op) { return kind_in(op, op.projections); }
  static NearKinds near(const Dsa& op, const GpuSpec& gpu) {
    return near_schemes(op.projections, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const Dsa& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    std::uint64_t group =
        grid_group(grid_group(op.shape), op.hidden, op.q_lora_rank, op.index_heads, op.index_dim, op.top_k);
    if (op.index_pool > 1) group = hash_combine(group, std::uint64_t(op.index_pool));
    if (op.decode)
      return at_grid(hash_combine(group, std::uint64_t(r.query_tokens)),
                     {r.context_tokens, r.count, op.shape.heads});
    return at_grid(group, {r.query_tokens, r.count, op.shape.heads, r.context_tokens});
  }
  static void coordinates(OperatorCoordinates& list, const Dsa& op) {
    list.add_variant(op.projections, op.compute, op.kv_cache, op.decode, op.indexer);
    if (op.index_pool > 1) list.add_variant(op.index_pool);
    list.add_sizes(op.hidden, op.q_lora_rank, op.index_heads, op.top_k);
    list.add_latent(op.shape);
    list.add_requests(op.requests);
  }
};

}  // namespace

DsaParts dsa_parts(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  DsaParts parts{.launch = fitted[kLaunchSeconds]};
  sum_requests(op, parts);
  price_products(op, gpu, fitted, parts);
  if (op.indexer) price_indexer(op, gpu, fitted, parts);
  price_attention(op, gpu, fitted, parts);
  parts.seconds = parts.launch + parts.projections + parts.scores + parts.choice +
                  power_sum(parts.compute, parts.memory, kOverlap);
  return parts;
}

FieldTable Dsa::describe() { return described<DsaFamily>(); }
constinit const OperatorFamily Dsa::kFamily = define<DsaFamily>();

}  // namespace warploom
