#include "warploom/kernels/moe/moe_base.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/moe/moe_source_tiles.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/structural_terms.h"
#include "warploom/predictor/features/feature_parts.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog all;
  return all;
}

FusedMoe drawn_operator() {
  FusedMoe op;
  op.scheme = *rc::gen::element(MatmulScheme::Bf16, MatmulScheme::Fp8, MatmulScheme::Fp8Block,
                                MatmulScheme::Int4WeightOnly);
  op.tokens = *rc::gen::inRange(1, 20000);
  op.hidden = 128 * *rc::gen::inRange(8, 64);
  op.intermediate = 256 * *rc::gen::inRange(2, 32);
  op.expert_parallel = *rc::gen::element(1, 2, 4, 8);
  op.experts = op.expert_parallel * *rc::gen::inRange(2, 32);
  op.top_k = std::min<std::int64_t>(op.experts, *rc::gen::element(1, 2, 4, 8));
  if (*rc::gen::arbitrary<bool>()) {
    op.routing = RoutingKind::PowerLaw;
    op.routing_alpha = 1.2;
  }
  return op;
}

KnownKernel drawn_kernel() {
  return *rc::gen::element(KnownKernel::None, KnownKernel::MoeTriton, KnownKernel::MoeCutlass,
                           KnownKernel::MoeTrtllmGen, KnownKernel::MoeMarlin);
}

MoeBase base_of(const FusedMoe& op, const GpuSpec& gpu, KnownKernel kernel) {
  const RoutingLoad load = routing_load(op);
  return moe_base(op, gpu, kernel, rank_workload(op, load, kernel), moe_sizes(op, load),
                  sustained_rate_share(gpu), default_constants(Family::Moe));
}

RC_GTEST_PROP(MoeBase, StaysAboveThePhysicalBound, ()) {
  const FusedMoe op = drawn_operator();
  const GpuSpec& gpu = catalog().get(*rc::gen::element("h100_sxm", "l40s", "b200_sxm"));
  RC_ASSERT(base_of(op, gpu, drawn_kernel()).total >= physical_bound(op, gpu).time.value());
}

RC_GTEST_PROP(MoeBase, IsTheSumOfItsParts, ()) {
  const MoeBase base = base_of(drawn_operator(), catalog().get("h200_sxm"), drawn_kernel());
  const double both = std::cbrt(std::pow(base.products, 3) + std::pow(base.weights, 3));
  const double sum = base.launch + both + base.pairs_moved + base.choices_moved;
  RC_ASSERT(std::abs(base.total / sum - 1) < 1e-9);
  RC_ASSERT(base.pairs_moved >= 0 && base.choices_moved >= 0 && base.launch > 0);
}

RC_GTEST_PROP(MoeBase, NeverShrinksWithTokensOnOneRank, ()) {
  FusedMoe op = drawn_operator();
  op.expert_parallel = 1;
  op.routing = RoutingKind::Balanced;
  FusedMoe more = op;
  more.tokens += *rc::gen::inRange(1, 5000);
  const GpuSpec& gpu = catalog().get("h100_sxm");
  RC_ASSERT(base_of(more, gpu, KnownKernel::MoeCutlass).total >=
            base_of(op, gpu, KnownKernel::MoeCutlass).total * (1 - 1e-9));
}

RC_GTEST_PROP(MoeBase, OnePassCostsNoMoreThanBoth, ()) {
  FusedMoe op = drawn_operator();
  const GpuSpec& gpu = catalog().get("a100_sxm");
  op.scheme = MatmulScheme::Bf16;
  // For Triton, rows that time one pass have their own tile.
  const double both = base_of(op, gpu, KnownKernel::MoeCutlass).total;
  op.pass = MoePass::GateUp;
  RC_ASSERT(base_of(op, gpu, KnownKernel::MoeCutlass).total <= both);
}

// Published rows of moe_w13_default.csv.gz: shared memory of a block, tokens, experts and hidden size decide.
TEST(MoeBase, OnePassTakesPipeWeavesTile) {
  struct Row {
    const char* gpu;
    std::int64_t tokens, experts, hidden;
    double rows, columns;
  };
  const Row published[] = {
      {"a40", 128, 8, 1024, 16, 16},     {"a40", 160, 8, 1024, 32, 64},        {"a40", 512, 8, 1024, 64, 64},
      {"a40", 608, 8, 1024, 128, 64},    {"a40", 2048, 8, 1024, 128, 64},      {"a40", 3072, 8, 1024, 64, 64},
      {"a40", 3072, 64, 3584, 128, 64},  {"l40", 32, 128, 4096, 16, 64},       {"h20", 2, 8, 1024, 16, 128},
      {"h20", 608, 128, 4096, 128, 128}, {"a100_sxm", 993, 128, 4096, 64, 128}};
  for (const Row& row : published) {
    FusedMoe op;
    op.tokens = row.tokens;
    op.experts = row.experts;
    op.hidden = row.hidden;
    op.pass = MoePass::GateUp;
    const SourceTile tile = pipeweave_tile(op, catalog().get(row.gpu));
    EXPECT_EQ(tile.rows, row.rows) << row.gpu << " " << row.tokens;
    EXPECT_EQ(tile.columns, row.columns) << row.gpu << " " << row.tokens;
    EXPECT_EQ(kRowBlocks[tile.block], std::int64_t(tile.rows));
  }
}

// On an H20 the rule goes from tiles of 64 to 128 rows after 512 tokens, of which 60 experts fill 34 and 40.
TEST(MoeBase, OnePassPaysForTheRowsOfItsTile) {
  FusedMoe op;
  op.hidden = 2048;
  op.intermediate = 1408;
  op.experts = 60;
  op.top_k = 4;
  op.tokens = 512;
  op.pass = MoePass::GateUp;
  const GpuSpec& h20 = catalog().get("h20");
  const MoeBase before = base_of(op, h20, KnownKernel::MoeTriton);
  op.tokens = 600;
  const MoeBase after = base_of(op, h20, KnownKernel::MoeTriton);
  EXPECT_GT(after.products, 1.6 * before.products);
  EXPECT_LT(base_of(op, h20, KnownKernel::MoeCutlass).products, 0.7 * after.products);
}

FusedMoe many_experts(MatmulScheme scheme) {
  FusedMoe op;
  op.scheme = scheme;
  op.tokens = 256;
  op.hidden = 2048;
  op.intermediate = 5120;
  op.experts = 512;
  op.top_k = 22;
  op.gated = false;
  return op;
}

// SGLang's FlashInfer kernel on an H100 takes 31 ms here, TensorRT-LLM's of the same library 7 ms.
TEST(MoeBase, UntunedFlashInferTakesItsFirstTileOnHopper) {
  const GpuSpec &h100 = catalog().get("h100_sxm"), &rtx = catalog().get("rtx_pro_6000_server");
  const FusedMoe op = many_experts(MatmulScheme::Bf16);
  const double untuned = base_of(op, h100, KnownKernel::MoeFlashinferCutlass).total;
  EXPECT_NEAR(untuned / 31.2e-3, 1, 0.2);
  EXPECT_GT(untuned, 3 * base_of(op, h100, KnownKernel::MoeCutlass).total);
  EXPECT_LT(base_of(op, rtx, KnownKernel::MoeFlashinferCutlass).total,
            1.3 * base_of(op, rtx, KnownKernel::MoeCutlass).total);
  const FusedMoe blocks = many_experts(MatmulScheme::Fp8Block);
  EXPECT_LT(base_of(blocks, h100, KnownKernel::MoeFlashinferCutlass).total, untuned / 3);
}

// Its first tile holds 128 rows: up to there more tokens cost the products nothing.
TEST(MoeBase, TheFirstTileIsPaddedTo128Rows) {
  FusedMoe op = many_experts(MatmulScheme::Bf16);
  const GpuSpec& h100 = catalog().get("h100_sxm");
  const double few = base_of(op, h100, KnownKernel::MoeFlashinferCutlass).products;
  op.tokens = 1024;  // 44 pairs an expert
  EXPECT_NEAR(base_of(op, h100, KnownKernel::MoeFlashinferCutlass).products / few, 1, 0.01);
}

TEST(MoeBase, WarpInstructionsRunAtTheRateOfOlderParts) {
  FusedMoe op = many_experts(MatmulScheme::Int4WeightOnly);
  op.tokens = 16384;
  const auto products = [&](const char* gpu, KnownKernel kernel) {
    return base_of(op, catalog().get(gpu), kernel).products;
  };
  EXPECT_GT(products("b200_sxm", KnownKernel::MoeMarlin), 2.5 * products("b200_sxm", KnownKernel::None));
  EXPECT_GT(products("h100_sxm", KnownKernel::MoeMarlin), 1.3 * products("h100_sxm", KnownKernel::None));
  EXPECT_LT(products("l40s", KnownKernel::MoeMarlin), 1.3 * products("l40s", KnownKernel::None));
}

// Ranks of several run SGLang's Triton kernel with its default tile of 64 x 64, whose operands come over and
// over.
TEST(MoeBase, UntunedTilesOfARankTakeLonger) {
  const GpuSpec& h200 = catalog().get("h200_sxm");
  FusedMoe op = many_experts(MatmulScheme::Bf16);
  op.tokens = 65536;
  const auto products = [&](const char* framework) {
    const ContextKernel kernel(KernelContext{framework, "0.5.14", "fused_moe_triton"});
    const RoutingLoad load = routing_load(op);
    return moe_base(op, h200, kernel.known, rank_workload(op, load, kernel), moe_sizes(op, load),
                    sustained_rate_share(h200), default_constants(Family::Moe))
        .products;
  };
  op.expert_parallel = 1;
  EXPECT_EQ(products("sglang"), products("vllm"));
  op.expert_parallel = 4;
  EXPECT_GT(products("sglang"), 1.3 * products("vllm"));
}

// GDDR reaches less of its peak than HBM, and a fast memory waits for what the SMs have on their way.
TEST(MoeBase, WeightsKnowTheKindOfMemory) {
  const FusedMoe op = many_experts(MatmulScheme::Bf16);
  const auto share_of_peak = [&](const char* name) {
    const GpuSpec& gpu = catalog().get(name);
    const RoutingLoad load = routing_load(op);
    return moe_sizes(op, load).weight_bytes / gpu.memory_bandwidth.value() /
           base_of(op, gpu, KnownKernel::MoeTriton).weights;
  };
  EXPECT_GT(share_of_peak("a100_sxm"), 1.05 * share_of_peak("l40s"));
  EXPECT_LT(share_of_peak("h200_sxm"), share_of_peak("h100_sxm"));
}

TEST(MoeBase, LaunchesTakeClocksOfTheHighestClock) {
  const FusedMoe op = many_experts(MatmulScheme::Bf16);
  const GpuSpec &b200 = catalog().get("b200_sxm"), &gb200 = catalog().get("gb200");
  const double ratio =
      base_of(op, gb200, KnownKernel::MoeTriton).launch / base_of(op, b200, KnownKernel::MoeTriton).launch;
  EXPECT_NEAR(ratio, b200.max_clock / gb200.max_clock, 1e-9);
  FusedMoe one = op;
  one.pass = MoePass::GateUp;
  EXPECT_LT(base_of(one, b200, KnownKernel::MoeTriton).launch,
            0.3 * base_of(op, b200, KnownKernel::MoeTriton).launch);
}

RC_GTEST_PROP(MoeFeatures, AreTheSameWithRememberedRouting, ()) {
  const Operator op = drawn_operator();
  const GpuSpec& gpu = catalog().get("b200_sxm");
  const RoutingCache routing;
  ContextKernel remembers(drawn_kernel());
  OperatorFeatures plain, cached;
  compute_features(op, gpu, remembers, default_constants(Family::Moe), plain);
  remembers.routing = &routing;
  for (int i = 0; i < 2; ++i) compute_features(op, gpu, remembers, default_constants(Family::Moe), cached);
  RC_ASSERT(plain.count == cached.count && plain.count <= kMaxFeatures - 3);
  for (std::size_t f = 0; f < std::size_t(plain.count); ++f) {
    RC_ASSERT(std::isfinite(plain.values[f]));
    RC_ASSERT(plain.values[f] == cached.values[f]);
  }
}

RC_GTEST_PROP(RoutingLoad, TilesOf48RowsLieBetweenTheirNeighbours, ()) {
  const RoutingLoad load = routing_load(drawn_operator());
  RC_ASSERT(load.row_tiles_48 <= load.row_tiles[2] + 1e-9);
  RC_ASSERT(load.row_tiles_48 >= load.row_tiles[3] - 1e-9);
}

TEST(KnownKernel, TellsTheBuildOfAMixtureOfExperts) {
  EXPECT_EQ(known_kernel("vllm_fp8moe_triton_tritonexperts"), KnownKernel::MoeTriton);
  EXPECT_EQ(known_kernel("vllm_fused_moe"), KnownKernel::MoeTriton);
  EXPECT_EQ(known_kernel("moe_torch_flow_cutlass"), KnownKernel::MoeCutlass);
  EXPECT_EQ(known_kernel("moe_torch_flow_min_latency"), KnownKernel::MoeMinLatency);
  EXPECT_EQ(known_kernel("moe_torch_flow"), KnownKernel::MoeTrtllm);
  EXPECT_EQ(known_kernel("sglang_marlin_moe"), KnownKernel::MoeMarlin);
  EXPECT_EQ(known_kernel("sglang_flashinfer_trtllm_moe"), KnownKernel::MoeTrtllmGen);
  EXPECT_EQ(known_kernel("vllm_fp8moe_flashinfer_cutlass_flashinferexperts"),
            KnownKernel::MoeFlashinferCutlass);
  EXPECT_EQ(known_kernel("triton_attention"), KnownKernel::None);
}

}  // namespace
}  // namespace warploom
