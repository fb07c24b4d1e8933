// Rotary position embedding, a stream.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct RopeFamily : RowFamily<RopeFamily, Rope> {
  static constexpr auto kRows = &Rope::tokens;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("type", &Rope::type, {.doc = "element type"})
        .add("tokens", &Rope::tokens, at_least_one("tokens"))
        .add("heads", &Rope::heads, at_least_one("query heads on this GPU"))
        .add("kv_heads", &Rope::kv_heads, at_least_one("key heads on this GPU"))
        .add("head_dim", &Rope::head_dim, at_least_one("elements of one head"));
  }
  static void check(OperatorChecker& c, const Rope& op) {
    c.positive("tokens", op.tokens).positive("heads", op.heads).positive("kv_heads", op.kv_heads);
    c.positive("head_dim", op.head_dim);
    c.product("tokens x (heads + kv_heads) x head_dim", {op.tokens, op.heads + op.kv_heads, op.head_dim});
  }
  static void hash(ShapeHasher& hasher, const Rope& op) {
    hasher.mix(op.type, op.tokens, op.heads, op.kv_heads, op.head_dim);
  }

  static Work work(const Rope& op) {
    const double elements = double(op.tokens) * double(op.heads + op.kv_heads) * double(op.head_dim);
    Work work = streaming_work(elements, elements, op.type, 3, 0);
    work.weight_bytes = Bytes(double(op.tokens) * double(op.head_dim) * bytes_per_element(op.type));
    return work;
  }
  static RowTraffic traffic(const Rope& op) {
    const double width = double((op.heads + op.kv_heads) * op.head_dim);
    const double bytes = double(op.tokens) * width * bytes_per_element(op.type);
    return {bytes, bytes, double(op.tokens), width};
  }

  static std::uint32_t kind_code(const Rope&) { return 0; }
  static GridPoint grid(const Rope& op) {
    return at_grid(grid_group(op.type, op.head_dim), {op.tokens, op.heads, op.kv_heads});
  }
  static void coordinates(OperatorCoordinates& list, const Rope& op) {
    list.add_variant(op.type);
    list.add_sizes(op.tokens, op.heads, op.kv_heads, op.head_dim);
  }
};

}  // namespace

FieldTable Rope::describe() { return described<RopeFamily>(); }
constinit const OperatorFamily Rope::kFamily = define<RopeFamily>();

}  // namespace warploom
