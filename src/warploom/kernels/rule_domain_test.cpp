#include "warploom/kernels/rule_domain.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

constexpr RuleDomain kDomain{.engine = "vllm", .release = "0.24", .gpus = {"h200_sxm"}};

TEST(RuleDomain, HoldsItsReleaseOnItsGpus) {
  const GpuSpec h200 = GpuCatalog().get("h200_sxm"), h100 = GpuCatalog().get("h100_sxm");
  EXPECT_TRUE(kDomain.holds(h200, {}));
  EXPECT_TRUE(kDomain.holds(h200, {.framework = "vllm", .version = "0.24.0"}));
  EXPECT_TRUE(kDomain.holds(h200, {.framework = "vllm", .version = "0.24"}));
  EXPECT_FALSE(kDomain.holds(h200, {.framework = "vllm", .version = "0.14.0"}));
  EXPECT_FALSE(kDomain.holds(h200, {.framework = "vllm", .version = "0.240.0"}));
  EXPECT_FALSE(kDomain.holds(h200, {.framework = "sglang"}));
  EXPECT_FALSE(kDomain.holds(h100, {}));
}

TEST(RuleDomain, MeasuresDistanceInWidthsOfOctaves) {
  const SizeRange range{16, 256};
  EXPECT_EQ(widths_outside(range, 16), 0);
  EXPECT_EQ(widths_outside(range, 256), 0);
  EXPECT_DOUBLE_EQ(widths_outside(range, 1024), 0.5);
  EXPECT_DOUBLE_EQ(widths_outside(range, 1), 1);
  EXPECT_DOUBLE_EQ(widths_outside({8, 8}, 16), 1) << "a range of less than an octave counts as one";
}

}  // namespace
}  // namespace warploom
