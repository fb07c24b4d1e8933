// Element-wise operators of frameworks, streams.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct ElementwiseFamily : RowFamily<ElementwiseFamily, Elementwise> {
  static constexpr auto kRows = &Elementwise::rows;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("kind", &Elementwise::kind, {.doc = "the operation"})
        .add("type", &Elementwise::type, {.doc = "element type"})
        .add("rows", &Elementwise::rows, at_least_one("rows"))
        .add("width", &Elementwise::width, at_least_one("elements of a row"))
        .add("inputs", &Elementwise::inputs, at_least_one("input tensors", kMostInputs));
  }
  static void check(OperatorChecker& c, const Elementwise& op) {
    c.positive("rows", op.rows).positive("width", op.width).positive("inputs", op.inputs, kMostInputs);
    c.product("rows x width", {op.rows, op.width});
  }
  static void hash(ShapeHasher& hasher, const Elementwise& op) {
    hasher.mix(op.kind, op.type, op.rows, op.width, op.inputs);
  }

  static Work work(const Elementwise& op) {
    const double elements = double(op.rows) * double(op.width);
    const bool special = op.kind == ElementwiseKind::Softmax || op.kind == ElementwiseKind::Gelu ||
                         op.kind == ElementwiseKind::Tanh || op.kind == ElementwiseKind::Power ||
                         op.kind == ElementwiseKind::Divide;
    return streaming_work(elements * double(op.inputs), elements, op.type,
                          op.kind == ElementwiseKind::Softmax ? 4 : 2, special ? elements : 0.0);
  }
  static RowTraffic traffic(const Elementwise& op) {
    const double bytes = double(op.rows * op.width) * bytes_per_element(op.type);
    return {bytes * double(op.inputs), bytes, double(op.rows), double(op.width)};
  }

  static std::uint32_t kind_code(const Elementwise& op) {
    return kind_pair(op.kind, half_as_one(op.type)) * 4 + std::uint32_t(op.inputs & 3);
  }
  static GridPoint grid(const Elementwise& op) { return at_grid(grid_group(op.inputs), {op.rows, op.width}); }
  static void coordinates(OperatorCoordinates& list, const Elementwise& op) {
    list.add_variant(op.kind, op.type, op.inputs);
    list.add_sizes(op.rows, op.width);
  }
};

}  // namespace

FieldTable Elementwise::describe() { return described<ElementwiseFamily>(); }
constinit const OperatorFamily Elementwise::kFamily = define<ElementwiseFamily>();

}  // namespace warploom
