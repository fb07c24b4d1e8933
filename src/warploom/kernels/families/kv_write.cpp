// Writes to the KV cache, a stream.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct KvWriteFamily : RowFamily<KvWriteFamily, KvWrite> {
  static constexpr auto kRows = &KvWrite::tokens;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("type", &KvWrite::type, {.doc = "type of the new keys and values"})
        .add("kv_cache", &KvWrite::kv_cache, {.doc = "type of the cache"})
        .add("tokens", &KvWrite::tokens, at_least_one("tokens"))
        .add("kv_heads", &KvWrite::kv_heads, at_least_one("key-value heads on this GPU"))
        .add("head_dim", &KvWrite::head_dim, at_least_one("elements of one head"));
  }
  static void check(OperatorChecker& c, const KvWrite& op) {
    c.positive("tokens", op.tokens).positive("kv_heads", op.kv_heads).positive("head_dim", op.head_dim);
    c.product("tokens x kv_heads x head_dim", {op.tokens, op.kv_heads, op.head_dim});
  }
  static void hash(ShapeHasher& hasher, const KvWrite& op) {
    hasher.mix(op.type, op.kv_cache, op.tokens, op.kv_heads, op.head_dim);
  }

  static Work work(const KvWrite& op) {
    const double elements = 2.0 * double(op.tokens) * double(op.kv_heads) * double(op.head_dim);
    Work work = streaming_work(elements, elements, op.type, 1, 0);
    work.output_bytes = Bytes(elements * bytes_per_element(op.kv_cache));
    return work;
  }
  static RowTraffic traffic(const KvWrite& op) {
    const double width = double(2 * op.kv_heads * op.head_dim);
    const double elements = double(op.tokens) * width;
    return {elements * bytes_per_element(op.type), elements * bytes_per_element(op.kv_cache),
            double(op.tokens), width};
  }

  static std::uint32_t kind_code(const KvWrite&) { return 0; }
  static GridPoint grid(const KvWrite& op) {
    return at_grid(grid_group(op.type, op.kv_cache, op.head_dim), {op.tokens, op.kv_heads});
  }
  static void coordinates(OperatorCoordinates& list, const KvWrite& op) {
    list.add_variant(op.type, op.kv_cache);
    list.add_sizes(op.tokens, op.kv_heads, op.head_dim);
  }
};

}  // namespace

FieldTable KvWrite::describe() { return described<KvWriteFamily>(); }
constinit const OperatorFamily KvWrite::kFamily = define<KvWriteFamily>();

}  // namespace warploom
