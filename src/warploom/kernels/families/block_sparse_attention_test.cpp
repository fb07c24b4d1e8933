#include "warploom/kernels/operator/block_sparse_attention.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

// Two requests of ten tokens that choose two blocks of two tokens each.
BlockSparseAttention small() {
  return {.decode = true,
          .hidden = 8,
          .heads = 4,
          .kv_heads = 2,
          .head_dim = 3,
          .index_heads = 2,
          .index_dim = 4,
          .block = 2,
          .top_blocks = 2,
          .requests = {{2, 1, 9}}};
}

SparseBlockParts parts_of(const BlockSparseAttention& op, const GpuSpec& gpu) {
  return block_sparse_parts(op, gpu, default_constants(family_of(op)));
}

bool multiplies_bf16(const GpuSpec& gpu) {
  try {
    matrix_unit(MatmulScheme::Bf16, gpu);
    attention_unit(DataType::Bf16, gpu);
    return true;
  } catch (const Unsupported&) {
    return false;
  }
}

TEST(BlockSparseAttention, CountsProductsScoresAndChosenPairs) {
  const Work work = work_of(small());
  // Queries, keys and values with two index queries and one index key; the output.
  const double products = 2 * 2 * ((8 * 3 + 3 * 4) * 8 + 8 * 12);
  const double attention = 4 * 4 * 3 * (2 * 4), scores = 2 * (2 * 10) * 2 * 4;
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), products + attention + scores);
  EXPECT_DOUBLE_EQ(work.special_ops, 4 * 2 * 4);
  EXPECT_DOUBLE_EQ(work.cache_bytes.value(), 2 * 4 * (2 * 2 * 3 * 2) + 20 * 4 * 2);
  EXPECT_DOUBLE_EQ(work.scratch_bytes.value(), 4 * 20 * 2 / 2.0);  // one score a block and index head
}

TEST(BlockSparseAttention, BeyondTheChosenBlocksTheAttentionGrowsNoMore) {
  const GpuCatalog gpus;
  const auto at = [&](std::int64_t context) {
    return parts_of(BlockSparseAttention{.decode = true, .requests = {{64, 1, context}}}, gpus.get("H200"));
  };
  EXPECT_DOUBLE_EQ(at(4096).compute, at(65536).compute);
  EXPECT_DOUBLE_EQ(at(4096).sums.gathered_bytes, at(65536).sums.gathered_bytes);
  EXPECT_LT(at(4096).scores, at(65536).scores);
  EXPECT_LT(at(512).compute, at(2047).compute);
}

TEST(BlockSparseAttention, IsPricedAboveItsBoundOnEveryGpu) {
  const GpuCatalog gpus;
  for (const GpuSpec& gpu : gpus.gpus()) {
    if (!multiplies_bf16(gpu)) continue;
    for (const RequestGroup& group : {RequestGroup{1, 1, 0}, RequestGroup{256, 1, 100000},
                                      RequestGroup{4, 8192, 0}, RequestGroup{1, 512, 1000000}}) {
      const BlockSparseAttention op{.decode = group.query_tokens == 1, .requests = {group}};
      EXPECT_GT(parts_of(op, gpu).seconds, physical_bound(op, gpu).time.value())
          << gpu.name << " " << group.query_tokens;
    }
  }
}

TEST(BlockSparseAttention, RefusesSizesThatAreNone) {
  for (const auto wrong :
       {&BlockSparseAttention::hidden, &BlockSparseAttention::heads, &BlockSparseAttention::kv_heads,
        &BlockSparseAttention::head_dim, &BlockSparseAttention::index_heads, &BlockSparseAttention::index_dim,
        &BlockSparseAttention::block, &BlockSparseAttention::top_blocks}) {
    BlockSparseAttention op = small();
    op.*wrong = 0;
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
  BlockSparseAttention op = small();
  op.kv_heads = 3;
  EXPECT_THROW(check_operator(op, "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
