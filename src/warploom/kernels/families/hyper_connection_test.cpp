#include "warploom/kernels/operator/hyper_connection.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/kernels/work.h"

namespace warploom {
namespace {

Work work_of_part(HyperConnectionPart part) {
  return work_of(
      HyperConnection{.part = part, .tokens = 10, .hidden = 8, .streams = 4, .sinkhorn_iterations = 3});
}

// Rows of a token of 8 elements of 2 bytes, in and out.
TEST(HyperConnection, MovesTheRowsOfItsPart) {
  constexpr double kRow = 10 * 8 * 2;
  const auto rows = [&](HyperConnectionPart part) {
    const Work work = work_of_part(part);
    return std::pair{work.input_bytes.value() / kRow, work.output_bytes.value() / kRow};
  };
  EXPECT_EQ(rows(HyperConnectionPart::Expand), (std::pair{1.0, 4.0}));
  EXPECT_EQ(rows(HyperConnectionPart::Pre), (std::pair{4.0, 1.0}));
  EXPECT_EQ(rows(HyperConnectionPart::Post), (std::pair{5.0, 4.0}));
  EXPECT_EQ(rows(HyperConnectionPart::FusedPostPre), (std::pair{5.0, 5.0}));
  EXPECT_EQ(rows(HyperConnectionPart::Contract), (std::pair{4.0, 1.0}));
}

// A token makes 4 + 4 + 16 weights of its 32 elements.
TEST(HyperConnection, OnlyPreMakesMixingWeights) {
  const Work pre = work_of_part(HyperConnectionPart::Pre);
  EXPECT_DOUBLE_EQ(pre.matrix_flop.value(), 2 * 10 * 32 * 24);
  EXPECT_DOUBLE_EQ(pre.weight_bytes.value(), 4 * 32 * 24);
  EXPECT_DOUBLE_EQ(pre.special_ops, 10 * 16 * (1 + 2 * 3));
  EXPECT_DOUBLE_EQ(work_of_part(HyperConnectionPart::Post).matrix_flop.value(), 0);
}

TEST(HyperConnection, RefusesSizesThatAreNone) {
  for (const auto wrong : {&HyperConnection::tokens, &HyperConnection::hidden, &HyperConnection::streams}) {
    HyperConnection op;
    op.*wrong = 0;
    EXPECT_THROW(check_operator(op, "test"), InvalidInput);
  }
}

}  // namespace
}  // namespace warploom
