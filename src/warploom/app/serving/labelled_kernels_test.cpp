#include "warploom/app/serving/labelled_kernels.h"

#include <gtest/gtest.h>

#include <vector>

#include "warploom/app/serving/required_tier.h"

namespace warploom {
namespace {

KernelTime kernel_of(double seconds, Tier tier, bool extrapolated = false) {
  KernelTime kernel{.family = Family::Gemm, .label = "product", .time = Seconds(seconds), .calls = 1};
  kernel.source.tier = tier;
  kernel.source.extrapolated = extrapolated;
  return kernel;
}

TEST(KernelTrust, WeighsTiersByTime) {
  const std::vector<KernelTime> kernels{kernel_of(95, Tier::Measured), kernel_of(4, Tier::CrossGpu),
                                        kernel_of(1, Tier::Roofline)};
  const KernelTrust trust = trust_of(kernels);
  EXPECT_EQ(trust.tier, Tier::Measured) << "a kernel with a hundredth of the time does not speak for all";
  EXPECT_DOUBLE_EQ(trust.tier_shares[std::size_t(Tier::Measured)], 0.95);
  EXPECT_DOUBLE_EQ(trust.tier_shares[std::size_t(Tier::Roofline)], 0.01);
  EXPECT_TRUE(is_measured(kernels));
}

TEST(KernelTrust, IsMeasuredWhereTheRequiredTierIsMet) {
  for (const double measured : {0.5, 0.85, 0.89, 0.9, 0.91, 1.0}) {
    const std::vector<KernelTime> kernels{kernel_of(measured, Tier::Measured),
                                          kernel_of(1 - measured, Tier::CrossGpu)};
    EXPECT_EQ(trust_of(kernels).tier == Tier::Measured, is_measured(kernels)) << measured;
  }
  const std::vector<KernelTime> weak{kernel_of(0.5, Tier::Measured), kernel_of(0.3, Tier::CrossGpu),
                                     kernel_of(0.2, Tier::Roofline)};
  EXPECT_EQ(trust_of(weak).tier, Tier::Roofline);
}

TEST(KernelTrust, TellsHowMuchIsOutside) {
  const std::vector<KernelTime> few{kernel_of(95, Tier::Measured), kernel_of(5, Tier::Measured, true)};
  EXPECT_DOUBLE_EQ(trust_of(few).outside_share, 0.05);
  EXPECT_FALSE(trust_of(few).extrapolated);
  const std::vector<KernelTime> many{kernel_of(80, Tier::Measured), kernel_of(20, Tier::Measured, true)};
  EXPECT_TRUE(trust_of(many).extrapolated);
}

TEST(KernelTrust, OfNothingIsMeasured) {
  EXPECT_EQ(trust_of({}).tier, Tier::Measured);
  EXPECT_FALSE(trust_of({}).extrapolated);
  EXPECT_TRUE(is_measured({}));
}

}  // namespace
}  // namespace warploom
