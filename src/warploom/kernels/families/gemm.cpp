// Matrix products: kernels/gemm/ prices them.
#include <vector>

#include "warploom/kernels/define_family.h"
#include "warploom/kernels/gemm/block_scaled_hopper.h"
#include "warploom/kernels/gemm/gemm_constants.h"

namespace warploom {
namespace {

// The general constants, then those of the known kernels.
std::span<const ConstantSpec> all_gemm_constants() {
  static const std::vector<ConstantSpec> all = [] {
    const auto general = gemm_constants(), known = block_scaled_hopper_constants();
    std::vector<ConstantSpec> table(general.begin(), general.end());
    table.insert(table.end(), known.begin(), known.end());
    return table;
  }();
  return all;
}

StructuralPrice block_scaled_price(const Gemm& op, const GpuSpec& gpu, const BaseConstants& fitted) {
  const BlockScaledHopperBase base = block_scaled_hopper_base(op, gpu, fitted);
  return {.seconds = base.seconds,
          .launch = base.launch,
          .compute = base.compute,
          .memory = base.memory,
          .overlap = base.overlap,
          .balance = base.waves / base.rounds,
          .again = base.again,
          .tile_rows = double(kBlockScaledTile),
          .tile_columns = double(kBlockScaledTile),
          .tasks = 2 * base.row_tiles * base.column_pairs,
          .waves = base.rounds};
}

constexpr std::array<GridMove, 7> kGemmMoves{{{Doublings{1, -1, 0}},
                                              {Doublings{-1, 1, 0}},
                                              {Doublings{0, 1, -1}},
                                              {Doublings{0, -1, 1}},
                                              {Doublings{1, 0, -1}},
                                              {Doublings{-1, 0, 1}},
                                              {Doublings{}, 1, 2}}};

struct GemmFamily : FamilyOf<GemmFamily, Gemm> {
  static constexpr FamilyKind kKind = FamilyKind::Products;
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kRows = &Gemm::m;
  static constexpr auto kScheme = &Gemm::scheme;
  static constexpr std::span<const GridMove> kMoves = kGemmMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("scheme", &Gemm::scheme, {.doc = "how the operands are stored and multiplied"})
        .add("m", &Gemm::m, product_side("rows of the output (tokens)"))
        .add("n", &Gemm::n, product_side("columns of the output"))
        .add("k", &Gemm::k, product_side("length of the inner product"))
        .add("batch", &Gemm::batch, at_least_one("independent products"))
        .add("residency", &Gemm::residency, {.doc = "where the weights are at the start"})
        .add("weight_copies", &Gemm::weight_copies,
             {.doc = "distinct weights a benchmark rotates through", .min = 1, .max = kMostWeightCopies});
  }
  static void set_example(Gemm& op) { op.n = op.k = 4096; }
  static void check(OperatorChecker& c, const Gemm& op) { c.gemm(op); }
  static void hash(ShapeHasher& hasher, const Gemm& op) { hasher.mix(op.scheme, op.m, op.n, op.k, op.batch); }
  static std::int64_t* stepped_size(Gemm& op, std::size_t number) {
    return numbered_size(number, &op.m, &op.n, &op.k, &op.batch);
  }

  static Work work(const Gemm& op) { return gemm_work(op); }
  static double forced_dram(const Gemm& op, const GpuSpec& gpu, const Work& work, Residency) {
    const double l2 = gpu.l2_capacity.value();
    const double weights = work.weight_bytes.value();
    const double activations = work.input_bytes.value() + work.output_bytes.value();
    if (op.residency == Residency::Cold) return weights + bytes_beyond(activations, l2);
    if (op.weight_copies <= 1) return bytes_beyond(weights + activations, l2);
    return bytes_beyond(weights, l2 / op.weight_copies) + bytes_beyond(activations, l2);
  }
  static void raise_compute(BoundLimit& limit, const Gemm& op, const GpuSpec& gpu, const Work& work) {
    raise_products(limit, op.scheme, work.matrix_flop.value(), gpu);
  }

  static std::span<const ConstantSpec> constants() { return all_gemm_constants(); }
  static StructuralPrice price(const Gemm& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    if (kernel.known != KnownKernel::None && describes(kernel.known, op))
      return block_scaled_price(op, gpu, fitted);
    return structural_price(op, gpu, GemmModel(op.scheme, gpu, gemm_constants_of(fitted)));
  }
  static void profile(ProfileBuilder& builder, const Gemm& op) { builder.add_product(op); }

  static std::uint32_t kind_in(const Gemm& op, MatmulScheme scheme) {
    return kind_pair(half_as_one(scheme), op.batch > 1);
  }
  static std::uint32_t kind_code(const Gemm& op) { return kind_in(op, op.scheme); }
  static NearKinds near(const Gemm& op, const GpuSpec& gpu) {
    return near_schemes(op.scheme, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const Gemm& op) { return at_grid(grid_group(op.batch), {op.m, op.n, op.k}); }
  static void coordinates(OperatorCoordinates& list, const Gemm& op) {
    list.add_variant(op.scheme, op.residency);
    list.add_sizes(op.m, op.n, op.k, op.batch, op.weight_copies);
  }
};

}  // namespace

FieldTable Gemm::describe() { return described<GemmFamily>(); }
constinit const OperatorFamily Gemm::kFamily = define<GemmFamily>();

}  // namespace warploom
