// Fits and tables are made on all cores, and a table is asked from many threads: for the thread sanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/two_tiles_test.h"
#include "warploom/tuner/wave_fit.h"

namespace warploom {
namespace {

constexpr int kAskers = 4;

std::vector<TileShape> asked_shapes() {
  std::vector<TileShape> shapes;
  for (std::int64_t m = 1; m < 20'000; m = 2 * m + 3)
    for (std::int64_t n = 64; n < 20'000; n *= 3) shapes.push_back({m, n, 4096});
  return shapes;
}

TEST(TableThreads, GiveManyAskersWhatTheyGiveOne) {
  const WaveModel model = fit_wave_model({}, {}, two_tile_samples());
  const ApartByShape correction;
  const RuntimeTable table =
      RuntimeTable::build(model, {.default_config = kSmallTile, .correction = &correction});
  const std::vector<TileShape> shapes = asked_shapes();
  std::vector<TilePick> alone;
  for (const TileShape& shape : shapes) alone.push_back(table.pick(shape));
  std::atomic<int> same = 0;
  std::vector<std::thread> askers;
  for (int asker = 0; asker < kAskers; ++asker)
    askers.emplace_back([&] {
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        const TilePick pick = table.pick(shapes[i]);
        if (pick.index == alone[i].index && table.best(shapes[i], 1).front().index == pick.index) ++same;
      }
    });
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(same, kAskers * int(shapes.size()));
}

TEST(TableThreads, GiveEveryBuildTheSameBytes) {
  WaveModel model = fit_wave_model({}, {}, two_tile_samples());
  model.kernel = {.kind = TileKernelKind::GroupedGemm, .experts = 4, .top_k = 2};
  EXPECT_EQ(RuntimeTable::build(model).bytes(), RuntimeTable::build(model).bytes());
}

}  // namespace
}  // namespace warploom
