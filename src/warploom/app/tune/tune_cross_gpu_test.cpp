#include "warploom/app/tune/tune_cross_gpu.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "warploom/app/tune/formula_file.h"
#include "warploom/app/tune/tune_correction.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/tuner/legality.h"
#include "warploom/tuner/modelled_times.h"
#include "warploom/tuner/record_model.h"
#include "warploom/tuner/regret.h"

namespace warploom {
namespace {

TuneCrossGpuRequest request_of(const char* gpu, TileKernel kernel) {
  TuneCrossGpuRequest request;
  request.kernel = std::move(kernel);
  request.gpu = gpu;
  return request;
}

// An H100 that nothing built in was measured on, all of its configurations timed at random shapes. The record
// alone keeps 91, 93 and 94 % of the best there.
TEST(CrossGpuTable, FormulasOfTheGenerationPickWell) {
  const GpuCatalog catalog;
  const TileKernel grouped{.kind = TileKernelKind::GroupedGemm, .experts = 16, .top_k = 2};
  for (const auto& [file, kernel] : {std::pair{"gemm_judged.csv.gz", TileKernel{}},
                                     std::pair{"gemm_fp8_judged.csv.gz", TileKernel{.operand_bytes = 1}},
                                     std::pair{"grouped_judged.csv.gz", grouped}}) {
    const std::vector<std::filesystem::path> paths{std::filesystem::path(WARPLOOM_SOURCE_DIR) /
                                                   "tests/fixtures/tuner/h100" / file};
    const auto known = built_in_formulas(kernel);
    ASSERT_TRUE(known) << file;
    const WaveModel model =
        known_model(kernel, known->formulas, catalog.get(known->gpu), catalog.get("h100_sxm"));
    const auto correction = built_in_correction(kernel);
    const Chooser chooser = [&](const OracleShape& shape) {
      const std::vector<double> all = modelled_times(model, shape.shape, correction.get());
      std::vector<double> times(shape.samples.size(), 1e12);
      for (std::size_t i = 0; i < times.size(); ++i)
        for (std::size_t k = 0; k < all.size(); ++k)
          if (model.configs[k].config == shape.samples[i].config) times[i] = all[k];
      return times;
    };
    const auto shapes = oracle_shapes(read_tile_samples(paths));
    EXPECT_GT(summarize(regret_of(shapes, chooser, {})).geo_mean_share, 0.955) << file;
  }
}

TEST(CrossGpuTable, AnotherGenerationRestsOnTheRecord) {
  const auto configs = [](const char* gpu) {
    return tune_fit_cross_gpu(request_of(gpu, {.operand_bytes = 1})).table.configs().size();
  };
  const TileKernel kernel{.operand_bytes = 1};
  const GpuCatalog catalog;
  const auto space = legal_space(kernel, TileGpu::from(catalog.get("l40s")), default_axes(kernel.kind));
  EXPECT_EQ(configs("l40s"), space.size());
  EXPECT_EQ(configs("h100_sxm"), built_in_formulas(kernel)->formulas.size());
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
