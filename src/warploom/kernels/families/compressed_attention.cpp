// Attention over a window and a compressed cache: the whole block, priced by attention/sparse_block.h.
#include <algorithm>
#include <array>

#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

// Compression to 4 looks at two groups of tokens at a time and makes two halves of an entry; others at one.
// Source: the model code that is published with DeepSeek-V4.
constexpr std::int64_t kOverlappedRatio = 4;
constexpr std::int64_t kRotaryBytes = 2;  // of an element in an fp8 cache
constexpr double kScaledElements = 64;    // that share a scale of one byte there

struct Products {
  std::array<Gemm, 5> all;
  std::size_t size = 0;
  void add(const Gemm& product) { all[size++] = product; }
};

double queries_of(const CompressedAttention& op) {
  double queries = 0;
  for (const RequestGroup& group : op.requests) queries += double(group.count) * double(group.query_tokens);
  return queries;
}

Products products_of(const CompressedAttention& op) {
  const std::int64_t m = std::int64_t(queries_of(op));
  const std::int64_t halves = op.compress_ratio == kOverlappedRatio ? 2 : 1;
  const std::int64_t values_and_gates = 2 * halves;
  std::int64_t entries = 0;
  if (op.compressor && op.compress_ratio > 1)
    entries = values_and_gates * (op.head_dim + (op.indexer ? op.index_dim : 0));
  if (op.indexer) entries += op.index_heads;  // the weights of the heads' scores
  const std::int64_t index_queries = op.indexer ? op.index_heads * op.index_dim : 0;
  const std::int64_t width = op.heads * op.head_dim;
  Products products;
  products.add({.scheme = op.projections, .m = m, .n = op.q_lora_rank + op.head_dim, .k = op.hidden});
  if (entries > 0) products.add({.m = m, .n = entries, .k = op.hidden});
  products.add({.scheme = op.projections, .m = m, .n = width + index_queries, .k = op.q_lora_rank});
  products.add({.scheme = op.projections,
                .m = m,
                .n = op.o_lora_rank,
                .k = width / op.o_groups,
                .batch = op.o_groups});
  products.add({.scheme = op.projections, .m = m, .n = op.hidden, .k = op.o_groups * op.o_lora_rank});
  return products;
}

double entry_bytes(const CompressedAttention& op) {
  const double element = bytes_per_element(op.kv_cache);
  if (element >= kRotaryBytes) return double(op.head_dim) * element;
  const double others = double(op.head_dim - op.rope_head_dim);
  return others * element + others / kScaledElements + double(op.rope_head_dim) * kRotaryBytes;
}

std::int64_t entries_of(const CompressedAttention& op, std::int64_t tokens) {
  return op.compress_ratio > 0 ? tokens / op.compress_ratio : 0;
}
std::int64_t at_most(std::int64_t entries, std::int64_t most) {
  return most > 0 ? std::min(entries, most) : entries;
}

// Slots of one query: kernels work through the window and the whole top_k, or all entries in steps, masking
// what a query does not see. Seen in the times of vLLM's and SGLang's attention kernels alone (aisimulate).
constexpr std::int64_t kSlotStep = 128;
double slots_of(const CompressedAttention& op, std::int64_t entries) {
  const std::int64_t chosen = op.top_k > 0 ? op.top_k : (entries + kSlotStep - 1) / kSlotStep * kSlotStep;
  return double(op.window + (op.compress_ratio > 0 ? chosen : 0));
}

// The largest `index_topk` of a published configuration: so many may be asked for where fewer are in sight.
constexpr std::int64_t kMostMasked = 2048;
std::int64_t most_chosen(const CompressedAttention& op) {
  std::int64_t most = kMostMasked;
  for (const RequestGroup& group : op.requests) most = std::max(most, entries_of(op, group.kv_tokens()));
  return most;
}

SparseBlockSums sums_of(const CompressedAttention& op) {
  SparseBlockSums sums;
  const double entry = entry_bytes(op);
  for (const RequestGroup& group : op.requests) {
    const double count = double(group.count), queries = double(group.query_tokens);
    const std::int64_t keys = group.kv_tokens(), before = group.context_tokens;
    const auto pairs = [&](std::int64_t step, std::int64_t most) {
      return sum_of_steps(keys, step, most) - sum_of_steps(before, step, most);
    };
    const std::int64_t entries = entries_of(op, keys);
    const double in_window = pairs(1, op.window);
    const double chosen = op.compress_ratio > 0 ? pairs(op.compress_ratio, op.top_k) : 0;
    sums.requests += count;
    sums.queries += count * queries;
    sums.keys += count * double(keys);
    sums.seen += count * pairs(1, 0);
    sums.chosen += count * (in_window + chosen);
    if (op.indexer) {
      sums.scored += count * pairs(op.compress_ratio, op.candidates);
      sums.index_keys += count * double(entries);
      sums.longest_row = std::max(sums.longest_row, double(at_most(entries, op.candidates)));
    }
    const double window_tokens = std::min(double(keys), double(op.window) + queries - 1);
    sums.unique_bytes += count * (window_tokens + std::min(double(entries), chosen)) * entry;
    sums.longest_keys = std::max(sums.longest_keys, double(keys));
    const double slots = slots_of(op, entries);
    sums.slots += count * queries * slots;
    sums.longest_slots = std::max(sums.longest_slots, slots);
  }
  sums.gathered_bytes = sums.chosen * entry;
  return sums;
}

SparseBlock block_of(const CompressedAttention& op, const Products& products) {
  const double heads = double(op.heads), tiles = ceil_div(heads, kSparseTile);
  return {.products = std::span(products.all).first(products.size),
          .sums = sums_of(op),
          .compute = op.compute,
          .indexer = op.indexer,
          .index_width = double(op.index_heads) * double(op.index_dim),
          .index_key_bytes = double(op.index_dim) * bytes_per_element(DataType::Fp8) + kIndexScaleBytes,
          .pair_flop = 4 * heads * double(op.head_dim),
          .tiles_of_query = tiles,
          .padding = tiles * kSparseTile / heads};
}

// How a layer finds its entries.
enum class Choice : std::uint8_t { Window, All, Indexed, TakenOver };
Choice choice_of(const CompressedAttention& op) {
  if (op.compress_ratio == 0) return Choice::Window;
  if (op.top_k == 0) return Choice::All;
  return op.indexer ? Choice::Indexed : Choice::TakenOver;
}

struct CompressedAttentionFamily : RequestFamily<CompressedAttentionFamily, CompressedAttention> {
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kScheme = &CompressedAttention::projections;
  static constexpr std::span<const GridMove> kMoves = kMlaMoves;

  // As engines run the published checkpoints, and as their kernels were measured.
  static Operator standard(Family) {
    return CompressedAttention{.projections = MatmulScheme::Fp8Block, .kv_cache = DataType::Fp8};
  }

  template <class List>
  static List& list_fields(List& list) {
    using Op = CompressedAttention;
    return list.add("projections", &Op::projections, {.doc = "scheme of the linear layers"})
        .add("compute", &Op::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &Op::kv_cache, {.doc = "type of the cache; of fp8 the rotary part has 16 bits"})
        .add("decode", &Op::decode, {.doc = "new tokens of running requests instead of prompts"})
        .add("compressor", &Op::compressor, {.doc = "fills a compressed cache of its own"})
        .add("indexer", &Op::indexer,
             {.doc = "chooses entries; a layer without attends to all or takes over an earlier one's choice"})
        .add("hidden", &Op::hidden, product_side("width of the model"))
        .add("q_lora_rank", &Op::q_lora_rank, product_side("width of the query latent"))
        .add("heads", &Op::heads, at_least_one("query heads on this GPU"))
        .add("head_dim", &Op::head_dim, at_least_one("elements of a head, and of a cached entry"))
        .add("rope_head_dim", &Op::rope_head_dim, at_least_none("rotary part of a head"))
        .add("o_groups", &Op::o_groups, at_least_one("groups of the output projection on this GPU"))
        .add("o_lora_rank", &Op::o_lora_rank, product_side("width of a group's output latent"))
        .add("window", &Op::window, at_least_one("last tokens that are attended to uncompressed"))
        .add("compress_ratio", &Op::compress_ratio, at_least_none("tokens of an entry; 0: window alone"))
        .add("top_k", &Op::top_k, at_least_none("entries that a query chooses; 0: all that it sees"))
        .add("index_heads", &Op::index_heads, at_least_one("heads of the indexer"))
        .add("index_dim", &Op::index_dim, at_least_one("elements of an index key"))
        .add("candidates", &Op::candidates, at_least_none("entries that the indexer scores; 0: all"))
        .add("requests", &Op::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void check(OperatorChecker& c, const CompressedAttention& op) {
    c.positive("heads", op.heads).positive("head_dim", op.head_dim).side("hidden", op.hidden);
    c.side("q_lora_rank", op.q_lora_rank).side("o_lora_rank", op.o_lora_rank);
    c.positive("o_groups", op.o_groups).positive("window", op.window);
    c.not_negative("rope_head_dim", op.rope_head_dim, op.head_dim);
    c.not_negative("compress_ratio", op.compress_ratio).not_negative("top_k", op.top_k);
    c.positive("index_heads", op.index_heads).positive("index_dim", op.index_dim);
    c.not_negative("candidates", op.candidates);
    c.product("heads x head_dim", {op.heads, op.head_dim}, double(kLargestSide), "columns");
    c.product("index_heads x index_dim", {op.index_heads, op.index_dim}, double(kLargestSide), "columns");
    c.product("o_groups x o_lora_rank", {op.o_groups, op.o_lora_rank}, double(kLargestSide), "columns");
    c.product("top_k x compress_ratio", {op.top_k, op.compress_ratio});
    c.product("candidates x compress_ratio", {op.candidates, op.compress_ratio});
    c.require((op.heads * op.head_dim) % op.o_groups == 0, "'heads x head_dim' is no multiple of 'o_groups'");
    c.require(op.compress_ratio > 0 || !op.indexer, "an indexer needs a 'compress_ratio' of at least 1");
    c.require(op.top_k > 0 || !op.indexer, "an indexer needs a 'top_k' of at least 1");
    c.requests(op.requests, op.heads, 1, double(op.head_dim));
    c.not_negative("top_k", op.top_k, most_chosen(op));
    double seen = 0;
    for (const RequestGroup& group : op.requests)
      seen += double(group.count) * double(group.query_tokens) * double(group.kv_tokens());
    const double index = double(op.index_heads) * double(op.index_dim);
    c.amount("2 x index_heads x index_dim x queries x keys", 2 * index * seen, kMostFlop, "FLOP");
    const Products products = products_of(op);
    for (std::size_t i = 0; i < products.size; ++i) c.gemm(products.all[i]);
  }
  static void hash(ShapeHasher& hasher, const CompressedAttention& op) {
    hasher.mix(op.projections, op.compute, op.kv_cache, op.decode, op.compressor, op.indexer, op.hidden,
               op.q_lora_rank, op.heads, op.head_dim, op.rope_head_dim, op.o_groups, op.o_lora_rank,
               op.window, op.compress_ratio, op.top_k, op.index_heads, op.index_dim, op.candidates,
               op.requests);
  }
  static bool decodes(const CompressedAttention& op) { return op.decode; }

  static Work work(const CompressedAttention& op) {
    const Products products = products_of(op);
    const SparseBlock block = block_of(op, products);
    Work work = sparse_block_work(block, op.hidden);
    work.special_ops = double(op.heads) * block.sums.chosen;
    double least = 0;  // entries that are read when all queries choose the same
    for (const RequestGroup& group : op.requests) {
      const std::int64_t entries = at_most(entries_of(op, group.kv_tokens()), op.top_k);
      least += double(group.count) * double(std::min(group.kv_tokens(), op.window) + entries);
    }
    work.cache_bytes += Bytes(least * entry_bytes(op));
    work.output_bytes += Bytes(block.sums.queries * entry_bytes(op));
    return work;
  }
  static void raise_compute(BoundLimit& limit, const CompressedAttention& op, const GpuSpec& gpu,
                            const Work&) {
    const Products products = products_of(op);
    raise_sparse_block(limit, block_of(op, products), op.kv_cache, gpu);
  }

  static std::span<const ConstantSpec> constants() { return sparse_block_constants(); }
  static StructuralPrice price(const CompressedAttention& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    return sparse_block_price(compressed_attention_parts(op, gpu, fitted), gpu);
  }
  static void profile(ProfileBuilder& builder, const CompressedAttention& op) {
    const Products products = products_of(op);
    profile_sparse_block(builder, block_of(op, products), work(op));
  }

  static std::uint32_t kind_in(const CompressedAttention& op, MatmulScheme scheme) {
    const std::uint32_t types = kind_pair(half_as_one(op.compute), half_as_one(op.kv_cache));
    return (types * 16 + std::uint32_t(half_as_one(scheme))) * 8 + (op.decode ? 4 : 0) +
           std::uint32_t(choice_of(op));
  }
  static std::uint32_t kind_code(const CompressedAttention& op) { return kind_in(op, op.projections); }
  static NearKinds near(const CompressedAttention& op, const GpuSpec& gpu) {
    return near_schemes(op.projections, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const CompressedAttention& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    const std::uint64_t group =
        grid_group(op.hidden, op.q_lora_rank, op.head_dim, op.o_lora_rank, op.window, op.compress_ratio,
                   op.top_k, op.index_heads, op.index_dim, op.candidates, op.compressor);
    if (op.decode)
      return at_grid(hash_combine(group, std::uint64_t(r.query_tokens)),
                     {r.context_tokens, r.count, op.heads});
    return at_grid(group, {r.query_tokens, r.count, op.heads, r.context_tokens});
  }
  static void coordinates(OperatorCoordinates& list, const CompressedAttention& op) {
    list.add_variant(op.projections, op.compute, op.kv_cache, op.decode, op.compressor, op.indexer);
    list.add_sizes(op.hidden, op.q_lora_rank, op.heads, op.compress_ratio, op.top_k, op.candidates,
                   op.window);
    list.add_requests(op.requests);
  }
};

}  // namespace

SparseBlockParts compressed_attention_parts(const CompressedAttention& op, const GpuSpec& gpu,
                                            const BaseConstants& fitted) {
  const Products products = products_of(op);
  return sparse_block_parts(block_of(op, products), gpu, fitted);
}

FieldTable CompressedAttention::describe() { return described<CompressedAttentionFamily>(); }
constinit const OperatorFamily CompressedAttention::kFamily = define<CompressedAttentionFamily>();

}  // namespace warploom
