#include "warploom/cli/given_options.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

TEST(GivenOptions, StandInMessagesAsTheyWereTyped) {
  const std::string message = "32 heads cannot be split by tensor_parallel=3, expected a divisor";
  EXPECT_EQ(in_given_options(message, {"step", "--tp", "3"}),
            "32 heads cannot be split by --tp 3, expected a divisor");
  EXPECT_EQ(in_given_options(message, {"step", "--tensor-parallel-size=3"}),
            "32 heads cannot be split by --tensor-parallel-size 3, expected a divisor");
  EXPECT_EQ(in_given_options("a tensor_parallel=1, tensor_parallel=2", {"--tp-size", "2"}),
            "a --tp-size 1, --tp-size 2");
}

TEST(GivenOptions, KeepNamesOfWhatWasNotGiven) {
  const std::string message = "pipeline_parallel=9 exceeds 4 layers, max_tensor_parallel=8";
  EXPECT_EQ(in_given_options(message, {"step", "--tp", "3"}), message);
  EXPECT_EQ(in_given_options("", {"--tp"}), "");
}

}  // namespace
}  // namespace warploom
