#include "warploom/steps/waiting_ranks.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

Seconds wait_in(const Collective& op, const KernelContext& context) {
  LatencyEstimate answer{.p10 = microseconds(9), .p50 = microseconds(10), .p90 = microseconds(12)};
  const bool waits = wait_for_ranks(StepRules::shipped(), op, GpuCatalog().get("h200_sxm"), context, answer);
  EXPECT_EQ(waits, answer.p50 > microseconds(10));
  EXPECT_NEAR((answer.p90 - answer.p10).value(), 3e-6, 1e-12) << "the interval moves and keeps its width";
  return answer.p50 - microseconds(10);
}

TEST(WaitingRanks, NcclWaitsWhateverItDoes) {
  for (const CollectiveKind kind :
       {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
    EXPECT_NEAR(wait_in({.kind = kind, .size = Bytes(4096)}, {"vllm", "", ""}).value(), 4.4e-6, 1e-12);
}

TEST(WaitingRanks, AnEnginesOwnReductionWaitsWhenSmall) {
  const KernelContext own{"vllm", "", "vLLM_custom_graph"};
  EXPECT_NEAR(wait_in({.size = Bytes(4096)}, own).value(), 1.1e-6, 1e-12);
  EXPECT_EQ(wait_in({.size = Bytes(1 << 20)}, own), Seconds(0.0));
}

TEST(WaitingRanks, ElsewhereTheWaitMayBeNoneOrTwice) {
  const Collective four{.size = Bytes(4096), .ranks = 4};
  LatencyEstimate answer{.p10 = microseconds(10), .p50 = microseconds(10), .p90 = microseconds(10)};
  wait_for_ranks(StepRules::shipped(), four, GpuCatalog().get("h200_sxm"), {"vllm", "", ""}, answer);
  EXPECT_NEAR(to_microseconds(answer.p10), 10, 1e-9);
  EXPECT_NEAR(to_microseconds(answer.p50), 14.4, 1e-9);
  EXPECT_NEAR(to_microseconds(answer.p90), 18.8, 1e-9);
}

TEST(WaitingRanks, OthersDoNot) {
  EXPECT_EQ(wait_in({.size = Bytes(4096)}, {"trtllm", "", ""}), Seconds(0.0));
  EXPECT_EQ(wait_in({.kind = CollectiveKind::Dispatch, .size = Bytes(4096)}, {"sglang", "", ""}),
            Seconds(0.0));
  EXPECT_EQ(wait_in({.size = Bytes(4096), .ranks = 1}, {"vllm", "", ""}), Seconds(0.0));
}

}  // namespace
}  // namespace warploom
