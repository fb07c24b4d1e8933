// A mixture of experts: kernels/moe/ prices it.
#include <algorithm>
#include <cmath>

#include "warploom/kernels/define_family.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/moe/moe_base.h"
#include "warploom/kernels/moe_routing.h"
#include "warploom/kernels/placed_routing.h"

namespace warploom {
namespace {

constexpr std::array<GridMove, 6> kMoeMoves{{{Doublings{0, 1, -1}},
                                             {Doublings{0, -1, 1}},
                                             {Doublings{1, 0, 1}},
                                             {Doublings{-1, 0, -1}},
                                             {Doublings{0, 1, 0, 0, 1}},
                                             {Doublings{0, -1, 0, 0, -1}}}};

// Routing as a coordinate: balanced is 1000, an exponent a 1000 (1 + a) and a little, so that none collide;
// choices at random and experts placed by load lie far from either.
std::int64_t routing_coordinate(const FusedMoe& op) {
  if (is_placed(op)) return 2;
  if (op.routing == RoutingKind::Uniform) return 1;
  return op.routing == RoutingKind::Balanced ? 1000 : 1001 + std::llround(1000 * op.routing_alpha);
}

// Tiles down over all experts, of a height that kernels have.
double row_tiles_of(const RoutingLoad& load, double height) {
  constexpr double kBetween = 48;  // Marlin's, in no table of powers of two
  if (height == kBetween) return load.row_tiles_48;
  const auto* at = std::find(kRowBlocks.begin(), kRowBlocks.end(), std::int64_t(height));
  return load.row_tiles[std::size_t(at == kRowBlocks.end() ? 0 : at - kRowBlocks.begin())];
}

std::int64_t whole_side(double side) { return std::max<std::int64_t>(1, std::int64_t(side)); }

GemmTiling expert_tiling(const RoutingLoad& load, const StructuralPrice& price, double columns) {
  return {.tile_m = whole_side(price.tile_rows),
          .tile_n = whole_side(price.tile_columns),
          .row_tiles = row_tiles_of(load, price.tile_rows),
          .column_tiles = std::ceil(columns / price.tile_columns)};
}

RoutingLoad load_of(const FusedMoe& op, const ContextKernel& kernel) {
  return kernel.routing != nullptr ? kernel.routing->find(op) : routing_load(op);
}

struct FusedMoeFamily : FamilyOf<FusedMoeFamily, FusedMoe> {
  static constexpr FamilyKind kKind = FamilyKind::Experts;
  static constexpr bool kCallsLibraryProducts = true;
  static constexpr auto kRows = &FusedMoe::tokens;
  static constexpr auto kScheme = &FusedMoe::scheme;
  static constexpr std::span<const GridMove> kMoves = kMoeMoves;

  template <class List>
  static List& list_fields(List& list) {
    return list.add("scheme", &FusedMoe::scheme, {.doc = "how the operands are stored and multiplied"})
        .add("tokens", &FusedMoe::tokens, product_side("tokens of the whole expert-parallel group"))
        .add("hidden", &FusedMoe::hidden, product_side("width of the model"))
        .add("intermediate", &FusedMoe::intermediate, product_side("width of one expert before sharding"))
        .add("experts", &FusedMoe::experts, at_least_one("experts of the model", kMostExperts))
        .add("top_k", &FusedMoe::top_k, at_least_one("experts of one token", kMostExperts))
        .add("tensor_parallel", &FusedMoe::tensor_parallel, at_least_one("ways each expert is split"))
        .add("expert_parallel", &FusedMoe::expert_parallel, at_least_one("ways the experts are shared out"))
        .add("routing", &FusedMoe::routing,
             {.doc = "how tokens choose experts: evenly, with a skew, or each at random"})
        .add("routing_alpha", &FusedMoe::routing_alpha,
             {.doc = "exponent of power-law routing", .min = 0, .max = 16})
        .add("gated", &FusedMoe::gated, {.doc = "gate and up projections"})
        .add("pass", &FusedMoe::pass, {.doc = "which of the two grouped products"})
        .add("redundant_experts", &FusedMoe::redundant_experts,
             {.doc = "replicas beyond one of each expert", .min = 0, .max = double(kMostExperts)})
        .add("placement_groups", &FusedMoe::placement_groups,
             {.doc = "0: experts lie in order; else a balancer places them by load, in so many groups",
              .min = 0,
              .max = double(kMostExperts)})
        .add("placement_nodes", &FusedMoe::placement_nodes,
             {.doc = "nodes over which whole groups are placed", .min = 1, .max = double(kMostExperts)});
  }
  static void set_example(FusedMoe& op) {
    op.tokens = 256, op.hidden = 2048, op.intermediate = 768, op.experts = 128, op.top_k = 8;
  }
  static void check(OperatorChecker& c, const FusedMoe& op) {
    c.side("tokens", op.tokens).side("hidden", op.hidden).side("intermediate", op.intermediate);
    c.positive("experts", op.experts, kMostExperts).positive("top_k", op.top_k);
    c.positive("tensor_parallel", op.tensor_parallel).positive("expert_parallel", op.expert_parallel);
    c.require(op.top_k <= op.experts, "'top_k' must not exceed 'experts'");
    c.require(op.expert_parallel <= op.experts + op.redundant_experts,
              "'expert_parallel' must not exceed 'experts' and 'redundant_experts'");
    check_placement(c, op);
    c.require(op.tensor_parallel <= op.intermediate, "'tensor_parallel' must not exceed 'intermediate'");
    c.product("experts x top_k", {op.experts, op.top_k}, kMostExpertChoices, "choices");
    c.product("experts x hidden x intermediate", {op.experts, op.hidden, op.intermediate});
    c.product("tokens x top_k x hidden", {op.tokens, op.top_k, op.hidden});
    c.product("tokens x top_k x intermediate", {op.tokens, op.top_k, op.intermediate});
    c.require(op.routing_alpha >= 0 && op.routing_alpha <= 16, "'routing_alpha' must be 0 to 16");
  }
  static void check_placement(OperatorChecker& c, const FusedMoe& op) {
    const std::int64_t slots = op.experts + op.redundant_experts, nodes = op.placement_nodes;
    if (!is_placed(op)) {
      c.require(op.redundant_experts == 0 && nodes == 1,
                "'redundant_experts' and 'placement_nodes' need 'placement_groups' above 0");
      return;
    }
    c.positive("placement_nodes", nodes, kMostExperts);
    c.require(op.redundant_experts >= 0, "'redundant_experts' must not be below 0");
    c.require(slots <= kMostExperts, "'experts' and 'redundant_experts' are too many");
    c.require(slots % op.expert_parallel == 0 && slots % nodes == 0,
              "'expert_parallel' and 'placement_nodes' must divide 'experts' plus 'redundant_experts'");
    c.require(op.experts % op.placement_groups == 0, "'placement_groups' must divide 'experts'");
    c.require(op.placement_groups % nodes == 0 && op.expert_parallel % nodes == 0,
              "'placement_nodes' must divide 'placement_groups' and 'expert_parallel'");
  }
  static void hash(ShapeHasher& hasher, const FusedMoe& op) {
    hasher.mix(op.scheme, op.tokens, op.hidden, op.intermediate, op.experts, op.top_k, op.tensor_parallel,
               op.expert_parallel, op.routing, op.routing_alpha, op.gated, op.pass);
    // Shapes of measured rows keep their hashes, by which they are split.
    if (is_placed(op)) hasher.mix(op.redundant_experts, op.placement_groups, op.placement_nodes);
  }
  static std::int64_t* stepped_size(FusedMoe& op, std::size_t number) {
    return numbered_size(number, &op.tokens);
  }

  static Work work(const FusedMoe& op, const RoutingLoad& load) { return moe_work(op, load); }
  // The weights count that the fewest experts hit have.
  static double forced_dram(const FusedMoe&, const GpuSpec& gpu, const Work& work, Residency operands) {
    Bytes touched = work.unique_bytes();
    touched += work.least_weight_bytes - work.weight_bytes;
    const double cold = operands == Residency::Cold ? work.least_weight_bytes.value() : 0;
    return forced_bytes(touched.value(), cold, gpu);
  }
  static void raise_compute(BoundLimit& limit, const FusedMoe& op, const GpuSpec& gpu, const Work& work) {
    raise_products(limit, op.scheme, work.matrix_flop.value(), gpu);
  }

  static std::span<const ConstantSpec> constants() { return moe_constants(); }
  static StructuralPrice price(const FusedMoe& op, const GpuSpec& gpu, const ContextKernel& kernel,
                               const BaseConstants& fitted) {
    const RankWorkload work = rank_workload(op, load_of(op, kernel), kernel);
    const MoeBase base =
        moe_base(op, gpu, kernel.known, work, moe_sizes(op, work.load), sustained_rate_share(gpu), fitted);
    const bool cold = kernel.hints.cold_operands;
    return {.seconds = cold ? base.cold_total : base.total,
            .launch = base.launch,
            .passes = base.pairs_moved + base.choices_moved,
            .compute = base.products,
            .memory = cold ? base.cold_weights : base.weights,
            .overlap = kMoeOverlap,
            .balance = base.balance,
            .tile_rows = base.tile_rows,
            .tile_columns = base.tile_columns};
  }
  static void profile(ProfileBuilder& builder, const FusedMoe& op) {
    ProfileParts& parts = builder.parts;
    RoutingLoad& load = parts.profile.routing;
    load = load_of(op, builder.kernel);
    const MoeWidths widths = moe_widths(op);
    add_moe_grids(parts.sequence, op, load, builder.gpu, expert_tiling(load, builder.price, widths.gate_up),
                  expert_tiling(load, builder.price, double(op.hidden)));
    parts.profile.work = moe_work(op, load);
  }

  static std::uint32_t kind_in(const FusedMoe& op, MatmulScheme scheme) {
    return kind_pair(half_as_one(scheme), op.pass) * 2 + (op.gated ? 1 : 0);
  }
  static std::uint32_t kind_code(const FusedMoe& op) { return kind_in(op, op.scheme); }
  static NearKinds near(const FusedMoe& op, const GpuSpec& gpu) {
    return near_schemes(op.scheme, gpu, [&](MatmulScheme scheme) { return kind_in(op, scheme); });
  }
  static GridPoint grid(const FusedMoe& op) {
    return at_grid(grid_group(op.experts, op.top_k), {op.tokens, op.tensor_parallel, op.expert_parallel,
                                                      routing_coordinate(op), op.intermediate, op.hidden});
  }
  static void coordinates(OperatorCoordinates& list, const FusedMoe& op) {
    list.add_variant(op.scheme, op.routing, op.gated, op.pass);
    list.add_sizes(op.tokens, op.hidden, op.intermediate, op.experts, op.top_k, op.tensor_parallel,
                   op.expert_parallel, op.routing_alpha);
  }
};

}  // namespace

FieldTable FusedMoe::describe() { return described<FusedMoeFamily>(); }
constinit const OperatorFamily FusedMoe::kFamily = define<FusedMoeFamily>();

}  // namespace warploom
