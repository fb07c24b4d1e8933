#include "warploom/serving/pricing/joint_error.h"

#include <gtest/gtest.h>

#include "warploom/serving/pricing/operator_pricer.h"
#include "warploom/serving/pricing/step_pricer.h"

namespace warploom {
namespace {

double joint_of(ErrorKind first, double a, ErrorKind second, double b) {
  HalfWidths widths;
  widths.add(first, a);
  widths.add(second, b);
  return widths.joint();
}

TEST(JointError, KernelsOfAKindErrAlike) {
  EXPECT_NEAR(joint_of(ErrorKind::Products, 3e-3, ErrorKind::Products, 4e-3), 7e-3, 1e-8);
}

TEST(JointError, KindsShareALittle) {
  const double joint = joint_of(ErrorKind::Products, 3e-3, ErrorKind::Attention, 4e-3);
  EXPECT_GT(joint, 5e-3) << "more than independent errors";
  EXPECT_LT(joint, 6e-3) << "far less than one error";
}

TEST(JointError, NeighbouringRowsErrAlike) {
  HalfWidths mixed, row;
  row.add(ErrorKind::Experts, 1e-3);
  mixed.mix(row, 0.25);
  mixed.mix(row, 0.75);
  EXPECT_NEAR(mixed.joint(), 1e-3, 1e-9) << "not narrower for being interpolated";
}

TEST(JointError, AttentionOfPromptsAndOfDecodingIsOneKind) {
  EXPECT_EQ(error_kind(Family::AttentionPrefill), error_kind(Family::AttentionDecode));
  EXPECT_EQ(error_kind(Family::Gemm), ErrorKind::Products);
  EXPECT_EQ(error_kind(Family::Moe), ErrorKind::Experts);
  EXPECT_EQ(error_kind(Family::RmsNorm), error_kind(Family::AllReduce));
}

TEST(JointError, PassesOfOneStepErrAlike) {
  const StepCost pass{milliseconds(9), milliseconds(10), milliseconds(12), Seconds(0.0)};
  const StepCost both = joined_cost(pass, pass);
  EXPECT_EQ(both.p10, milliseconds(18));
  EXPECT_EQ(both.p90, milliseconds(24));
}

}  // namespace
}  // namespace warploom
