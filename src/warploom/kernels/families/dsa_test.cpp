#include "warploom/kernels/operator/dsa.h"

#include <gtest/gtest.h>

#include <array>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/attention/sparse_block.h"
#include "warploom/kernels/base_constants.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/kernels/precision_support.h"
#include "warploom/kernels/structural_price.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

// Two requests of ten tokens that choose four each.
Dsa small() {
  return {
      .decode = true,
      .hidden = 8,
      .q_lora_rank = 4,
      .shape = {.heads = 2, .kv_lora_rank = 4, .rope_head_dim = 2, .nope_head_dim = 3, .value_head_dim = 3},
      .index_heads = 2,
      .index_dim = 4,
      .top_k = 4,
      .requests = {{2, 1, 9}}};
}

double seconds_of(const Dsa& op, const char* gpu = "H200") {
  static const GpuCatalog gpus;
  return dsa_parts(op, gpus.get(gpu), default_constants(family_of(op))).seconds;
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

TEST(Dsa, CountsProductsScoresAndChosenPairs) {
  const Work work = work_of(small());
  const double products = 2 * 2 * (16 * 8 + 18 * 4 + 2 * (4 * 3 + 3 * 4) + 8 * 6);
  const double attention = 2 * 2 * 8 * (6 + 4), scores = 2 * 20 * 2 * 4;
  EXPECT_DOUBLE_EQ(work.matrix_flop.value(), products + attention + scores);
  EXPECT_DOUBLE_EQ(work.special_ops, 2 * 8);
  EXPECT_DOUBLE_EQ(work.cache_bytes.value(), 2 * 4 * 6 * 2 + 20 * (4 + 4));
  EXPECT_DOUBLE_EQ(work.scratch_bytes.value(), 4 * 20);
}

TEST(Dsa, ALayerThatTakesOverAChoiceHasNoIndexer) {
  Dsa op = small();
  op.indexer = false;
  const double products = 2 * 2 * (10 * 8 + 10 * 4 + 2 * (4 * 3 + 3 * 4) + 8 * 6);
  EXPECT_DOUBLE_EQ(work_of(op).matrix_flop.value(), products + 2 * 2 * 8 * (6 + 4));
  EXPECT_LT(seconds_of(op), seconds_of(small()));
}

// A top_k above the context is no error: the query attends to all that it sees.
TEST(Dsa, AShortContextIsAttendedWhole) {
  Dsa op = small();
  op.requests = {{1, 1, 2}};
  Dsa wider = op;
  wider.top_k = 1000;
  EXPECT_NO_THROW(check_operator(wider, "test"));
  EXPECT_DOUBLE_EQ(work_of(wider).matrix_flop.value(), work_of(op).matrix_flop.value());
  EXPECT_DOUBLE_EQ(work_of(wider).cache_bytes.value(), work_of(op).cache_bytes.value());
}

TEST(Dsa, BeyondTheChoiceTheAttentionGrowsNoMore) {
  const auto parts_at = [](std::int64_t context) {
    static const GpuCatalog gpus;
    const Dsa op{.decode = true, .requests = {{64, 1, context}}};
    return dsa_parts(op, gpus.get("H200"), default_constants(family_of(op)));
  };
  EXPECT_DOUBLE_EQ(parts_at(4096).compute, parts_at(65536).compute);
  EXPECT_DOUBLE_EQ(parts_at(4096).sums.gathered_bytes, parts_at(65536).sums.gathered_bytes);
  EXPECT_LT(parts_at(4096).scores + parts_at(4096).choice, parts_at(65536).scores + parts_at(65536).choice);
  EXPECT_LT(parts_at(1024).compute, parts_at(2047).compute);
}

TEST(Dsa, KindsTellPromptsThatNeedNoChoice) {
  Dsa prompt{.requests = {{1, 1024, 1024}}};
  const std::uint32_t whole = kind_code(prompt);
  prompt.requests = {{1, 1024, 1025}};
  const std::uint32_t chosen = kind_code(prompt);
  prompt.decode = true;
  const std::uint32_t decode = kind_code(prompt);
  EXPECT_NE(whole, chosen);
  EXPECT_NE(chosen, decode);
  prompt.requests = {{1, 1, 7}};
  EXPECT_EQ(kind_code(prompt), decode);
}

// GLM-5.3-Flash: four tokens share an index key, and heads have no rotary part.
TEST(Dsa, PooledIndexKeysAreScoredTogether) {
  Dsa op = small();
  op.index_pool = 4;
  op.shape.rope_head_dim = 0;
  EXPECT_NO_THROW(check_operator(op, "test"));
  const double products = 2 * 2 * (14 * 8 + 14 * 4 + 2 * (4 * 3 + 3 * 4) + 8 * 6);
  const double attention = 2 * 2 * 8 * (4 + 4), scores = 2 * (20 / 4.0) * 2 * 4;
  EXPECT_DOUBLE_EQ(work_of(op).matrix_flop.value(), products + attention + scores);
  EXPECT_DOUBLE_EQ(work_of(op).cache_bytes.value(), 2 * 4 * 4 * 2 + 20 / 4.0 * (4 + 4));
  EXPECT_NE(kind_code(op), kind_code(small()));
}

// Rows were split by these hashes before there was a pool.
TEST(Dsa, WithoutAPoolTheHashIsAsItWas) {
  const Dsa op = small();
  std::uint64_t hash = hash_combine(0x57A9, 23);
  for (const std::uint64_t value :
       {std::uint64_t(op.projections), std::uint64_t(op.compute), std::uint64_t(op.kv_cache),
        std::uint64_t(1), std::uint64_t(1), std::uint64_t(8), std::uint64_t(4), std::uint64_t(2),
        std::uint64_t(4), std::uint64_t(2), std::uint64_t(3), std::uint64_t(3), std::uint64_t(2),
        std::uint64_t(4), std::uint64_t(4), std::uint64_t(2), std::uint64_t(1), std::uint64_t(9)})
    hash = hash_combine(hash, value);
  EXPECT_EQ(shape_hash(op), hash);
}

TEST(Dsa, IsPricedAboveItsBoundOnEveryGpu) {
  const GpuCatalog gpus;
  for (const GpuSpec& gpu : gpus.gpus()) {
    if (!multiplies_bf16(gpu)) continue;
    for (const RequestGroup& group : {RequestGroup{1, 1, 0}, RequestGroup{256, 1, 100000},
                                      RequestGroup{4, 8192, 0}, RequestGroup{1, 512, 1000000}}) {
      const Dsa op{.decode = group.query_tokens == 1, .requests = {group}};
      const PhysicalBound bound = physical_bound(op, gpu);
      const double seconds = dsa_parts(op, gpu, default_constants(family_of(op))).seconds;
      EXPECT_GT(bound.time.value(), 0) << gpu.name;
      EXPECT_GT(seconds, bound.time.value()) << gpu.name << " " << group.query_tokens;
    }
  }
}

TEST(Dsa, RefusesSizesThatAreNone) {
  for (const auto wrong :
       {&Dsa::top_k, &Dsa::index_heads, &Dsa::index_dim, &Dsa::hidden, &Dsa::q_lora_rank}) {
    Dsa op = small();
    op.*wrong = 0;
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
  Dsa op = small();
  op.requests.clear();
  EXPECT_THROW(check_operator(op, "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
