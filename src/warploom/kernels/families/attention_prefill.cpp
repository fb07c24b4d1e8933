// Attention of prompts: kernels/attention/ prices it.
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct AttentionPrefillFamily : AttentionFamily<AttentionPrefillFamily, AttentionPrefill> {
  static constexpr std::span<const GridMove> kMoves = kAttentionMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("compute", &AttentionPrefill::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &AttentionPrefill::kv_cache, {.doc = "type of cached keys and values"})
        .add("heads", &AttentionPrefill::heads, at_least_one("query heads on this GPU"))
        .add("kv_heads", &AttentionPrefill::kv_heads, at_least_one("key-value heads on this GPU"))
        .add("head_dim", &AttentionPrefill::head_dim, at_least_one("elements of one head"))
        .add("window", &AttentionPrefill::window, at_least_none("sliding window in tokens, 0 = full"))
        .add("causal", &AttentionPrefill::causal, {.doc = "a query sees no later token"})
        .add("requests", &AttentionPrefill::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void set_example(AttentionPrefill& op) { op.heads = 32, op.kv_heads = 8; }
  static void check(OperatorChecker& c, const AttentionPrefill& op) {
    c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).not_negative("window", op.window);
    c.requests(op.requests, op.heads, op.kv_heads, double(op.head_dim));
  }
  static void hash(ShapeHasher& hasher, const AttentionPrefill& op) {
    hasher.mix(op.compute, op.kv_cache, op.heads, op.kv_heads, op.head_dim, op.window, op.causal,
               op.requests);
  }

  static std::span<const ConstantSpec> constants() { return prefill_base_constants(); }
  static StructuralPrice price(const AttentionPrefill& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    return attention_price(view_of(op), kernel.known, gpu, kernel.hints, fitted);
  }

  static std::uint32_t kind_in(const AttentionPrefill& op, DataType compute, DataType cache) {
    return kind_pair(half_as_one(compute), half_as_one(cache)) * 2 + (op.causal ? 1 : 0);
  }
  static GridPoint grid(const AttentionPrefill& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    return at_grid(grid_group(op.head_dim, op.window, r.context_tokens),
                   {r.query_tokens, r.count, op.heads, op.kv_heads});
  }
  static void coordinates(OperatorCoordinates& list, const AttentionPrefill& op) {
    list.add_variant(op.compute, op.kv_cache, op.causal, op.window);
    list.add_sizes(op.heads, op.kv_heads, op.head_dim);
    list.add_requests(op.requests);
  }
};

}  // namespace

FieldTable AttentionPrefill::describe() { return described<AttentionPrefillFamily>(); }
constinit const OperatorFamily AttentionPrefill::kFamily = define<AttentionPrefillFamily>();

}  // namespace warploom
