#include "warploom/baselines/kernelsight/product_blocks.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {
namespace {

ProductBlocks blocks_on(const char* gpu, std::int64_t m, std::int64_t n, std::int64_t k,
                        MatmulScheme scheme = MatmulScheme::Bf16) {
  static const GpuCatalog catalog;
  return product_blocks(Gemm{.scheme = scheme, .m = m, .n = n, .k = k}, catalog.get(gpu));
}

TEST(ProductBlocks, LargeProductsTakeTheLargestTiles) {
  // 16384 x 16384 in tiles of at most 32768 elements on a Hopper, 65536 in tensor memory.
  EXPECT_EQ(blocks_on("h100_sxm", 16384, 16384, 4096).blocks, 8192);
  EXPECT_EQ(blocks_on("b200", 16384, 16384, 4096).blocks, 4096);
}

TEST(ProductBlocks, AFewTilesOfALongInnerLengthAreSplit) {
  const ProductBlocks split = blocks_on("h100_sxm", 64, 256, 16384);
  EXPECT_GE(split.blocks, 16);
  EXPECT_LE(split.blocks, 2 * 132);
}

TEST(ProductBlocks, ARowCostsAsManyBlocksAsSixteen) {
  EXPECT_EQ(blocks_on("h100_sxm", 1, 4096, 4096).blocks, blocks_on("h100_sxm", 16, 4096, 4096).blocks);
}

TEST(ProductBlocks, SmallerElementsLeaveRoomForMoreBlocksOnAnSm) {
  EXPECT_GE(blocks_on("h100_sxm", 16384, 16384, 4096, MatmulScheme::Fp8).occupancy,
            blocks_on("h100_sxm", 16384, 16384, 4096).occupancy);
}

}  // namespace
}  // namespace warploom::baselines
