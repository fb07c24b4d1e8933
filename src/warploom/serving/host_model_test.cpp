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
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(20), 4)), 3, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(milliseconds(4), 4)), 3 + 5, 1e-9);
  EXPECT_NEAR(to_milliseconds(host.overhead(Seconds(0), 0)), 3 + 5, 1e-9);
}

TEST(HostModel, HasConstantsForEachEngine) {
  EXPECT_NEAR(to_milliseconds(default_host_model("sglang").serial_tail), 0.3, 1e-9);
  EXPECT_EQ(default_host_model("trtllm").overhead(milliseconds(3), 9).value(), 0);
  EXPECT_EQ(default_host_model("vllm").serial_tail, HostModel{}.serial_tail);
  EXPECT_THROW(default_host_model("vlm"), NotFound);
}

}  // namespace
}  // namespace warploom
