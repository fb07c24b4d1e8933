// Quantising passes, streams.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct QuantizeFamily : RowFamily<QuantizeFamily, Quantize> {
  static constexpr auto kRows = &Quantize::rows;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("target", &Quantize::target, {.doc = "type of the result"})
        .add("rows", &Quantize::rows, at_least_one("rows"))
        .add("width", &Quantize::width, at_least_one("elements of a row"))
        .add("dynamic", &Quantize::dynamic, {.doc = "scales come from the data"});
  }
  static void check(OperatorChecker& c, const Quantize& op) {
    c.positive("rows", op.rows).positive("width", op.width);
    c.product("rows x width", {op.rows, op.width});
  }
  static void hash(ShapeHasher& hasher, const Quantize& op) {
    hasher.mix(op.target, op.rows, op.width, op.dynamic);
  }
  static std::int64_t* stepped_size(Quantize& op, std::size_t number) {
    return numbered_size(number, &op.rows, &op.width);
  }

  static Work work(const Quantize& op) {
    const double elements = double(op.rows) * double(op.width);
    Work work = streaming_work(elements, elements, DataType::Bf16, op.dynamic ? 4 : 2, 0);
    work.output_bytes = Bytes(elements * bytes_per_element(op.target));
    return work;
  }
  static RowTraffic traffic(const Quantize& op) {
    const double elements = double(op.rows * op.width);
    return {elements * (op.dynamic ? 4.0 : 2.0), elements * bytes_per_element(op.target), double(op.rows),
            double(op.width)};
  }

  static std::uint32_t kind_code(const Quantize& op) { return kind_pair(op.target, op.dynamic); }
  static GridPoint grid(const Quantize& op) { return at_grid(grid_group(0), {op.rows, op.width}); }
  static void coordinates(OperatorCoordinates& list, const Quantize& op) {
    list.add_variant(op.target, op.dynamic);
    list.add_sizes(op.rows, op.width);
  }
};

}  // namespace

FieldTable Quantize::describe() { return described<QuantizeFamily>(); }
constinit const OperatorFamily Quantize::kFamily = define<QuantizeFamily>();

}  // namespace warploom
