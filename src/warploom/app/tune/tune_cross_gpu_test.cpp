#include "warploom/app/tune/tune_cross_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "warploom/base/error.h"
#include "warploom/tuner/regret.h"

namespace warploom {
namespace {

TuneCrossGpuRequest request_of(const char* gpu, TileKernel kernel) {
  TuneCrossGpuRequest request;
  request.kernel = std::move(kernel);
  request.gpu = gpu;
  return request;
}

// An H100 that nothing built in was measured on, all of its configurations timed at random shapes.
TEST(CrossGpuTable, FormulasOfTheGenerationPickWell) {
  const TileKernel grouped{.kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  for (const auto& [file, kernel] : {std::pair{"gemm_judged.csv.gz", TileKernel{}},
                                     std::pair{"gemm_fp8_judged.csv.gz", TileKernel{.operand_bytes = 1}},
                                     std::pair{"grouped_judged.csv.gz", grouped}}) {
    const std::vector<std::filesystem::path> paths{std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                                                   "tests/fixtures/tuner/h100" / file};
    const TuneFitResult made = tune_fit_cross_gpu(request_of("h100_sxm", kernel));
    EXPECT_EQ(made.table.tier(), TableTier::CrossGpu);
    const std::vector<OracleShape> shapes = oracle_shapes(read_tile_samples(paths));
    // Picks among what was measured: the grouped set lacks configurations of 256 rows.
    const Chooser chooser = [&](const OracleShape& shape) {
      std::vector<double> times;
      for (const TileSample& sample : shape.samples)
        times.push_back(made.table.predict_us(shape.shape, sample.config).value_or(1e12));
      return times;
    };
    EXPECT_GT(summarize(regret_of(shapes, chooser, {})).geo_mean_share, 0.955) << file;
  }
}

TEST(CrossGpuTable, AnotherGenerationRestsOnTheRecord) {
  const TuneFitResult made = tune_fit_cross_gpu(request_of("l40s", {}));
  EXPECT_EQ(made.table.tier(), TableTier::CrossGpu);
  EXPECT_FALSE(made.table.configs().empty());
}

TEST(CrossGpuTable, ScalesOfBlocksAreForOneByteAlone) {
  TuneCrossGpuRequest request = request_of("h100_sxm", {.operand_bytes = 1});
  request.scale_block = 128;
  const RuntimeTable scaled = tune_fit_cross_gpu(request).table;
  for (const FittedConfig& fitted : scaled.configs()) EXPECT_EQ(128 % fitted.config.tile_k, 0);
  request.kernel.operand_bytes = 2;
  EXPECT_THROW(tune_fit_cross_gpu(request), InvalidInput);
}

}  // namespace
}  // namespace warploom
