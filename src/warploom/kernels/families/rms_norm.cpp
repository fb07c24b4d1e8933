// Normalisation of rows, a stream.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct RmsNormFamily : RowFamily<RmsNormFamily, RmsNorm> {
  static constexpr auto kRows = &RmsNorm::tokens;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("type", &RmsNorm::type, {.doc = "element type"})
        .add("tokens", &RmsNorm::tokens, at_least_one("rows"))
        .add("width", &RmsNorm::width, at_least_one("elements of a row"))
        .add("residual", &RmsNorm::residual, {.doc = "fused residual add"})
        .add("layer_norm", &RmsNorm::layer_norm, {.doc = "LayerNorm: also subtracts the mean"});
  }
  static void check(OperatorChecker& c, const RmsNorm& op) {
    c.positive("tokens", op.tokens).positive("width", op.width);
    c.product("tokens x width", {op.tokens, op.width});
  }
  static void hash(ShapeHasher& hasher, const RmsNorm& op) {
    hasher.mix(op.type, op.tokens, op.width, op.residual, op.layer_norm);
  }

  static Work work(const RmsNorm& op) {
    const double elements = double(op.tokens) * double(op.width);
    const double streams = op.residual ? 2 : 1;
    Work work = streaming_work(streams * elements, streams * elements, op.type, 4, double(op.tokens));
    work.weight_bytes = Bytes(double(op.width) * bytes_per_element(op.type) * (op.layer_norm ? 2 : 1));
    return work;
  }
  static RowTraffic traffic(const RmsNorm& op) {
    const double bytes = double(op.tokens * op.width) * bytes_per_element(op.type);
    return {bytes * (op.residual ? 2 : 1), bytes * (op.residual ? 2 : 1), double(op.tokens),
            double(op.width)};
  }

  static std::uint32_t kind_code(const RmsNorm& op) {
    return kind_pair(half_as_one(op.type), op.layer_norm) * 2 + (op.residual ? 1 : 0);
  }
  static GridPoint grid(const RmsNorm& op) { return at_grid(grid_group(0), {op.tokens, op.width}); }
  static void coordinates(OperatorCoordinates& list, const RmsNorm& op) {
    list.add_variant(op.type, op.residual, op.layer_norm);
    list.add_sizes(op.tokens, op.width);
  }
};

}  // namespace

FieldTable RmsNorm::describe() { return described<RmsNormFamily>(); }
constinit const OperatorFamily RmsNorm::kFamily = define<RmsNormFamily>();

}  // namespace warploom
