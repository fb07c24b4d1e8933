// The host half of examples/cuda_dispatch: a table fitted to what its variants took on an H200 names
// variants.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "../../examples/cuda_dispatch/dispatch.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(CudaDispatch, TakesTheDefaultForWhatWasNotInstantiated) {
  EXPECT_EQ(example::variant_of(0, 0, 0, 0), 0U);
  EXPECT_EQ(example::variant_of(128, 128, 32, 4), 0U);
  EXPECT_EQ(example::variant_of(16, 128, 64, 4), 7U);
}

TEST(CudaDispatch, PicksFollowTheShape) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() / "table.wlt";
  const ProgramResult fitted = run_warploom({"tune", "fit", "--gpu", "H200", "--samples",
                                             source_folder() / "tests/fixtures/tuner/cuda_dispatch.csv.gz",
                                             "--default", "128x128x32/w8/s2", "--no-correction", "--rotation",
                                             "1", "--output-bytes", "4", "--output", table});
  ASSERT_EQ(fitted.exit_status, 0) << fitted.errors;
  // Few rows, some, many: a narrow tile with long steps, a square one, the default.
  const std::pair<const char*, std::size_t> expected[] = {{"16", 6}, {"200", 3}, {"8192", 0}};
  for (const auto& [m, variant] : expected) {
    const ProgramResult pick =
        run_warploom({"tune", "pick", "--table", table, "--m", m, "--n", "4096", "--k", "4096", "--json"});
    ASSERT_EQ(pick.exit_status, 0) << pick.errors;
    const nlohmann::json config = nlohmann::json::parse(pick.output);
    EXPECT_EQ(example::variant_of(config.at("tile_m"), config.at("tile_n"), config.at("tile_k"),
                                  config.at("warps")),
              variant)
        << m;
  }
}

}  // namespace
}  // namespace warploom
