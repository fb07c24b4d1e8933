// Hyper-connections: streams of a residual, mixed by weights that each token computes of them.
#include "warploom/kernels/define_family.h"

namespace warploom {
namespace {

constexpr double kMixElement = 4;  // bytes of a weight of the mixing product, fp32

struct Streams {
  double read = 0, written = 0;  // rows of `hidden` elements of one token
};
Streams streams_of(const HyperConnection& op) {
  const double streams = double(op.streams);
  switch (op.part) {
    case HyperConnectionPart::Expand:
      return {1, streams};
    case HyperConnectionPart::Pre:
    case HyperConnectionPart::Contract:
      return {streams, 1};
    case HyperConnectionPart::Post:
      return {streams + 1, streams};
    case HyperConnectionPart::FusedPostPre:
      return {streams + 1, streams + 1};
  }
  return {};
}

bool mixes(const HyperConnection& op) {
  return op.part == HyperConnectionPart::Pre || op.part == HyperConnectionPart::FusedPostPre;
}
// A token's weights: of the streams' sum, of the output, and of streams to streams.
double weights_of_token(const HyperConnection& op) {
  const double streams = double(op.streams);
  return 2 * streams + streams * streams;
}

struct HyperConnectionFamily : RowFamily<HyperConnectionFamily, HyperConnection> {
  static constexpr auto kRows = &HyperConnection::tokens;

  template <class List>
  static List& list_fields(List& list) {
    using Op = HyperConnection;
    return list.add("part", &Op::part, {.doc = "which call of a site"})
        .add("type", &Op::type, {.doc = "element type of the streams"})
        .add("tokens", &Op::tokens, at_least_one("tokens"))
        .add("hidden", &Op::hidden, at_least_one("width of the model"))
        .add("streams", &Op::streams, at_least_one("streams of the residual"))
        .add("sinkhorn_iterations", &Op::sinkhorn_iterations,
             at_least_none("steps that make the mixing weights doubly stochastic"));
  }
  static void check(OperatorChecker& c, const HyperConnection& op) {
    c.positive("tokens", op.tokens).positive("hidden", op.hidden).positive("streams", op.streams);
    c.not_negative("sinkhorn_iterations", op.sinkhorn_iterations);
    c.product("tokens x streams x hidden", {op.tokens, op.streams, op.hidden});
    c.product("tokens x streams x streams x sinkhorn_iterations",
              {op.tokens, op.streams, op.streams, op.sinkhorn_iterations});
    c.product("hidden x streams x streams x streams", {op.hidden, op.streams, op.streams, op.streams});
  }
  static void hash(ShapeHasher& hasher, const HyperConnection& op) {
    hasher.mix(op.part, op.type, op.tokens, op.hidden, op.streams, op.sinkhorn_iterations);
  }

  static Work work(const HyperConnection& op) {
    const Streams streams = streams_of(op);
    const double elements = double(op.tokens) * double(op.hidden);
    // Each row written is a weighted sum of all streams.
    Work work = streaming_work(elements * streams.read, elements * streams.written, op.type,
                               2 * double(op.streams), 0);
    if (!mixes(op)) return work;
    const double side = double(op.streams) * double(op.hidden), weights = weights_of_token(op);
    work.matrix_flop = Flop(2 * double(op.tokens) * side * weights);
    work.weight_bytes = Bytes(kMixElement * side * weights);
    const double square = double(op.streams) * double(op.streams);
    work.special_ops = double(op.tokens) * square * (1 + 2 * double(op.sinkhorn_iterations));
    return work;
  }
  static RowTraffic traffic(const HyperConnection& op) {
    const Work of = work(op);
    return {(of.input_bytes + of.weight_bytes).value(), of.output_bytes.value(), double(op.tokens),
            double(op.streams) * double(op.hidden)};
  }

  static std::uint32_t kind_code(const HyperConnection& op) {
    return kind_pair(op.part, half_as_one(op.type));
  }
  static GridPoint grid(const HyperConnection& op) {
    return at_grid(grid_group(op.streams, op.sinkhorn_iterations), {op.tokens, op.hidden});
  }
  static void coordinates(OperatorCoordinates& list, const HyperConnection& op) {
    list.add_variant(op.part, op.type);
    list.add_sizes(op.tokens, op.hidden, op.streams, op.sinkhorn_iterations);
  }
};

}  // namespace

FieldTable HyperConnection::describe() { return described<HyperConnectionFamily>(); }
constinit const OperatorFamily HyperConnection::kFamily = define<HyperConnectionFamily>();

}  // namespace warploom
