#include "warploom/kernels/collectives/network_kernels.h"

#include <gtest/gtest.h>

#include "warploom/kernels/collectives/across_nodes.h"

namespace warploom {
namespace {

// A swept kernel of one node that takes so long whatever it is asked.
class OneKernel final : public LatencyModel {
 public:
  explicit OneKernel(Seconds time) : time_(time) {}
  LatencyEstimate estimate(const Operator&, const GpuSpec&, const KernelContext&) const override {
    LatencyEstimate estimate;
    estimate.p10 = estimate.p50 = estimate.p90 = time_;
    estimate.tier = Tier::Measured;
    return estimate;
  }
  KernelAnswer answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const override {
    return {.estimate = estimate(op, gpu, context), .implementation = context};
  }

 private:
  Seconds time_;
};

const GpuSpec& gpu(std::string_view name) {
  static const GpuCatalog catalog;
  return catalog.get(name);
}

constexpr KernelContext kCustom{.framework = "vllm", .version = {}, .kernel = "vLLM_custom_graph"};

TEST(NetworkKernels, NeverNameAKernelOfOneNodeNorCallItMeasured) {
  const OneKernel swept(microseconds(20));
  const NetworkKernels network(swept);
  const Collective op{.kind = CollectiveKind::AllReduce, .size = Bytes(1e8), .ranks = 16};
  for (const std::string_view name : {"h100_sxm", "a100_sxm", "b200_sxm", "mi300x"}) {
    ASSERT_TRUE(network.serves(op, gpu(name), kCustom)) << name;
    const KernelAnswer answer = network.answer(op, gpu(name), kCustom);
    EXPECT_EQ(answer.implementation.kernel.substr(1), price_across_nodes(op, gpu(name))->kernel.substr(1));
    EXPECT_NE(answer.estimate.tier, Tier::Measured) << name;
    EXPECT_LT(answer.estimate.p10, answer.estimate.p50);
    EXPECT_GT(answer.estimate.p90 / answer.estimate.p50, 1.5);
  }
}

TEST(NetworkKernels, LeaveSweptRowsAndOneNodeAlone) {
  const OneKernel swept(microseconds(20));
  const NetworkKernels network(swept);
  Collective op{.kind = CollectiveKind::AllReduce, .size = Bytes(1e8), .ranks = 16};
  EXPECT_FALSE(network.serves(op, gpu("a100_sxm"), {.as_collected = true}));
  op.ranks = 8;
  EXPECT_FALSE(network.serves(op, gpu("a100_sxm"), {}));
  EXPECT_FALSE(network.serves(Gemm{}, gpu("a100_sxm"), {}));
}

TEST(NetworkKernels, TakeNoLessThanOneNodeAlone) {
  const OneKernel swept(Seconds(0.5));
  const NetworkKernels network(swept);
  const Collective op{.kind = CollectiveKind::AllReduce, .size = Bytes(1e8), .ranks = 16};
  EXPECT_DOUBLE_EQ(network.answer(op, gpu("l40s"), {}).estimate.p50.value(), 0.5);
}

TEST(NetworkKernels, DispatchIsMeasuredOnTheNetworkItWasMeasuredOn) {
  const OneKernel swept(microseconds(100));
  const NetworkKernels network(swept);
  Collective op{.kind = CollectiveKind::Dispatch,
                .size = Bytes(128 * 8 * 7168.0),
                .ranks = 16,
                .ranks_per_node = 8,
                .top_k = 8,
                .token_bytes = Bytes(7168)};
  const KernelContext asked{.framework = "sglang", .version = {}, .kernel = "deepep_low_latency"};
  const KernelAnswer on_h100 = network.answer(op, gpu("h100_sxm"), asked);
  EXPECT_EQ(on_h100.implementation.version, "0.5.6.post2");  // the newest has rows of one node alone
  EXPECT_EQ(on_h100.implementation.kernel, "deepep_low_latency");
  EXPECT_EQ(on_h100.estimate.tier, Tier::Measured);
  for (const std::string_view name : {"h200_sxm", "b200_sxm"})
    EXPECT_EQ(network.answer(op, gpu(name), asked).estimate.tier, Tier::CrossGpu) << name;
  op.nic_rate = gigabytes_per_second(25);
  const KernelAnswer slower = network.answer(op, gpu("h100_sxm"), asked);
  EXPECT_EQ(slower.estimate.tier, Tier::CrossGpu);
  EXPECT_GT(slower.estimate.p50, on_h100.estimate.p50);
  EXPECT_LE(slower.estimate.p50, 2.0 * on_h100.estimate.p50);
}

}  // namespace
}  // namespace warploom
