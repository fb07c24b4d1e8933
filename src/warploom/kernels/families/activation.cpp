// Activations between two products, a stream.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct ActivationFamily : RowFamily<ActivationFamily, Activation> {
  static constexpr auto kRows = &Activation::tokens;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("type", &Activation::type, {.doc = "element type"})
        .add("tokens", &Activation::tokens, at_least_one("rows"))
        .add("width", &Activation::width, at_least_one("elements of an output row"))
        .add("gated", &Activation::gated, {.doc = "reads two inputs per output"});
  }
  static void check(OperatorChecker& c, const Activation& op) {
    c.positive("tokens", op.tokens).positive("width", op.width);
    c.product("tokens x width", {op.tokens, op.width});
  }
  static void hash(ShapeHasher& hasher, const Activation& op) {
    hasher.mix(op.type, op.tokens, op.width, op.gated);
  }

  static Work work(const Activation& op) {
    const double elements = double(op.tokens) * double(op.width);
    return streaming_work(elements * (op.gated ? 2 : 1), elements, op.type, 6, 2 * elements);
  }
  static RowTraffic traffic(const Activation& op) {
    const double bytes = double(op.tokens * op.width) * bytes_per_element(op.type);
    return {bytes * (op.gated ? 2 : 1), bytes, double(op.tokens), double(op.width)};
  }

  static std::uint32_t kind_code(const Activation& op) { return kind_pair(half_as_one(op.type), op.gated); }
  static GridPoint grid(const Activation& op) { return at_grid(grid_group(0), {op.tokens, op.width}); }
  static void coordinates(OperatorCoordinates& list, const Activation& op) {
    list.add_variant(op.type, op.gated);
    list.add_sizes(op.tokens, op.width);
  }
};

}  // namespace

FieldTable Activation::describe() { return described<ActivationFamily>(); }
constinit const OperatorFamily Activation::kFamily = define<ActivationFamily>();

}  // namespace warploom
