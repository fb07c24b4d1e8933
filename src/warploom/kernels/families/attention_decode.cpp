// Attention of single new tokens: kernels/attention/ prices it.
#include "warploom/kernels/attention/attention_base.h"
#include "warploom/kernels/attention/attention_tiling.h"
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct AttentionDecodeFamily : AttentionFamily<AttentionDecodeFamily, AttentionDecode> {
  static constexpr std::span<const GridMove> kMoves = kAttentionMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("compute", &AttentionDecode::compute, {.doc = "type of queries and products"})
        .add("kv_cache", &AttentionDecode::kv_cache, {.doc = "type of cached keys and values"})
        .add("heads", &AttentionDecode::heads, at_least_one("query heads on this GPU"))
        .add("kv_heads", &AttentionDecode::kv_heads, at_least_one("key-value heads on this GPU"))
        .add("head_dim", &AttentionDecode::head_dim, at_least_one("elements of one head"))
        .add("window", &AttentionDecode::window, at_least_none("sliding window in tokens, 0 = full"))
        .add("requests", &AttentionDecode::requests, {.doc = "groups of alike requests", .required = true});
  }
  static void set_example(AttentionDecode& op) { op.heads = 32, op.kv_heads = 8; }
  static void check(OperatorChecker& c, const AttentionDecode& op) {
    c.heads(op.heads, op.kv_heads).positive("head_dim", op.head_dim).not_negative("window", op.window);
    c.requests(op.requests, op.heads, op.kv_heads, double(op.head_dim));
  }
  static void hash(ShapeHasher& hasher, const AttentionDecode& op) {
    hasher.mix(op.compute, op.kv_cache, op.heads, op.kv_heads, op.head_dim, op.window, op.requests);
  }
  static bool decodes(const AttentionDecode&) { return true; }

  static std::span<const ConstantSpec> constants() { return decode_base_constants(); }
  static StructuralPrice price(const AttentionDecode& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    return attention_price(view_of(op), kernel.known, gpu, kernel.hints, fitted);
  }

  static GridPoint grid(const AttentionDecode& op) {
    if (op.requests.size() != 1) return {};
    const RequestGroup& r = op.requests[0];
    return at_grid(grid_group(op.head_dim, op.window, r.query_tokens),
                   {r.context_tokens, r.count, op.heads, op.kv_heads});
  }
  static void coordinates(OperatorCoordinates& list, const AttentionDecode& op) {
    list.add_variant(op.compute, op.kv_cache, op.window);
    list.add_sizes(op.heads, op.kv_heads, op.head_dim);
    list.add_requests(op.requests);
  }
};

}  // namespace

FieldTable AttentionDecode::describe() { return described<AttentionDecodeFamily>(); }
constinit const OperatorFamily AttentionDecode::kFamily = define<AttentionDecodeFamily>();

}  // namespace warploom
