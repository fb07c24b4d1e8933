// The choice of the next token, a stream of logits.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct SamplingFamily : RowFamily<SamplingFamily, Sampling> {
  static constexpr auto kRows = &Sampling::sequences;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("sequences", &Sampling::sequences, at_least_one("rows of logits"))
        .add("vocabulary", &Sampling::vocabulary, at_least_one("logits of a row"));
  }
  static void set_example(Sampling& op) { op.sequences = 64; }
  static void check(OperatorChecker& c, const Sampling& op) {
    c.positive("sequences", op.sequences).positive("vocabulary", op.vocabulary);
    c.product("sequences x vocabulary", {op.sequences, op.vocabulary});
  }
  static void hash(ShapeHasher& hasher, const Sampling& op) { hasher.mix(op.sequences, op.vocabulary); }

  static Work work(const Sampling& op) {
    const double logits = double(op.sequences) * double(op.vocabulary);
    Work work = streaming_work(logits, 0, DataType::Fp32, 0, logits);
    work.fma_flop = Flop(4 * logits);
    work.output_bytes = Bytes(8 * double(op.sequences));
    work.launches = 2;
    return work;
  }
  static RowTraffic traffic(const Sampling& op) {
    const double bytes = double(op.sequences * op.vocabulary) * 4;
    return {2 * bytes, 0, double(op.sequences), double(op.vocabulary)};  // soft-max, then the choice
  }

  static std::uint32_t kind_code(const Sampling&) { return 0; }
  static GridPoint grid(const Sampling& op) { return at_grid(grid_group(0), {op.sequences, op.vocabulary}); }
  static void coordinates(OperatorCoordinates& list, const Sampling& op) {
    list.add_sizes(op.sequences, op.vocabulary);
  }
};

}  // namespace

FieldTable Sampling::describe() { return described<SamplingFamily>(); }
constinit const OperatorFamily Sampling::kFamily = define<SamplingFamily>();

}  // namespace warploom
