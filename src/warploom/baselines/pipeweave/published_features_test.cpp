// Fixtures computed by hand from the published formulas, and properties.
#include "warploom/baselines/pipeweave/published_features.h"

#include <gtest/gtest.h>

#include <numeric>

#include "warploom/base/error.h"
#include "warploom/baselines/pipeweave/published_kernel.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::published {
namespace {

// Round figures, so that the expectations can be followed.
Hardware round_gpu(bool hopper) {
  return {.sms = 10,
          .clock_mhz = 1000,
          .dram_gb_per_s = 1000,
          .l2_gb_per_s = 4000,
          .tensor_half = 1024,
          .tensor_fp8 = 2048,
          .fma_lanes = 128,
          .special_lanes = 16,
          .shared_kib = 228,
          .hopper = hopper};
}

void expect_values(const Features& features, const std::vector<double>& expected) {
  const std::vector<double> values = features.values();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-9 * expected[i]) << "feature " << i;
  }
}

constexpr double kGib = 1024.0 * 1024 * 1024;

TEST(PublishedGemm, RunsWholeWavesOfBlocksOnOlderGpus) {
  // 2 x 6 tiles of 128 x 128 on 12 blocks: two waves on ten SMs; operands 2 * (256 + 768) * 512 bytes.
  const Features features =
      gemm(200, 768, 512, {.tile_m = 128, .tile_n = 128, .tile_k = 64, .blocks = 12}, round_gpu(false));
  const double flop = 2.0 * 256 * 768 * 512, busiest = 2.0 * 128 * 128 * 512 * 2;
  const double bytes = 2.0 * 1024 * 512, sm_bytes = 2.0 * 256 * 512 * 2;
  expect_values(features, {flop, flop / 10240, busiest, busiest / 1024, bytes / 1024, bytes / kGib * 1e6,
                           bytes / kGib / 4 * 1e6, sm_bytes / 1024, sm_bytes / kGib * 1e7, sm_bytes / 128,
                           sm_bytes / kGib / 4 * 1e7});
}

TEST(PublishedGemm, CountsOneSliceOfASplitOnHopper) {
  // 12 tiles on 36 blocks: three slices of 512 / 3 = 171, rounded up to 192; no wave factor.
  const GemmLaunch launch{.tile_m = 128, .tile_n = 128, .tile_k = 64, .blocks = 36, .split_k = true};
  EXPECT_EQ(gemm(200, 768, 512, launch, round_gpu(true)).tensor->busiest_ops, 2.0 * 128 * 128 * 192);
  EXPECT_EQ(gemm(200, 768, 512, launch, round_gpu(false)).tensor->busiest_ops, 2.0 * 128 * 128 * 192 * 4);
}

TEST(PublishedGemm, GivesPersistentBlocksSeveralTiles) {
  // 12 tiles on 5 persistent blocks: the busiest has three.
  const GemmLaunch launch{.tile_m = 128, .tile_n = 128, .tile_k = 64, .blocks = 5};
  const Features features = gemm(200, 768, 512, launch, round_gpu(true));
  EXPECT_EQ(features.tensor->busiest_ops, 2.0 * 128 * 128 * 512 * 3);
  EXPECT_EQ(features.tensor->total_ops, 2.0 * 256 * 768 * 512);
}

TEST(PublishedGemm, GivesTheFp8RowOfAnH20) {
  const GpuCatalog catalog;
  const Features features = published::features(
      Gemm{.scheme = MatmulScheme::Fp8Block, .m = 768, .n = 7168, .k = 4608}, catalog.get("h20"));
  EXPECT_EQ(features.tensor->total_ops, 50734301184.0);
  EXPECT_NEAR(features.tensor->total_cycles, 317597.538, 1e-3);
  EXPECT_EQ(features.tensor->busiest_ops, 754974720.0);
  EXPECT_EQ(features.memory.total_kib, 35712.0);
  EXPECT_NEAR(features.memory.dram_cycles, 15493.11, 1e-2);
  EXPECT_EQ(features.memory.busiest_kib, 5760.0);
  EXPECT_EQ(features.memory.busiest_shared_cycles, 46080.0);
  EXPECT_NEAR(features.theory_cycles() / (215.2154 * 1830), 0.806404, 1e-6);
}

TEST(PublishedAttention, SplitsKeysUntilTheBlocksFillTheGpuTwice) {
  // One query of six heads on one KV head: tiles of 16 x 64 keys (100 KiB, two blocks), 20 blocks allowed, so
  // 1,000 keys go into chunks of 50, each one step.
  Hardware gpu = round_gpu(false);
  gpu.shared_kib = 100;
  const std::vector<Request> requests{{.query_tokens = 1, .kv_tokens = 1000}};
  const Features features = attention_fa2(requests, 6, 1, 128, true, gpu);
  EXPECT_EQ(features.tensor->total_ops, 20 * 540672.0);
  EXPECT_EQ(features.special->total_ops, 20 * (128.0 * (36 + 128) + 16));
  EXPECT_EQ(features.memory.total_kib, 20 * 20.0);
  EXPECT_EQ(features.tensor->busiest_ops, 2 * 540672.0);
}

TEST(PublishedAttention, GivesLongRequestsFirstOnHopper) {
  // Two requests of one tile each and two heads on ten SMs: the busiest holds one tile of 2 steps.
  const std::vector<Request> requests{{.query_tokens = 11, .kv_tokens = 99},
                                      {.query_tokens = 29, .kv_tokens = 39}};
  const Features features = attention_fa3(requests, 2, 128, true, round_gpu(true));
  const double step = 4.0 * 128 * 96 * 128;
  EXPECT_EQ(features.tensor->total_ops, 2 * (2 + 1) * step);
  EXPECT_EQ(features.tensor->busiest_ops, 2 * step);
  EXPECT_EQ(features.special->busiest_ops, 128.0 * 96 + 128 * 100 + 8 * 128);
  EXPECT_EQ(features.memory.busiest_kib, 2 * 128.0 * (128 + 192) / 1024);
}

TEST(PublishedRows, CountWarpInstructionsPerToken) {
  // 256 elements: 32 threads of 8, one warp, one round; 25 tokens on ten SMs: three on the busiest.
  const Features norm = rmsnorm(25, 256, round_gpu(false));
  EXPECT_NEAR(norm.fma->total_ops, 25 * 1.616838 * 51, 1e-6);
  EXPECT_NEAR(norm.special->busiest_ops, 3 * 1.666667 * 3, 1e-9);
  EXPECT_EQ(norm.memory.total_kib, 25 * 0.5);
  // 768 elements: 96 threads, three warps of eight.
  const Features silu = silu_and_mul(25, 768, round_gpu(false));
  EXPECT_EQ(silu.fma->total_ops, 25 * 165.0);
  EXPECT_EQ(silu.special->busiest_ops, 3 * 57.0);
  EXPECT_NEAR(silu.theory_cycles(), 25 * 165.0 / 1280 + 25 * 57.0 / 160, 1e-9);
}

TEST(PublishedMoe, PadsTheRowsOfEachExpertToATile) {
  // 100 tokens, 2 of 8 experts: 25 pairs each, 32 rows in tiles of 16; 512 columns are four tiles of 128.
  Hardware gpu = round_gpu(true);
  const MoeTile tile = moe_tile(100, 8, 1024, gpu);
  EXPECT_EQ(tile.rows, 16);
  EXPECT_EQ(tile.columns, 128);
  EXPECT_EQ(tile.depth, 128);
  const Features features =
      moe_pass({.tokens = 100, .experts = 8, .top_k = 2, .hidden = 1024, .width = 512, .depth = 1024}, gpu);
  EXPECT_EQ(features.tensor->total_ops, 2.0 * 256 * 512 * 1024);
  // 16 row tiles by 4 on ten SMs: seven blocks on the busiest.
  EXPECT_EQ(features.tensor->busiest_ops, 7 * 2.0 * 16 * 128 * 1024);
  EXPECT_EQ(features.memory.total_kib, 64 * 144.0 * 2);
  EXPECT_EQ(features.memory.busiest_kib, 7 * 144.0 * 2);
  gpu.shared_kib = 100;
  EXPECT_EQ(moe_tile(100, 8, 1024, gpu).columns, 16);
  EXPECT_EQ(moe_tile(4000, 8, 4096, gpu).rows, 64);
  gpu.shared_kib = 164;
  EXPECT_EQ(moe_tile(600, 8, 4096, gpu).rows, 64);
}

TEST(PublishedAttention, OfCutlassGivesEachTileToTheLeastLoadedSm) {
  // Two heads of 256 causal queries: tiles of 128 x 64 with 4 and 2 steps, one on an SM each.
  const std::vector<Request> requests{{.query_tokens = 256, .kv_tokens = 256}};
  const Features features = attention_cutlass(requests, 2, 128, true, round_gpu(false));
  const double step = 4.0 * 128 * 64 * 128;
  EXPECT_EQ(features.tensor->total_ops, 2 * (4 + 2) * step);
  EXPECT_EQ(features.tensor->busiest_ops, 4 * step);
  EXPECT_EQ(features.special->busiest_ops, 128.0 * 64 + 3 * 128 * 68 + 8 * 128);
  // Without a mask the tile is wider: 96 keys, three steps for each tile.
  EXPECT_EQ(attention_cutlass(requests, 1, 128, false, round_gpu(false)).tensor->total_ops,
            2 * 3 * 4.0 * 128 * 96 * 128);
}

TEST(PublishedAttention, OfCkDealsTilesInTurn) {
  // Eleven heads of one tile of one step on ten SMs: the first SM has two.
  const std::vector<Request> requests{{.query_tokens = 128, .kv_tokens = 128}};
  const Features features = attention_ck(requests, 11, 128, true, round_gpu(false));
  const double tile = 4.0 * 128 * 128 * 128;
  EXPECT_EQ(features.tensor->total_ops, 11 * tile);
  EXPECT_EQ(features.tensor->busiest_ops, 2 * tile);
  EXPECT_EQ(features.special->total_ops, 11 * (128.0 * 128 + 2 * 128 + 128 * 128));
}

TEST(PublishedKernel, FollowsTheLibraryAndTheGpu) {
  const GpuCatalog catalog;
  const GpuSpec &h100 = catalog.get("h100_sxm"), &a100 = catalog.get("a100_sxm");
  const AttentionPrefill prompt{.heads = 8, .kv_heads = 8, .requests = {{.query_tokens = 500}}};
  const AttentionDecode token{.heads = 8, .kv_heads = 8, .requests = {{.context_tokens = 500}}};
  EXPECT_EQ(published_kernel(prompt, h100, {}).kernel, PublishedKernel::AttentionFa3);
  EXPECT_EQ(published_kernel(prompt, a100, {}).kernel, PublishedKernel::AttentionFa2);
  EXPECT_EQ(published_kernel(token, h100, {}).kernel, PublishedKernel::AttentionFa2);
  EXPECT_EQ(published_kernel(token, h100, {.kernel = "fa3_paged"}).kernel, PublishedKernel::AttentionFa3);
  EXPECT_EQ(published_kernel(prompt, catalog.get("b200_sxm"), {}).kernel, PublishedKernel::AttentionCutlass);
  EXPECT_FALSE(published_kernel(prompt, a100, {.kernel = "triton"}).kernel);
  EXPECT_FALSE(published_kernel(Rope{}, a100, {}).kernel);
  const FusedMoe pass{.pass = MoePass::GateUp};
  EXPECT_EQ(published_kernel(pass, a100, {}).kernel, PublishedKernel::FusedMoe);
  EXPECT_FALSE(published_kernel(FusedMoe{}, a100, {}).kernel);
}

TEST(PublishedGemm, TakesTheLikeliestTileWhereNoProfileSaysIt) {
  const GpuCatalog catalog;
  const Features features =
      published::features(Gemm{.m = 4096, .n = 4096, .k = 4096}, catalog.get("h100_sxm"));
  EXPECT_GE(features.tensor->total_ops, 2.0 * 4096 * 4096 * 4096);
  EXPECT_LT(features.tensor->busiest_ops, features.tensor->total_ops / 60);
}

TEST(PublishedFeatures, AreElevenOrFifteen) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  EXPECT_EQ(
      features(Gemm{.scheme = MatmulScheme::Fp8Block, .m = 64, .n = 512, .k = 512}, gpu).values().size(),
      11U);
  const Features norm = features(RmsNorm{.tokens = 7, .width = 4096}, gpu);
  EXPECT_EQ(norm.values().size(), 15U);
  ASSERT_EQ(norm.names().size(), 15U);
  EXPECT_EQ(norm.names()[0], "fma_total_ops");
  EXPECT_EQ(norm.names()[14], "memory_busiest_sm_l2_cycles");
  const AttentionDecode decode{.heads = 32, .kv_heads = 8, .requests = {{.count = 4, .context_tokens = 700}}};
  EXPECT_EQ(features(decode, gpu).values().size(), 15U);
  EXPECT_EQ(features(decode, catalog.get("a100_sxm")).values().size(), 15U);
}

TEST(PublishedFeatures, RefuseWhatWasNotPublished) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  EXPECT_THROW(features(Gemm{.scheme = MatmulScheme::Fp8Static, .m = 64, .n = 512, .k = 512}, gpu),
               Unsupported);
  EXPECT_THROW(features(Rope{}, gpu), Unsupported);
  EXPECT_THROW(gemm_fp8(0, 1, 1, round_gpu(true)), InvalidInput);
}

}  // namespace
}  // namespace warploom::published
