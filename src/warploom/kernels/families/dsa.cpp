// DeepSeek sparse attention: the whole block, priced by attention/sparse_block.h. Every query is scored
// against the index keys of every token that it sees, and attends to latents of those that it chooses.
#include <algorithm>
#include <array>

#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/define_family.h"
#include "warploom/kernels/matrix_rate.h"

namespace warploom {
namespace {

constexpr std::uint32_t kPooled = 1u << 15;  // in the code of a kind

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

SparseBlockSums sums_of(const Dsa& op) {
  SparseBlockSums sums;
  const AttentionView view = view_of(op);
  const double token = latent_width(op) * bytes_per_element(op.kv_cache);
  for (const RequestGroup& group : op.requests) {
    const double count = double(group.count), queries = double(group.query_tokens);
    const double keys = double(group.kv_tokens()), chosen = attended_pairs(view, group);
    sums.requests += count;
    sums.queries += count * queries;
    sums.keys += count * keys;
    sums.seen += count * (queries * double(group.context_tokens) + queries * (queries + 1) / 2);
    sums.chosen += count * chosen;
    sums.unique_bytes += count * std::min(keys, chosen) * token;
    sums.longest_keys = std::max(sums.longest_keys, keys);
  }
  sums.gathered_bytes = sums.chosen * token;
  sums.scored = sums.seen / double(op.index_pool);
  sums.index_keys = sums.keys / double(op.index_pool);
  sums.longest_row = sums.longest_keys / double(op.index_pool);
  sums.longest_slots = std::min(sums.longest_keys, double(op.top_k));
  sums.slots = sums.chosen;
  return sums;
}

SparseBlock block_of(const Dsa& op, const DsaProducts& products) {
  const double heads = double(op.shape.heads);
  return {.products = products,
          .sums = sums_of(op),
          .compute = op.compute,
          .indexer = op.indexer,
          .index_width = double(op.index_heads) * double(op.index_dim),
          .index_key_bytes = double(op.index_dim) * bytes_per_element(DataType::Fp8) + kIndexScaleBytes,
          .pair_flop = 2 * heads * (latent_width(op) + double(op.shape.kv_lora_rank)),
          .tiles_of_query = ceil_div(heads, kSparseTile),
          .padding = ceil_div(heads, kSparseTile) * kSparseTile / heads};
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
    const DsaProducts products = products_of(op);
    const SparseBlock block = block_of(op, products);
    Work work = sparse_block_work(block, op.hidden);
    work.special_ops = double(op.shape.heads) * block.sums.chosen;
    const double token = latent_width(op) * bytes_per_element(op.kv_cache);
    double least_tokens = 0;  // of which latents are read, when all queries choose the same
    for (const RequestGroup& group : op.requests)
      least_tokens += double(group.count) * double(std::min(group.kv_tokens(), op.top_k));
    work.cache_bytes += Bytes(least_tokens * token);
    work.output_bytes += Bytes(block.sums.queries * token);
    return work;
  }
  // Products, scores and attention one after the other. Heads may also be expanded, which takes fewer FLOP
  // for each pair: the bound counts those, and of the absorbed products none.
  static void raise_compute(BoundLimit& limit, const Dsa& op, const GpuSpec& gpu, const Work&) {
    const SparseBlockSums sums = sums_of(op);
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

  static std::span<const ConstantSpec> constants() { return sparse_block_constants(); }
  static StructuralPrice price(const Dsa& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    return sparse_block_price(dsa_parts(op, gpu, fitted), gpu);
  }
  static void profile(ProfileBuilder& builder, const Dsa& op) {
    const DsaProducts products = products_of(op);
    profile_sparse_block(builder, block_of(op, products), work(op));
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

SparseBlockParts dsa_parts(const Dsa& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  const DsaProducts products = products_of(op);
  return sparse_block_parts(block_of(op, products), gpu, fitted);
}

FieldTable Dsa::describe() { return described<DsaFamily>(); }
constinit const OperatorFamily Dsa::kFamily = define<DsaFamily>();

}  // namespace warploom
