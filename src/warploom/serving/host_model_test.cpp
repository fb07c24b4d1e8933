#include "warploom/serving/host_model.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(HostModel, HidesTheFloorBehindTheGpu) {
  const HostModel host{.dispatch = milliseconds(1),
                       .host_floor = milliseconds(5),
                       .host_floor_per_sequence = milliseconds(1),
                       .serial_tail = milliseconds(2),
                       .serial_tail_per_sequence = Seconds(0)};
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 4, false)), 3, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(4), 4, false)), 3 + 5, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(Seconds(0), 0, false)), 3 + 5, 1e-9);
}

TEST(HostModel, RaisesTheFloorOfStepsThatPrefill) {
  const HostModel host{
      .host_floor = milliseconds(5), .prefill_floor = milliseconds(30), .serial_tail = Seconds(0)};
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, false)), 0, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 0, true)), 10, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(40), 0, true)), 0, 1e-9);
}

TEST(HostModel, HasConstantsForEachEngine) {
  EXPECT_GT(default_host_model("sglang", 60).prefill_floor, default_host_model("sglang", 0).prefill_floor);
  EXPECT_NEAR(to_milliseconds(default_host_model("sglang", 0).serial_tail), 0.3, 1e-9);
  EXPECT_EQ(default_host_model("trtllm", 0).overhead(milliseconds(3), 9, true).value(), 0);
  EXPECT_EQ(default_host_model("vllm", 60).serial_tail, HostModel{}.serial_tail);
  EXPECT_THROW(default_host_model("vlm", 0), NotFound);
}

}  // namespace
}  // namespace warploom
