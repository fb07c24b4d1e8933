#include "warploom/serving/streaming_kernels.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

class Fixed final : public LatencyModel {
 public:
  explicit Fixed(Seconds p50) : p50_(p50) {}
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    return {.p10 = 0.9 * p50_, .p50 = p50_, .p90 = 1.5 * p50_, .tier = Tier::CrossGpu};
  }

 private:
  Seconds p50_;
};

// Two rows of 8,192 bf16 values read and written for each token.
const RmsNorm kNorm{.tokens = 8192, .width = 8192, .residual = true};

TEST(StreamingKernels, StreamAtFourFifthsOfTheMemory) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const Fixed slow{milliseconds(1)};
  const LatencyEstimate answer = StreamingKernels(slow).estimate(kNorm, gpu);
  const double bytes = 4.0 * 8192 * 8192 * 2;
  EXPECT_NEAR(answer.p50.value(), 3e-6 + bytes / (0.8 * gpu.memory_bandwidth.value()), 1e-6);
  EXPECT_LE(answer.p10, answer.p50);
  EXPECT_EQ(answer.p90, milliseconds(1.5));
  EXPECT_EQ(answer.tier, Tier::CrossGpu);
}

TEST(StreamingKernels, LeaveFasterKernelsAndOtherFamilies) {
  const GpuSpec gpu = GpuCatalog().get("h100_sxm");
  const Fixed fast{microseconds(100)}, slow{milliseconds(1)};
  EXPECT_EQ(StreamingKernels(fast).estimate(kNorm, gpu).p50, microseconds(100));
  EXPECT_EQ(StreamingKernels(slow).estimate(Gemm{.m = 1, .n = 1, .k = 1}, gpu).p50, milliseconds(1));
}

}  // namespace
}  // namespace warploom
