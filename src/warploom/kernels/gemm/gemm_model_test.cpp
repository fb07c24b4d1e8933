#include "warploom/kernels/gemm/gemm_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/matrix_rate.h"
#include "warploom/kernels/physical_bound.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog all;
  return all;
}

GemmPrice price_of(const Gemm& op, const GpuSpec& gpu, const GemmConstants& constants = {}) {
  GemmPrice price;
  GemmModel(op.scheme, gpu, constants).price(op, price);
  return price;
}

Gemm product(std::int64_t m, std::int64_t n, std::int64_t k, MatmulScheme scheme = MatmulScheme::Bf16) {
  return {.scheme = scheme, .m = m, .n = n, .k = k};
}

// Every scheme a GPU has units for.
std::vector<MatmulScheme> schemes_of(const GpuSpec& gpu) {
  std::vector<MatmulScheme> schemes{MatmulScheme::Bf16, MatmulScheme::Int4WeightOnly};
  if (gpu.tensor_rates.fp8 > 0) schemes.insert(schemes.end(), {MatmulScheme::Fp8, MatmulScheme::Fp8Block});
  if (gpu.tensor_rates.fp4 > 0) schemes.push_back(MatmulScheme::NvFp4);
  return schemes;
}

TEST(GemmModel, LargeProductsRunAtTheSustainedRate) {
  const GpuSpec& gpu = catalog().get("h200_sxm");
  const GemmModel model(MatmulScheme::Bf16, gpu);
  GemmPrice price;
  const double size = 16384;
  model.price(product(16384, 16384, 16384), price);
  const double at_peak = 2 * size * size * size / gpu.tensor_rate(gpu.tensor_rates.fp16).value();
  EXPECT_GT(price.tile_seconds, at_peak * model.slowdown() / GemmConstants{}.async_efficiency * (1 - 1e-6));
  EXPECT_LT(price.seconds, 1.6 * at_peak);
}

TEST(GemmModel, ColdWeightsOfAFewRowsComeAtTheDramRate) {
  const GpuSpec& gpu = catalog().get("h100_sxm");
  const GemmPrice price = price_of(product(4, 28672, 8192), gpu);
  const double bytes = 2.0 * 28672 * 8192;
  EXPECT_EQ(price.cold_share, 1);
  EXPECT_NEAR(price.memory_seconds, bytes / (0.85 * gpu.memory_bandwidth.value()) + 0.5e-6, 2e-6);
}

TEST(GemmModel, RotatedWeightsThatFitStayInCache) {
  const GpuSpec& gpu = catalog().get("rtx_pro_6000_server");
  Gemm op = product(16, 4096, 1024);
  op.residency = Residency::Warm;
  op.weight_copies = 6;  // 50 of 128 MB
  EXPECT_LT(price_of(op, gpu).cold_share, 0.05);
  op.weight_copies = 60;
  EXPECT_GT(price_of(op, gpu).cold_share, 0.95);
}

TEST(GemmModel, PowerLimitSlowsProductsThatFillTheSms) {
  GpuSpec gpu = catalog().get("l40s");
  const double before = price_of(product(8192, 8192, 8192), gpu).tile_seconds;
  const double few = price_of(product(64, 64, 8192), gpu).tile_seconds;
  gpu.power_limit = Watts(250);
  EXPECT_GT(price_of(product(8192, 8192, 8192), gpu).tile_seconds, 1.2 * before);
  EXPECT_EQ(price_of(product(64, 64, 8192), gpu).tile_seconds, few);
  EXPECT_EQ(GemmModel(MatmulScheme::Bf16, catalog().get("h20")).slowdown(), 1);
}

TEST(GemmModel, DeepGemmFitsTheTileToTheSms) {
  const GpuSpec& gpu = catalog().get("h100_sxm");
  const GemmPrice price = price_of(product(64, 2112, 7168, MatmulScheme::Fp8Block), gpu);
  EXPECT_EQ(gemm_tile_shape(price.tile).rows, 64);
  EXPECT_LE(gemm_tile_shape(price.tile).columns, 32);  // 2112 / 16 = 132 tiles
  EXPECT_EQ(price.splits, 1);
}

TEST(GemmModel, SplitsTheInnerLengthOfFewTiles) {
  EXPECT_GT(price_of(product(64, 256, 16384), catalog().get("a100_sxm")).splits, 1);
  EXPECT_EQ(price_of(product(8192, 8192, 8192), catalog().get("a100_sxm")).splits, 1);
}

TEST(GemmModel, NeverRoundsAWholeNumberOfTilesUp) {
  // 132 tiles of 128 x 128 on 132 SMs: one wave.
  const GpuSpec& gpu = catalog().get("h100_sxm");
  const GemmPrice price = price_of(product(128 * 11, 128 * 12, 4096), gpu);
  EXPECT_FLOAT_EQ(price.wave_count[shared_gemm_tile(5, 1)], 1.0F);
}

RC_GTEST_PROP(GemmModel, IsAboveThePhysicalBoundOnEveryGpu, ()) {
  const auto& gpus = catalog().gpus();
  const GpuSpec& gpu = gpus[*rc::gen::inRange<std::size_t>(0, gpus.size())];
  RC_PRE(gpu.tensor_rates.fp16 > 0 && gpu.supports_bf16 && gpu.vendor == Vendor::Nvidia);
  const auto schemes = schemes_of(gpu);
  const Gemm op = product(
      *rc::gen::inRange<std::int64_t>(1, 40000), *rc::gen::inRange<std::int64_t>(1, 20000),
      *rc::gen::inRange<std::int64_t>(1, 20000), schemes[*rc::gen::inRange<std::size_t>(0, schemes.size())]);
  RC_ASSERT(price_of(op, gpu).seconds >= physical_bound(op, gpu).time.value());
}

RC_GTEST_PROP(GemmModel, MoreWorkTakesNoLess, ()) {
  const GpuSpec& gpu =
      catalog().get(*rc::gen::element<std::string>("a100_sxm", "h200_sxm", "b200_sxm", "l40s"));
  const Gemm op =
      product(*rc::gen::inRange<std::int64_t>(1, 20000), *rc::gen::inRange<std::int64_t>(1, 20000),
              *rc::gen::inRange<std::int64_t>(1, 20000));
  const double seconds = price_of(op, gpu).seconds;
  Gemm more = op;
  more.k *= 2;
  RC_ASSERT(price_of(more, gpu).seconds >= seconds * (1 - 1e-5));
  more = op;
  more.batch = 2;
  RC_ASSERT(price_of(more, gpu).seconds >= seconds * (1 - 1e-5));
}

RC_GTEST_PROP(GemmModel, TheChosenTileIsTheLeastOffered, ()) {
  const GpuSpec& gpu =
      catalog().get(*rc::gen::element<std::string>("h100_sxm", "gb200", "rtx_pro_6000_server"));
  const GemmPrice price = price_of(
      product(*rc::gen::inRange<std::int64_t>(1, 9000), *rc::gen::inRange<std::int64_t>(1, 9000), 4096), gpu);
  RC_ASSERT(std::abs(price.tile_seconds - double(price.by_tile[price.tile])) < 1e-9);
  RC_ASSERT(double(price.by_tile[shared_gemm_tile(5, 1)]) >= price.tile_seconds);
}

TEST(GemmModel, PricesGpusWithoutMatrixUnits) {
  const GemmPrice price = price_of(product(512, 512, 512, MatmulScheme::Fp32), catalog().get("p100"));
  EXPECT_TRUE(std::isfinite(price.seconds));
  EXPECT_GT(price.seconds, 0);
}

// Parts made from one chip share the boost clock of the largest one's data sheet; clocks go with the cube
// root of the power limit.
TEST(GemmModel, PartsOfOneGenerationDifferAsTheirPowerAndHighestClocks) {
  const auto loaded = [](const GpuSpec& gpu, ClockRule rule) {
    const PowerConstants power;
    return clock_under_load(gpu, rule, matrix_load(gpu, DataType::Bf16, power), power);
  };
  for (const char* name : {"a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm", "l40s", "rtx_pro_6000_server"}) {
    const GpuSpec& gpu = catalog().get(name);
    EXPECT_NEAR(loaded(gpu, ClockRule::LargestPart).hertz / gpu.boost_clock.value(), 1, 1e-9) << name;
    EXPECT_NEAR(loaded(gpu, ClockRule::LargestPart).slowdown, loaded(gpu, ClockRule::Limited).slowdown, 1e-9)
        << name;
  }
  const GpuSpec &gb200 = catalog().get("gb200"), &b200 = catalog().get("b200_sxm");
  EXPECT_NEAR(loaded(gb200, ClockRule::LargestPart).hertz / loaded(b200, ClockRule::LargestPart).hertz,
              2062.0 / 1965, 1e-9);
  const auto clock = [&](const GpuSpec& gpu) { return loaded(gpu, ClockRule::LargestPart).sustained(); };
  EXPECT_NEAR(clock(gb200) / clock(b200), std::cbrt(1200.0 / 1000 * 148 / 152), 1e-9);
}

// Measured medians over the same products: 0.93 of B200's time where the matrix units are busy.
TEST(GemmModel, LargeProductsOnGb200TakeWhatTheyWereMeasuredToTake) {
  for (const MatmulScheme scheme : {MatmulScheme::Bf16, MatmulScheme::Fp8, MatmulScheme::NvFp4}) {
    const Gemm op = product(16384, 8192, 8192, scheme);
    const double b200 = price_of(op, catalog().get("b200_sxm")).seconds;
    EXPECT_NEAR(price_of(op, catalog().get("gb200")).seconds / b200, 0.93, 0.02);
  }
}

}  // namespace
}  // namespace warploom
