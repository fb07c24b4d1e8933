#include "warploom/collector/tile_dump.h"

#include <gtest/gtest.h>

#include <set>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/collector/failure.h"
#include "warploom/measurements/tile_choices.h"

namespace warploom::collector {
namespace {

class FixedTime final : public PreparedCase {
 public:
  explicit FixedTime(double seconds) : seconds_(seconds) {}
  double run() override { return seconds_; }

 private:
  double seconds_;
};

// Chooses tiles as high as the SMs asked for; the second choice repeats the first's tile, the third differs.
class SimulatedLibrary final : public TileLibrary {
 public:
  std::vector<TileChoice> choices(const TileQuery& query, int sms, int most) override {
    if (query.scheme == "int8") throw Unmeasurable("no kernels of whole numbers");
    std::vector<TileChoice> result;
    for (int rank = 0; rank < std::min(most, 3); ++rank) {
      TileChoice choice;
      choice.rank = rank;
      choice.tile_m = sms == 0 ? 132 : sms;
      choice.tile_n = rank == 2 ? 128 : 64;
      choice.stages = "64x4";
      result.push_back(choice);
    }
    return result;
  }
  void name_kernels(const TileQuery&, TileChoice& choice) override { choice.kernel = "a,\"b\""; }
  std::unique_ptr<PreparedCase> prepare(const TileQuery&, const TileChoice& choice) override {
    return std::make_unique<FixedTime>(1e-6 * double(choice.tile_n));
  }
};

TEST(TileQueries, AreDifferentAndTheSameForTheSameSeed) {
  const std::vector<TileQuery> queries = tile_queries(3000, 1);
  ASSERT_EQ(queries.size(), 3000U);
  EXPECT_EQ(queries, tile_queries(3000, 1));
  EXPECT_NE(queries, tile_queries(3000, 2));
  std::set<std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t>> seen;
  std::set<std::string> schemes;
  for (const TileQuery& q : queries) {
    EXPECT_TRUE(seen.emplace(q.scheme, q.layout, q.m, q.n, q.k).second);
    EXPECT_GE(q.m, 1);
    EXPECT_EQ(q.n % 16, 0);
    EXPECT_EQ(q.k % 16, 0);
    EXPECT_TRUE(q.scheme != "int8" || q.m % 4 == 0);
    schemes.insert(q.scheme + q.layout);
  }
  EXPECT_EQ(schemes.size(), 6U);
}

struct TileDump : testing::Test {
  TileDumpSummary dump(const std::vector<TileQuery>& queries, const TileDumpOptions& options) {
    SimulatedLibrary library;
    const DeviceFacts facts{.name = "NVIDIA H200", .sm_count = 132};
    return dump_tiles(library, facts, "lt 1", queries, options, path, stop, [](std::string_view) {});
  }
  ScratchFolder scratch;
  std::filesystem::path path = scratch.path() / "tiles.csv";
  std::atomic<bool> stop{false};
};

TEST_F(TileDump, IsReadBackByItsReader) {
  const std::vector<TileQuery> queries{{"bf16", "tn", 5, 256, 512}, {"fp8_static", "nn", 7, 512, 256}};
  TileDumpOptions options;
  options.sms = {78};
  options.timed = 1;
  const TileDumpSummary summary = dump(queries, options);
  EXPECT_EQ(summary.rows, 4U);
  EXPECT_EQ(summary.timings, 2U);  // two different tiles among three choices
  EXPECT_TRUE(summary.complete);
  const TileObservations found = read_tile_choices(path);
  ASSERT_EQ(found.rows.size(), 6U);
  EXPECT_EQ(found.library, "lt 1");
  EXPECT_EQ(found.rows[0].sms, 132);
  EXPECT_EQ(found.rows[0].tile, (LibraryTile{132, 64, 1}));
  EXPECT_EQ(found.rows[1].sms, 78);
  EXPECT_EQ(found.rows[1].tile.tile_m, 78);
  EXPECT_TRUE(found.rows[2].query.inner_first);
  EXPECT_NEAR(*found.rows[4].latency, 64e-6, 1e-12);
  EXPECT_EQ(found.rows[5].rank, 2);
  EXPECT_NEAR(*found.rows[5].latency, 128e-6, 1e-12);
}

TEST_F(TileDump, CountsProductsThatTheLibraryRefuses) {
  const TileDumpSummary summary = dump({{"int8", "tn", 4, 64, 64}, {"bf16", "tn", 4, 64, 64}}, {.timed = 2});
  EXPECT_EQ(summary.rows, 1U);
  EXPECT_EQ(summary.without.at("no kernels of whole numbers"), 1U);
  EXPECT_EQ(summary.timings, 2U);
}

TEST_F(TileDump, EndsWhenToldTo) {
  stop = true;
  const TileDumpSummary summary = dump({{"bf16", "tn", 4, 64, 64}}, {});
  EXPECT_EQ(summary.rows, 0U);
  EXPECT_FALSE(summary.complete);
}

TEST_F(TileDump, SaysWhenTheFileCannotBeWritten) {
  path = scratch.path() / "missing" / "tiles.csv";
  EXPECT_THROW(dump({{"bf16", "tn", 4, 64, 64}}, {}), FileFailure);
}

}  // namespace
}  // namespace warploom::collector
