// The parts of a block beside the kernels that its publishers timed alone. Nothing was fitted to these rows
// (aisimulate: dsv4_hca_attn, dsv4_paged_mqa_logits, glm5_dsa_attn, glm5_mqa_logits, glm5_topk), which are of
// sizes where a kernel takes longer than its launch.
#include "warploom/kernels/attention/sparse_block.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/structural_terms.h"

namespace warploom {
namespace {

struct MeasuredPart {
  const char* gpu;
  std::int64_t tokens, context;  // of one request
  double us;
};

// DeepSeek-V4-Flash on one GPU.
CompressedAttention v4_flash(const MeasuredPart& row, bool indexer) {
  CompressedAttention op{
      .projections = MatmulScheme::Fp8Block, .kv_cache = DataType::Fp8, .indexer = indexer};
  if (!indexer) op.compress_ratio = 128, op.top_k = 0;
  op.requests = {{1, row.tokens, row.context}};
  return op;
}
SparseBlockParts parts_of(const CompressedAttention& op, const char* gpu) {
  static const GpuCatalog gpus;
  return compressed_attention_parts(op, gpus.get(gpu), default_constants(family_of(op)));
}

// GLM-5 on one GPU.
SparseBlockParts glm5(const MeasuredPart& row) {
  static const GpuCatalog gpus;
  const Dsa op{.kv_cache = DataType::Fp8,
               .hidden = 6144,
               .q_lora_rank = 2048,
               .shape = {.heads = 64, .nope_head_dim = 192, .value_head_dim = 256},
               .index_heads = 32,
               .requests = {{1, row.tokens, row.context}}};
  return dsa_parts(op, gpus.get(row.gpu), default_constants(family_of(op)));
}

template <class Parts>
double attention_us(const Parts& parts) {
  return 1e6 * power_sum(parts.compute, parts.memory, 3);
}
void expect_within(double factor, double us, const MeasuredPart& row) {
  EXPECT_LT(us, factor * row.us) << row.gpu << " " << row.tokens << "+" << row.context;
  EXPECT_GT(us, row.us / factor) << row.gpu << " " << row.tokens << "+" << row.context;
}

TEST(SparseBlock, AttentionToAllEntriesIsNearTheMeasured) {
  for (const MeasuredPart& row :
       {MeasuredPart{"H200", 4096, 0, 367.6}, MeasuredPart{"H200", 8192, 65536, 1525},
        MeasuredPart{"H200", 8192, 524288, 7245}, MeasuredPart{"GB200", 8192, 65536, 868.9},
        MeasuredPart{"GB200", 8192, 131072, 1284}, MeasuredPart{"GB200", 8192, 524288, 3782}})
    expect_within(1.45, attention_us(parts_of(v4_flash(row, false), row.gpu)), row);
}

TEST(SparseBlock, ScoresOfEntriesAreNearTheMeasured) {
  for (const MeasuredPart& row :
       {MeasuredPart{"H200", 4096, 65536, 1432.00}, MeasuredPart{"H200", 4096, 524288, 11320.00},
        MeasuredPart{"H200", 8192, 524288, 22780.00}, MeasuredPart{"GB200", 4096, 65536, 671.5},
        MeasuredPart{"GB200", 4096, 524288, 5293}, MeasuredPart{"GB200", 4096, 131072, 1602}})
    expect_within(1.5, 1e6 * parts_of(v4_flash(row, true), row.gpu).scores, row);
}

TEST(SparseBlock, DsaPartsAreNearTheMeasured) {
  for (const MeasuredPart& row :
       {MeasuredPart{"H200", 8192, 0, 3958}, MeasuredPart{"H200", 8192, 65536, 4026},
        MeasuredPart{"GB200", 8192, 65536, 3929}})
    expect_within(2, attention_us(glm5(row)), row);
  for (const MeasuredPart& row :
       {MeasuredPart{"H200", 8192, 65536, 5419}, MeasuredPart{"H200", 16384, 131072, 21060},
        MeasuredPart{"GB200", 8192, 65536, 2409}, MeasuredPart{"GB200", 16384, 131072, 10060}})
    expect_within(1.2, 1e6 * glm5(row).scores, row);
  for (const MeasuredPart& row :
       {MeasuredPart{"H200", 8192, 65536, 2036}, MeasuredPart{"H200", 16384, 131072, 7165},
        MeasuredPart{"GB200", 8192, 65536, 1364}})
    expect_within(1.6, 1e6 * glm5(row).choice, row);
}

// Prompts after a short context work through all slots, so they take no less time.
TEST(SparseBlock, AQueryWorksThroughSlotsThatItDoesNotSee) {
  const auto at = [](std::int64_t context) {
    return parts_of(v4_flash({"H200", 2048, context, 0}, false), "H200");
  };
  EXPECT_DOUBLE_EQ(at(0).sums.slots, at(8192).sums.slots);
  EXPECT_LT(at(0).sums.chosen, at(8192).sums.chosen);
  EXPECT_LT(at(8192).sums.slots, at(65536).sums.slots);
}

TEST(SparseBlock, SumsOfStepsAreClosedForms) {
  for (const std::int64_t step : {1, 2, 4, 128})
    for (const std::int64_t most : {0, 1, 3, 100}) {
      double sum = 0;
      for (std::int64_t i = 1; i <= 1000; ++i) {
        const std::int64_t entries = i / step;
        sum += double(most > 0 ? std::min(entries, most) : entries);
        ASSERT_DOUBLE_EQ(sum_of_steps(i, step, most), sum) << i << " " << step << " " << most;
      }
    }
}

}  // namespace
}  // namespace warploom
