// Grouped attention to chosen blocks of tokens: the whole block, priced by attention/sparse_block.h.
#include <algorithm>
#include <array>

#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

constexpr double kTileRows = 16;  // query heads of a KV head that an instruction of the matrix unit takes

// Queries, keys and values, and those of the indexer, in one product; then the output's.
using Products = std::array<Gemm, 2>;
Products products_of(const BlockSparseAttention& op) {
  double queries = 0;
  for (const RequestGroup& group : op.requests) queries += double(group.count) * double(group.query_tokens);
  const std::int64_t m = std::int64_t(queries);
  const std::int64_t width = (op.heads + 2 * op.kv_heads) * op.head_dim;
  const std::int64_t index = (op.index_heads + 1) * op.index_dim;
  return {Gemm{.scheme = op.projections, .m = m, .n = width + index, .k = op.hidden},
          Gemm{.scheme = op.projections, .m = m, .n = op.hidden, .k = op.heads * op.head_dim}};
}

double token_bytes(const BlockSparseAttention& op) {
  return 2 * double(op.kv_heads) * double(op.head_dim) * bytes_per_element(op.kv_cache);
}

// Tokens that a query attends to.
std::int64_t reach_of(const BlockSparseAttention& op) { return op.top_blocks * op.block; }

SparseBlockSums sums_of(const BlockSparseAttention& op) {
  SparseBlockSums sums;
  const double token = token_bytes(op);
  for (const RequestGroup& group : op.requests) {
    const double count = double(group.count);
    const std::int64_t keys = group.kv_tokens(), before = group.context_tokens;
    const double seen = sum_of_steps(keys, 1, 0) - sum_of_steps(before, 1, 0);
    const double chosen = sum_of_steps(keys, 1, reach_of(op)) - sum_of_steps(before, 1, reach_of(op));
    sums.requests += count;
    sums.queries += count * double(group.query_tokens);
    sums.keys += count * double(keys);
    sums.seen += count * seen;
    sums.chosen += count * chosen;
    sums.unique_bytes += count * std::min(double(keys), chosen) * token;
    sums.longest_keys = std::max(sums.longest_keys, double(keys));
    sums.longest_slots = std::max(sums.longest_slots, double(std::min(keys, reach_of(op))));
  }
  sums.slots = sums.chosen;
  sums.scored = sums.seen;
  sums.index_keys = sums.keys;
  sums.longest_row = sums.longest_keys;
  sums.gathered_bytes = sums.chosen * token;
  return sums;
}

SparseBlock block_of(const BlockSparseAttention& op, const Products& products) {
  const double group = double(op.heads) / double(op.kv_heads);
  return {.products = products,
          .sums = sums_of(op),
          .compute = op.compute,
          .index_type = DataType::Bf16,
          .index_width = double(op.index_heads) * double(op.index_dim),
          .index_key_bytes = double(op.index_dim) * bytes_per_element(DataType::Bf16),
          .scores_of_pair = double(op.index_heads) / double(op.block),
          .pair_flop = 4 * double(op.heads) * double(op.head_dim),
          .tiles_of_query = double(op.kv_heads) * ceil_div(group, kSparseTile),
          .padding = ceil_div(group, kTileRows) * kTileRows / group};
}

struct BlockSparseFamily : RequestFamily<BlockSparseFamily, BlockSparseAttention> {
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kScheme = &BlockSparseAttention::projections;
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  template <class List>
  static List& list_fields(List& list) {
    using Op = BlockSparseAttention;
    return list.add("projections", &Op::projections, {.doc = "scheme of the linear layers"})
        .add("compute", &Op::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &Op::kv_cache, {.doc = "type of cached keys and values"})
        .add("decode", &Op::decode, {.doc = "new tokens of running requests instead of prompts"})
        .add("hidden", &Op::hidden, product_side("width of the model"))
        .add("heads", &Op::heads, at_least_one("query heads on this GPU"))
        .add("kv_heads", &Op::kv_heads, at_least_one("key and value heads on this GPU"))
        .add("head_dim", &Op::head_dim, at_least_one("elements of a head"))
        .add("index_heads", &Op::index_heads, at_least_one("heads of the indexer on this GPU"))
        .add("index_dim", &Op::index_dim, at_least_one("elements of an index key"))
        .add("block", &Op::block, at_least_one("tokens that are chosen together"))
        .add("top_blocks", &Op::top_blocks,
             at_least_one("blocks that a query chooses; with fewer in sight it attends to all of them"))
        .add("requests", &Op::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const BlockSparseAttention& op) {
    c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).side("hidden", op.hidden);
    c.positive("index_heads", op.index_heads).positive("index_dim", op.index_dim);
    c.positive("block", op.block).positive("top_blocks", op.top_blocks);
    c.product("block x top_blocks", {op.block, op.top_blocks});
    c.amount("(heads + 2 x kv_heads) x head_dim", double(op.heads + 2 * op.kv_heads) * double(op.head_dim),
             double(kLargestSide), "columns");
    c.product("index_heads x index_dim", {op.index_heads, op.index_dim}, double(kLargestSide) / 2, "columns");
    c.requests(op.requests, op.heads, op.kv_heads, double(op.head_dim));
    double seen = 0;
    for (const RequestGroup& group : op.requests)
      seen += double(group.count) * double(group.query_tokens) * double(group.kv_tokens());
    const double index = double(op.index_heads) * double(op.index_dim);
    c.amount("2 x index_heads x index_dim x queries x keys", 2 * index * seen, kMostFlop, "FLOP");
    for (const Gemm& product : products_of(op)) c.gemm(product);
  }
  static void hash(ShapeHasher& hasher, const BlockSparseAttention& op) {
    hasher.mix(op.projections, op.compute, op.kv_cache, op.decode, op.hidden, op.heads, op.kv_heads,
               op.head_dim, op.index_heads, op.index_dim, op.block, op.top_blocks, op.requests);
  }
  static bool decodes(const BlockSparseAttention& op) { return op.decode; }

  static Work work(const BlockSparseAttention& op) {
    const Products products = products_of(op);
    const SparseBlock block = block_of(op, products);
    Work work = sparse_block_work(block, op.hidden);
    work.special_ops = double(op.heads) * block.sums.chosen;
    double least = 0;  // tokens that are read when all queries choose the same
    for (const RequestGroup& group : op.requests)
      least += double(group.count) * double(std::min(group.kv_tokens(), reach_of(op)));
    work.cache_bytes += Bytes(least * token_bytes(op));
    work.output_bytes += Bytes(block.sums.queries * token_bytes(op));
    return work;
  }
  static void raise_compute(BoundLimit& limit, const BlockSparseAttention& op, const GpuSpec& gpu,
                            const Work&) {
    const Products products = products_of(op);
    raise_sparse_block(limit, block_of(op, products), op.kv_cache, gpu);
  }

  static std::span<const ConstantSpec> constants() { return sparse_block_constants(); }
  static StructuralPrice price(const BlockSparseAttention& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    return sparse_block_price(block_sparse_parts(op, gpu, fitted), gpu);
  }
  static void profile(ProfileBuilder& builder, const BlockSparseAttention& op) {
    const Products products = products_of(op);
    profile_sparse_block(builder, block_of(op, products), work(op));
  }

  static std::uint32_t kind_in(const BlockSparseAttention& op, MatmulScheme scheme) {
    const std::uint32_t types = kind_pair(half_as_one(op.compute), half_as_one(op.kv_cache));
    return (types * 16 + std::uint32_t(half_as_one(scheme))) * 2 + (op.decode ? 1 : 0);
  }
  static std::uint32_t kind_code(const BlockSparseAttention& op) { return kind_in(op, op.projections); }
  static NearKinds near(const BlockSparseAttention& op, const GpuSpec& gpu) {
    return near_schemes(op.projections, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const BlockSparseAttention& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    const std::uint64_t group = grid_group(op.hidden, op.head_dim, op.index_dim, op.block, op.top_blocks);
    if (op.decode)
      return at_grid(hash_combine(group, std::uint64_t(r.query_tokens)),
                     {r.context_tokens, r.count, op.heads, op.kv_heads});
    return at_grid(group, {r.query_tokens, r.count, op.heads, r.context_tokens, op.kv_heads});
  }
  static void coordinates(OperatorCoordinates& list, const BlockSparseAttention& op) {
    list.add_variant(op.projections, op.compute, op.kv_cache, op.decode);
    list.add_sizes(op.hidden, op.heads, op.kv_heads, op.index_heads, op.block, op.top_blocks);
    list.add_requests(op.requests);
  }
};

}  // namespace

SparseBlockParts block_sparse_parts(const BlockSparseAttention& op, const GpuSpec& gpu,
                                    const BaseConstants& fitted) {
  const Products products = products_of(op);
  return sparse_block_parts(block_of(op, products), gpu, fitted);
}

FieldTable BlockSparseAttention::describe() { return described<BlockSparseFamily>(); }
constinit const OperatorFamily BlockSparseAttention::kFamily = define<BlockSparseFamily>();

}  // namespace warploom
