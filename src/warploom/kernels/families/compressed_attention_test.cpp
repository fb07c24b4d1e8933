#include "warploom/kernels/operator/compressed_attention.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

// Two requests of ten tokens: two in the window, five entries of two tokens, of which three are chosen.
CompressedAttention small() {
  return {.decode = true,
          .hidden = 8,
          .q_lora_rank = 4,
          .heads = 2,
          .head_dim = 6,
          .rope_head_dim = 2,
          .o_groups = 2,
          .o_lora_rank = 3,
          .window = 2,
          .compress_ratio = 2,
          .top_k = 3,
          .index_heads = 2,
          .index_dim = 4,
          .requests = {{2, 1, 9}}};
}

SparseBlockParts parts_of(const CompressedAttention& op, const char* gpu = "H200") {
  static const GpuCatalog gpus;
  return compressed_attention_parts(op, gpus.get(gpu), default_constants(family_of(op)));
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

TEST(CompressedAttention, CountsProductsScoresAndChosenPairs) {
  const Work work = work_of(small());
  // Query and key latents; values and gates of entries and index keys with the scores' weights; queries of
  // heads and indexer; two groups of outputs; the output.
  const double products = 2 * 2 * (10 * 8 + (2 * (6 + 4) + 2) * 8 + (12 + 8) * 4 + 2 * 3 * 6 + 8 * 6);
  const double attention = 4 * 2 * 6 * (2 * (2 + 3)), scores = 2 * (2 * 5) * 2 * 4;
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), products + attention + scores);
  EXPECT_DOUBLE_EQ(work.special_ops, 2 * 2 * 5);
  EXPECT_DOUBLE_EQ(work.cache_bytes.value(), 2 * 5 * 6 * 2 + 2 * 5 * (4 + 4));
  EXPECT_DOUBLE_EQ(work.scratch_bytes.value(), 4 * 2 * 5);
}

TEST(CompressedAttention, AnFp8CacheKeepsTheRotaryPartInSixteenBits) {
  CompressedAttention op{.kv_cache = DataType::Fp8, .compress_ratio = 0, .requests = {{1, 1, 0}}};
  op.indexer = false;
  EXPECT_DOUBLE_EQ(work_of(op).cache_bytes.value(), 448 + 448 / 64 + 2 * 64);
}

// What `predict` takes where the user names no types: the kernels that engines run were measured with these.
TEST(CompressedAttention, IsAskedWithoutTypesAsEnginesServeIt) {
  const Operator asked = default_operator(family_of(small()));
  const auto& op = std::get<CompressedAttention>(asked);
  EXPECT_EQ(op.projections, MatmulScheme::Fp8Block);
  EXPECT_EQ(op.kv_cache, DataType::Fp8);
  EXPECT_EQ(op.compute, DataType::Bf16);
}

// HCA: no indexer, every entry is attended to, so the work grows with the context.
TEST(CompressedAttention, WithoutATopKAllEntriesAreAttendedTo) {
  CompressedAttention op{.decode = true, .indexer = false, .compress_ratio = 128, .top_k = 0};
  op.requests = {{1, 1, 12799}};
  EXPECT_DOUBLE_EQ(parts_of(op).sums.chosen, 128 + 100);
  EXPECT_DOUBLE_EQ(parts_of(op).sums.scored, 0);
  EXPECT_DOUBLE_EQ(parts_of(op).scores + parts_of(op).choice, 0);
  op.compress_ratio = 0;  // the window alone
  EXPECT_DOUBLE_EQ(parts_of(op).sums.chosen, 128);
}

TEST(CompressedAttention, PromptsCountEveryPositionOnce) {
  CompressedAttention op = small();
  op.decode = false;
  op.requests = {{1, 9, 3}};
  double in_window = 0, chosen = 0, scored = 0;
  for (int seen = 4; seen <= 12; ++seen) {
    in_window += std::min(seen, 2);
    chosen += std::min(seen / 2, 3);
    scored += seen / 2;
  }
  EXPECT_DOUBLE_EQ(parts_of(op).sums.chosen, in_window + chosen);
  EXPECT_DOUBLE_EQ(parts_of(op).sums.scored, scored);
  op.candidates = 4;  // V4.1: no more entries than these are scored
  EXPECT_DOUBLE_EQ(parts_of(op).sums.scored, 2 + 2 + 3 + 3 + 4 + 4 + 4 + 4 + 4);
}

TEST(CompressedAttention, TellsKindsOfLayersApart) {
  CompressedAttention op = small();
  const std::uint32_t indexed = kind_code(op);
  op.indexer = false;
  const std::uint32_t taken_over = kind_code(op);
  op.top_k = 0;
  const std::uint32_t all = kind_code(op);
  op.compress_ratio = 0;
  const std::uint32_t window = kind_code(op);
  EXPECT_NE(indexed, taken_over);
  EXPECT_NE(taken_over, all);
  EXPECT_NE(all, window);
}

TEST(CompressedAttention, ALayerThatTakesOverAChoiceCostsLess) {
  const auto seconds = [](bool compressor, bool indexer) {
    CompressedAttention op{.decode = true, .compressor = compressor, .indexer = indexer};
    op.requests = {{32, 1, 100000}};
    return parts_of(op).seconds;
  };
  EXPECT_LT(seconds(false, false), seconds(false, true));
  EXPECT_LT(seconds(false, true), seconds(true, true));
}

TEST(CompressedAttention, IsPricedAboveItsBoundOnEveryGpu) {
  const GpuCatalog gpus;
  for (const GpuSpec& gpu : gpus.gpus()) {
    if (!multiplies_bf16(gpu)) continue;
    for (const std::int64_t ratio : {0, 4, 128})
      for (const RequestGroup& group : {RequestGroup{1, 1, 0}, RequestGroup{256, 1, 100000},
                                        RequestGroup{4, 8192, 0}, RequestGroup{1, 512, 1000000}}) {
        CompressedAttention op{
            .decode = group.query_tokens == 1, .compress_ratio = ratio, .requests = {group}};
        op.indexer = ratio == 4;
        if (!op.indexer) op.top_k = 0;
        const PhysicalBound bound = physical_bound(op, gpu);
        const double seconds = compressed_attention_parts(op, gpu, default_constants(family_of(op))).seconds;
        EXPECT_GT(bound.time.value(), 0) << gpu.name;
        EXPECT_GT(seconds, bound.time.value()) << gpu.name << " " << ratio << " " << group.query_tokens;
      }
  }
}

TEST(CompressedAttention, RefusesSizesThatAreNone) {
  for (const auto wrong :
       {&CompressedAttention::hidden, &CompressedAttention::q_lora_rank, &CompressedAttention::heads,
        &CompressedAttention::head_dim, &CompressedAttention::o_groups, &CompressedAttention::o_lora_rank,
        &CompressedAttention::window, &CompressedAttention::index_heads}) {
    CompressedAttention op = small();
    op.*wrong = 0;
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
  for (const auto missing : {&CompressedAttention::compress_ratio, &CompressedAttention::top_k}) {
    CompressedAttention op = small();
    op.*missing = 0;  // with an indexer
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
  CompressedAttention op = small();
  op.o_groups = 5;  // 12 columns
  EXPECT_THROW(check_operator(op, "test"), InvalidInput);
}

// Kernels mask what is not in sight up to 2,048 entries; beyond it a choice is of entries that there are.
TEST(CompressedAttention, RefusesAChoiceAboveItsContext) {
  CompressedAttention op{.requests = {{1, 16, 100}}};
  op.top_k = 2048;
  EXPECT_NO_THROW(check_operator(op, "test"));
  op.top_k = 2049;
  EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  op.requests = {{1, 16, 4 * 2049}};
  EXPECT_NO_THROW(check_operator(op, "test"));
}

}  // namespace
}  // namespace warploom
