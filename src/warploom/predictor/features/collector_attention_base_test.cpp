#include "warploom/kernels/attention/collector_attention_base.h"

#include <gtest/gtest.h>

#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

const GpuSpec& h200() {
  static const GpuCatalog gpus;
  return gpus.get("h200_sxm");
}

AttentionPrefill prompts(std::int64_t count, std::int64_t heads, std::int64_t tokens) {
  AttentionPrefill op;
  op.heads = heads;
  op.kv_heads = 1;
  op.head_dim = 128;
  op.requests = {{count, tokens, 0}};
  return op;
}

AttentionDecode tokens_of(std::int64_t count, std::int64_t kv_heads, std::int64_t context) {
  AttentionDecode op;
  op.heads = op.kv_heads = kv_heads;
  op.head_dim = 128;
  op.requests = {{count, 1, context}};
  return op;
}

AttentionBase base_of(const AttentionPrefill& op) { return collector_prefill_base(view_of(op), h200()); }
AttentionBase base_of(const AttentionDecode& op) { return collector_decode_base(view_of(op), h200()); }

TEST(CollectorAttentionBase, ABlockTakesItsSteps) {
  const AttentionBase one = base_of(prompts(1, 1, 64)), six = base_of(prompts(1, 1, 384));
  EXPECT_EQ(one.tasks, 1);
  EXPECT_EQ(one.steps, 1);
  EXPECT_EQ(six.tasks, 3);
  EXPECT_EQ(six.steps, 4);  // 6, 4 and 2
  EXPECT_NEAR(six.compute / one.compute, (6 + 1.5) / (1 + 1.5), 1e-9);
  EXPECT_DOUBLE_EQ(one.longest, one.compute);
}

TEST(CollectorAttentionBase, CountsTheStepsOfEveryTile) {
  for (const std::int64_t query : {1, 127, 128, 129, 1000, 4096})
    for (const std::int64_t context : {0, 1, 63, 64, 65, 1000}) {
      AttentionPrefill op = prompts(3, 2, query);
      op.requests[0].context_tokens = context;
      for (const bool causal : {true, false}) {
        op.causal = causal;
        double steps = 0, tiles = 0;
        for (std::int64_t begin = 0; begin < query; begin += 128, ++tiles)
          steps += std::ceil(double(causal ? context + std::min(query, begin + 128) : context + query) / 64);
        EXPECT_DOUBLE_EQ(base_of(op).steps, steps / tiles) << query << " after " << context;
      }
    }
  // Not one by one: as fast for as many tokens as there may be.
  EXPECT_GT(base_of(prompts(1, 1, 1'000'000'000'000)).steps, 1e9);
}

TEST(CollectorAttentionBase, BlocksBeyondTheSmsWaitForTheFirstFreeOne) {
  const double one = base_of(prompts(1, 1, 64)).compute;
  EXPECT_DOUBLE_EQ(base_of(prompts(h200().sm_count, 1, 64)).compute, one);
  EXPECT_DOUBLE_EQ(base_of(prompts(h200().sm_count + 1, 1, 64)).compute, 2 * one);
  // 66 prompts of two tiles fill the SMs; a 67th one waits for the shorter blocks of one step and a task.
  const double filled = base_of(prompts(66, 1, 256)).compute, more = base_of(prompts(67, 1, 256)).compute;
  EXPECT_NEAR(filled / one, (4 + 1.5) / 2.5, 1e-9);
  EXPECT_NEAR(more / one, (2 + 1.5 + 4 + 1.5) / 2.5, 1e-9);
}

TEST(CollectorAttentionBase, ManyBlocksCountByTheirSum) {
  const double dealt = base_of(prompts(4, 32, 4096)).compute, summed = base_of(prompts(5, 32, 4096)).compute;
  EXPECT_NEAR(summed / dealt, 1.25, 0.03);
}

TEST(CollectorAttentionBase, SplitsLongCachesUntilEverySmHasFourBlocks) {
  EXPECT_EQ(base_of(tokens_of(1, 1, 65535)).splits, 256);  // no part is shorter than 256 tokens
  EXPECT_EQ(base_of(tokens_of(4, 8, 65535)).splits, 17);   // ceil(4 x 132 / 32)
  EXPECT_GT(base_of(tokens_of(4, 8, 65535)).write, 0);
  EXPECT_EQ(base_of(tokens_of(128, 8, 65535)).splits, 1);
  EXPECT_EQ(base_of(tokens_of(128, 8, 65535)).write, 0);
}

TEST(CollectorAttentionBase, StreamsLargeCachesAtTheRateOfMemory) {
  const AttentionBase base = base_of(tokens_of(256, 8, 8191));
  const double bytes = 256.0 * 8 * 8192 * 2 * 128 * 2;
  EXPECT_NEAR(base.memory, bytes / h200().memory_bandwidth.value(), 1e-9);
  EXPECT_GT(base.seconds, base.memory);
  EXPECT_LT(base.seconds, 1.5 * base.memory);
}

TEST(CollectorAttentionBase, ServesTheCollectorsKernelsAlone) {
  const Operator prefill = prompts(3, 32, 500), decode = tokens_of(64, 8, 1000);
  const auto log_base = [](const Operator& op, const char* kernel) {
    OperatorFeatures row;
    const KernelContext context{.framework = "warploom", .version = "1", .kernel = kernel};
    compute_features(op, h200(), ContextKernel(context), default_constants(family_of(op)), row);
    return row.log_base;
  };
  EXPECT_DOUBLE_EQ(log_base(prefill, "own_prefill_fa2"),
                   std::log(base_of(std::get<AttentionPrefill>(prefill)).seconds));
  EXPECT_DOUBLE_EQ(log_base(decode, "own_decode_fa2"),
                   std::log(base_of(std::get<AttentionDecode>(decode)).seconds));
  EXPECT_NE(log_base(prefill, "fa2"), log_base(prefill, "own_prefill_fa2"));
  EXPECT_NE(log_base(decode, "fa2"), log_base(decode, "own_decode_fa2"));
}

}  // namespace
}  // namespace warploom
