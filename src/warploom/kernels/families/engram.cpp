// Engram: rows of n-gram tables, one product over them, gates of the residual streams.
//
//   seconds = launch + stream + product; the rows of the tables are gathered from DRAM
#include <algorithm>

#include "warploom/kernels/define_family.h"
#include "warploom/kernels/matrix_rate.h"

namespace warploom {
namespace {

enum Fitted : std::size_t { kLaunchSeconds, kDramShare, kGatherShare, kProductRate };
constexpr auto kConstants = from_source(
    "typical launches, streams and products of other families, set by hand; no kernel of it was "
    "timed without its host",
    std::array{
        ConstantSpec{"launch_seconds", "s", 20e-6, 2e-6, 200e-6, 0.5},
        ConstantSpec{"dram_share", "1", 0.7, 0.3, 1, 0.2},
        ConstantSpec{"gather_share", "1", 0.4, 0.05, 1, 0.4},
        ConstantSpec{"product_rate_share", "1", 0.6, 0.2, 1, 0.2},
    });
constexpr double kOverlap = 3;         // power of the sum of a product's FLOP and bytes
constexpr double kLaunches = 6;        // hashes, rows, quantising, product, norms and gates, sum
constexpr double kGateOperations = 6;  // of an element of a stream: two norms, a scalar product, the sum

std::int64_t rows_of_token(const Engram& op) { return (op.max_ngram - 1) * op.heads; }

// The value and a key for each stream.
Gemm product_of(const Engram& op) {
  return {.scheme = op.projections,
          .m = op.tokens,
          .n = (op.streams + 1) * op.hidden,
          .k = rows_of_token(op) * op.head_dim};
}

// Rows of this GPU's share of the tables that its tokens read.
double gathered_bytes(const Engram& op) {
  const double rows = double(op.tokens) * double(rows_of_token(op)) / double(op.gpus);
  return std::min(rows, double(op.table_rows)) * double(op.head_dim) * bytes_per_element(op.table);
}

struct EngramFamily : FamilyOf<EngramFamily, Engram> {
  static constexpr auto kRows = &Engram::tokens;
  static constexpr auto kScheme = &Engram::projections;
  static constexpr bool kCallsLibraryProducts = true;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("projections", &Engram::projections, {.doc = "scheme of the value and key projections"})
        .add("table", &Engram::table, {.doc = "element type of the tables"})
        .add("tokens", &Engram::tokens, at_least_one("tokens"))
        .add("hidden", &Engram::hidden, product_side("width of the model"))
        .add("streams", &Engram::streams, at_least_one("streams of the residual"))
        .add("max_ngram", &Engram::max_ngram,
             {.doc = "tokens of the longest n-gram; the shortest has 2",
              .min = 2,
              .max = double(kLargestCount)})
        .add("heads", &Engram::heads, at_least_one("hash functions of each length of n-gram"))
        .add("head_dim", &Engram::head_dim, at_least_one("elements of a row of a table"))
        .add("table_rows", &Engram::table_rows, at_least_one("rows of all tables together"))
        .add("gpus", &Engram::gpus, at_least_one("GPUs over which the tables are spread", kMostRanks));
  }
  static void check(OperatorChecker& c, const Engram& op) {
    c.positive("tokens", op.tokens).side("hidden", op.hidden).positive("streams", op.streams);
    c.positive("heads", op.heads).positive("head_dim", op.head_dim).positive("table_rows", op.table_rows);
    c.positive("gpus", op.gpus, kMostRanks).positive("max_ngram", op.max_ngram);
    c.require(op.max_ngram >= 2, "'max_ngram' must be at least 2");
    c.product("table_rows x head_dim", {op.table_rows, op.head_dim});
    c.product("streams x hidden", {op.streams, op.hidden}, double(kLargestSide) / 2, "columns");
    c.product("max_ngram x heads x head_dim", {op.max_ngram, op.heads, op.head_dim}, double(kLargestSide),
              "columns");
    c.product("tokens x streams x hidden", {op.tokens, op.streams, op.hidden});
    c.gemm(product_of(op));
  }
  static void hash(ShapeHasher& hasher, const Engram& op) {
    hasher.mix(op.projections, op.table, op.tokens, op.hidden, op.streams, op.max_ngram, op.heads,
               op.head_dim, op.table_rows, op.gpus);
  }

  static Work work(const Engram& op) {
    const double elements = double(op.tokens) * double(op.hidden) * double(op.streams);
    Work work = streaming_work(elements, elements, DataType::Bf16, kGateOperations, 0);
    const Work product = gemm_work(product_of(op));
    work.matrix_flop = product.matrix_flop;
    work.weight_bytes = product.weight_bytes + Bytes(gathered_bytes(op));
    work.special_ops = double(op.tokens) * double(op.streams);
    work.scratch_bytes = product.output_bytes;
    work.launches = kLaunches;
    return work;
  }
  static void raise_compute(BoundLimit& limit, const Engram& op, const GpuSpec& gpu, const Work&) {
    limit.raise(fastest_product_seconds(product_of(op), gpu), Bound::Tensor);
  }

  static std::span<const ConstantSpec> constants() { return kConstants; }
  static StructuralPrice price(const Engram& op, const GpuSpec& gpu, const ContextKernel&,
                               const BaseConstants& fitted) {
    const Work product = gemm_work(product_of(op));
    const double dram = gpu.memory_bandwidth.value();
    const double rate = gpu.tensor_rate(tensor_rate_per_clock(gpu, math_type(op.projections))).value();
    const double flop = product.matrix_flop.value(), streamed = fitted[kDramShare] * dram;
    // The gates read the product's rows and the streams, and write these.
    const Work all = work(op);
    const double gates = (all.input_bytes + all.output_bytes + all.scratch_bytes).value();
    StructuralPrice price{.launch = fitted[kLaunchSeconds], .overlap = 1};
    price.memory = gathered_bytes(op) / (fitted[kGatherShare] * dram) + gates / streamed;
    price.compute =
        power_sum(flop / (fitted[kProductRate] * rate), product.unique_bytes().value() / streamed, kOverlap);
    price.seconds = price.launch + price.compute + price.memory;
    return price;
  }
  static void profile(ProfileBuilder& builder, const Engram& op) {
    const Work product = gemm_work(product_of(op));
    builder.add_projection(product_of(op));
    Work rest = work(op);
    rest.matrix_flop -= product.matrix_flop;
    rest.weight_bytes -= product.weight_bytes;
    builder.add_stream(rest, "rows and gates");
  }

  static std::uint32_t kind_in(const Engram& op, MatmulScheme scheme) {
    return kind_pair(half_as_one(op.table), half_as_one(scheme));
  }
  static std::uint32_t kind_code(const Engram& op) { return kind_in(op, op.projections); }
  static NearKinds near(const Engram& op, const GpuSpec& gpu) {
    return near_schemes(op.projections, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const Engram& op) {
    return at_grid(grid_group(op.streams, op.max_ngram, op.heads, op.head_dim, op.gpus),
                   {op.tokens, op.hidden, op.table_rows});
  }
  static void coordinates(OperatorCoordinates& list, const Engram& op) {
    list.add_variant(op.projections, op.table);
    list.add_sizes(op.tokens, op.hidden, op.streams, op.max_ngram, op.heads, op.head_dim, op.table_rows,
                   op.gpus);
  }
};

}  // namespace

FieldTable Engram::describe() { return described<EngramFamily>(); }
constinit const OperatorFamily Engram::kFamily = define<EngramFamily>();

}  // namespace warploom
