#include "warploom/kernels/tile_schedule.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/simulated_tasks_test.h"

namespace warploom {
namespace {

std::vector<double> random_costs() {
  const auto whole = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100)));
  return {whole.begin(), whole.end()};
}

RC_GTEST_PROP(TileSchedule, MakespanIsAtLeastTheLongestTaskAndTheMeanLoad, ()) {
  const std::vector<double> costs = random_costs();
  const auto slots = *rc::gen::inRange<std::int64_t>(1, 20);
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double longest = *std::max_element(costs.begin(), costs.end());
  for (const TaskOrder order : {TaskOrder::NextFree, TaskOrder::LongestFirst, TaskOrder::RoundRobin}) {
    const double makespan = simulated_makespan(costs, slots, order);
    RC_ASSERT(makespan >= longest - 1e-9);
    RC_ASSERT(makespan >= total / double(slots) - 1e-9);
    RC_ASSERT(makespan <= total + 1e-9);
  }
  // Graham's bound for list scheduling.
  RC_ASSERT(simulated_makespan(costs, slots, TaskOrder::NextFree) <= total / double(slots) + longest + 1e-9);
}

RC_GTEST_PROP(TileSchedule, ClosedFormIsExactForAlikeTasks, ()) {
  const auto tasks = *rc::gen::inRange<int>(1, 500);
  const auto slots = *rc::gen::inRange<std::int64_t>(1, 150);
  const double steps = double(*rc::gen::inRange(1, 50));
  TaskGrid grid;
  grid.add({.tasks = double(tasks), .mean_steps = steps, .least_steps = steps, .most_steps = steps});
  const auto costs = expand_tasks(grid, 2);
  const double exact = simulated_makespan(costs, slots, TaskOrder::NextFree);
  RC_ASSERT(std::abs(schedule_grid(grid, double(slots), 2).makespan - exact) < 1e-9 * exact);
}

TEST(TileSchedule, SharedSmsRunAloneAtFullSpeedAndTogetherAtTheSharedOne) {
  const std::vector<double> alike(8, 10.0);
  const std::vector<double> alone{1.0}, pairs{1.0, 1.0}, faster{1.0, 2.0};
  EXPECT_DOUBLE_EQ(simulate_shared_sms(alike, 4, alone), 20);
  EXPECT_DOUBLE_EQ(simulate_shared_sms(alike, 4, pairs), 20);
  EXPECT_DOUBLE_EQ(simulate_shared_sms(alike, 4, faster), 10);
  const std::vector<double> uneven{10, 2, 2, 2};
  EXPECT_DOUBLE_EQ(simulate_shared_sms(uneven, 2, alone), 10);
}

TEST(TileSchedule, RefusesBadInput) {
  const std::vector<double> bad{1.0, -2.0};
  const std::vector<double> alone{1.0};
  EXPECT_THROW(simulate_shared_sms(bad, 4, alone), InvalidInput);
  EXPECT_THROW(simulate_shared_sms(alone, 0, alone), InvalidInput);
}

TEST(TileSchedule, ClosedFormOfACausalRampIsNearTheSimulation) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  for (const std::int64_t length : {600, 2048, 5000, 16384}) {
    for (const std::string_view kernel : {"fa3", "fa2", "flashinfer"}) {
      const AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{2, length, 0}}};
      const AttentionView view = view_of(op);
      KernelSequence sequence;
      add_attention_grid(sequence, view, gpu, attention_tiling(view, gpu, kernel_hints({.kernel = kernel})));
      const TaskGrid& grid = sequence.kernels[0];
      const auto costs = expand_tasks(grid, 1);
      const double closed = schedule_grid(grid, double(gpu.sm_count), 1).makespan;
      const double exact = simulated_makespan(costs, gpu.sm_count, grid.order);
      EXPECT_NEAR(closed / exact, 1.0, 0.3) << kernel << " " << length;
    }
  }
}

}  // namespace
}  // namespace warploom
