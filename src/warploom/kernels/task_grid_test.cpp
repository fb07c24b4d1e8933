#include "warploom/kernels/task_grid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_profile.h"

namespace warploom {
namespace {

const GpuSpec& h100() {
  static const GpuCatalog catalog;
  return catalog.get("h100_sxm");
}

// Steps of every query tile, one by one.
double counted_steps(const AttentionView& view, const AttentionTiling& tiling) {
  double total = 0;
  for (const RequestGroup& group : view.requests) {
    const std::int64_t share = tiling.packs_group ? view.group : 1;
    const std::int64_t rows = group.query_tokens * share, keys = group.kv_tokens();
    const double copies = double(group.count) * double(tiling.packs_group ? view.kv_heads : view.heads());
    for (std::int64_t start = 0; start < rows; start += tiling.query_rows) {
      const std::int64_t last = (start + tiling.query_rows + share - 1) / share;
      const std::int64_t end = view.causal ? std::min(keys, group.context_tokens + last) : keys;
      std::int64_t first = 0;
      if (view.causal && view.window > 0) {
        first = std::max<std::int64_t>(0, group.context_tokens + start / share - view.window + 1);
      }
      const std::int64_t steps = (end + tiling.keys - 1) / tiling.keys - first / tiling.keys;
      total += copies * double(std::max<std::int64_t>(1, steps));
    }
  }
  return total;
}

RC_GTEST_PROP(TaskGrid, AttentionStepsMatchACountOverTiles, ()) {
  AttentionPrefill op;
  op.kv_heads = *rc::gen::inRange<std::int64_t>(1, 5);
  op.heads = op.kv_heads * *rc::gen::element<std::int64_t>(1, 2, 3, 4, 7, 8);
  op.head_dim = *rc::gen::element<std::int64_t>(64, 128, 256);
  op.window = *rc::gen::element<std::int64_t>(0, 0, 100, 512);
  op.causal = *rc::gen::element(true, true, false);
  for (int i = 0; i < 6; ++i) {
    op.requests.push_back({*rc::gen::inRange<std::int64_t>(1, 4), *rc::gen::inRange<std::int64_t>(1, 3000),
                           *rc::gen::inRange<std::int64_t>(0, 2000)});
  }
  const AttentionView view = view_of(op);
  for (const std::string_view kernel : {"fa2", "fa3", "flashinfer", "trtllm", "triton"}) {
    const AttentionTiling tiling = attention_tiling(view, h100(), kernel_hints({.kernel = kernel}));
    KernelSequence sequence;
    add_attention_grid(sequence, view, h100(), tiling);
    const double expected = counted_steps(view, tiling);
    RC_ASSERT(std::abs(sequence.kernels[0].total_steps() - expected) <= 1e-3 * expected);
  }
}

RC_GTEST_PROP(TaskGrid, TasksAddUpToTheOperatorsDemand, ()) {
  const Gemm op{.m = *rc::gen::inRange<std::int64_t>(1, 5000),
                .n = *rc::gen::inRange<std::int64_t>(1, 9000),
                .k = *rc::gen::inRange<std::int64_t>(1, 9000)};
  const Work work = work_of(op);
  const PipelineDemand demand = kernel_sequence(op, h100()).demand();
  // Padding may add products, never lose them; DRAM traffic is the unique bytes.
  RC_ASSERT(demand.tensor_flop >= work.matrix_flop.value() * (1 - 1e-12));
  RC_ASSERT(std::abs(demand.dram_bytes - work.unique_bytes().value()) <= 1e-9 * demand.dram_bytes);
}

TEST(TaskGrid, ExactlyTiledProductHasNoPadding) {
  const PipelineDemand demand = kernel_sequence(Gemm{.m = 4096, .n = 4096, .k = 4096}, h100()).demand();
  EXPECT_DOUBLE_EQ(demand.tensor_flop, 2.0 * 4096 * 4096 * 4096);
}

TEST(TaskGrid, DecodeSplitsLongCachesOverTheGpu) {
  const AttentionDecode op{.heads = 8, .kv_heads = 1, .requests = {{1, 1, 100000}}};
  const KernelSequence sequence = kernel_sequence(op, h100());
  EXPECT_GT(sequence.kernels[0].tasks(), 100);
  EXPECT_EQ(sequence.size, 2u);  // and merges the parts
}

TEST(TaskGrid, HoldsMoreGroupsThanItsInlineStore) {
  TaskGrid grid;
  for (int i = 1; i <= 9; ++i) {
    grid.add({.tasks = 2, .mean_steps = double(i), .least_steps = double(i), .most_steps = double(i)});
  }
  double steps = 0;
  grid.for_each_group([&](const TaskGroup& group) { steps += group.tasks * group.mean_steps; });
  EXPECT_DOUBLE_EQ(steps, 90);
  EXPECT_DOUBLE_EQ(grid.total_steps(), 90);
  EXPECT_DOUBLE_EQ(grid.longest_steps(), 9);
  EXPECT_FALSE(grid.uniform());
}

TEST(TaskGrid, LargeProductsOfTheDefaultTileFitTheL2Rate) {
  const Gemm op{.m = 4096, .n = 4096, .k = 4096};
  const KernelProfile seen = profile(op, h100());
  EXPECT_LT(seen.t_l2, 0.95 * seen.structural);
  EXPECT_GT(seen.t_l2, 0.2 * seen.structural);
}

}  // namespace
}  // namespace warploom
