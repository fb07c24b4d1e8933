// The embedding of tokens, a gather.
#include <algorithm>

#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

struct EmbeddingFamily : RowFamily<EmbeddingFamily, Embedding> {
  static constexpr auto kRows = &Embedding::tokens;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("type", &Embedding::type, {.doc = "element type"})
        .add("tokens", &Embedding::tokens, at_least_one("rows gathered"))
        .add("hidden", &Embedding::hidden, at_least_one("elements of a row"))
        .add("vocabulary", &Embedding::vocabulary, at_least_one("rows of the table"));
  }
  static void check(OperatorChecker& c, const Embedding& op) {
    c.positive("tokens", op.tokens).positive("hidden", op.hidden).positive("vocabulary", op.vocabulary);
    c.product("tokens x hidden", {op.tokens, op.hidden});
    c.product("vocabulary x hidden", {op.vocabulary, op.hidden});
  }
  static void hash(ShapeHasher& hasher, const Embedding& op) {
    hasher.mix(op.type, op.tokens, op.hidden, op.vocabulary);
  }

  static Work work(const Embedding& op) {
    const double rows = double(op.tokens);
    constexpr double kNoReads = 0, kNoArithmetic = 0;  // the table counts as weights
    Work work = streaming_work(kNoReads, rows * double(op.hidden), op.type, kNoArithmetic, kNoArithmetic);
    work.weight_bytes =
        Bytes(std::min(rows, double(op.vocabulary)) * double(op.hidden) * bytes_per_element(op.type));
    work.input_bytes = Bytes(8 * rows);
    return work;
  }
  static RowTraffic traffic(const Embedding& op) {
    const double bytes = double(op.tokens * op.hidden) * bytes_per_element(op.type);
    return {bytes, bytes, double(op.tokens), double(op.hidden)};
  }

  static std::uint32_t kind_code(const Embedding&) { return 0; }
  static GridPoint grid(const Embedding& op) {
    return at_grid(grid_group(op.type), {op.tokens, op.hidden, op.vocabulary});
  }
  static void coordinates(OperatorCoordinates& list, const Embedding& op) {
    list.add_variant(op.type);
    list.add_sizes(op.tokens, op.hidden, op.vocabulary);
  }
};

}  // namespace

FieldTable Embedding::describe() { return described<EmbeddingFamily>(); }
constinit const OperatorFamily Embedding::kFamily = define<EmbeddingFamily>();

}  // namespace warploom
