#include "warploom/app/serving/tile_table_latency.h"

#include <gtest/gtest.h>

#include "warploom/app/tune/tune_cross_gpu.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

// A table from the GPU's record alone: what is tested is who answers, not how well.
RuntimeTable table_of(TileKernel kernel) {
  TuneCrossGpuRequest request;
  request.kernel = std::move(kernel);
  request.gpu = "H100-SXM";
  return tune_fit_cross_gpu(request).table;
}

// An engine whose every kernel takes the same time.
class EvenEngine final : public LatencyModel {
 public:
  explicit EvenEngine(Seconds time) : time_(time) {}
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    return {.p10 = time_, .p50 = time_, .p90 = time_, .tier = Tier::CrossGpu};
  }

 private:
  Seconds time_;
};

const GpuSpec& h100_of_tables() {
  static const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  return gpu;
}

TileTableLatency model_of(const RuntimeTable& table, Seconds engine, TunedGain gain = TunedGain::Expected) {
  return {std::make_shared<const EvenEngine>(engine), table, gain};
}

const Gemm kProduct{.m = 64, .n = 4096, .k = 4096};

TEST(TileTableLatency, AnswersWhereItsKernelIsTheFaster) {
  const RuntimeTable table = table_of({});
  const Seconds picked = microseconds(double(table.pick({64, 4096, 4096}).predicted_us));
  const TileTableLatency slow = model_of(table, milliseconds(1)), fast = model_of(table, microseconds(1));
  EXPECT_FALSE(slow.served());
  EXPECT_EQ(slow.estimate(kProduct, h100_of_tables()).p50, picked);
  EXPECT_TRUE(slow.served());
  EXPECT_EQ(fast.estimate(kProduct, h100_of_tables()).p50, microseconds(1));
  EXPECT_EQ(slow.answer(kProduct, h100_of_tables()).implementation.kernel, "tile_table");
}

TEST(TileTableLatency, TakesTheEndsOfAPicksError) {
  const RuntimeTable table = table_of({});
  const auto at = [&](TunedGain gain) {
    return model_of(table, milliseconds(1), gain).estimate(kProduct, h100_of_tables()).p50;
  };
  EXPECT_LT(at(TunedGain::Most), at(TunedGain::Expected));
  EXPECT_LT(at(TunedGain::Expected), at(TunedGain::Least));
}

TEST(TileTableLatency, LeavesOperatorsOfOtherKernels) {
  const TileTableLatency products = model_of(table_of({}), milliseconds(1));
  Gemm fp8 = kProduct, batched = kProduct;
  fp8.scheme = MatmulScheme::Fp8;
  batched.batch = 8;
  for (const Operator& op : {Operator(fp8), Operator(batched), Operator(RmsNorm{})})
    EXPECT_EQ(products.estimate(op, h100_of_tables()).p50, milliseconds(1));
  EXPECT_EQ(products.estimate(kProduct, GpuCatalog().get("h200_sxm")).p50, milliseconds(1));
  EXPECT_FALSE(products.served());
}

TEST(TileTableLatency, AddsTheGroupsOfAttention) {
  TileKernel kernel;
  kernel.kind = TileKernelKind::Attention;
  kernel.head_group = 4;
  kernel.causal = true;
  const RuntimeTable table = table_of(kernel);
  const TileTableLatency model = model_of(table, milliseconds(100));
  AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{1, 512, 0}, {2, 128, 256}}};
  const double us =
      double(table.pick({512, 512, 32}).predicted_us) + double(table.pick({128, 384, 64}).predicted_us);
  EXPECT_NEAR(model.estimate(op, h100_of_tables()).p50.value(), 1e-6 * us, 1e-12);
  op.kv_heads = 32;
  EXPECT_EQ(model.estimate(op, h100_of_tables()).p50, milliseconds(100));
}

}  // namespace
}  // namespace warploom
