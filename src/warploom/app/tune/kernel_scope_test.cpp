#include "warploom/app/tune/kernel_scope.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

std::string refusal_of(TileKernelUse use, const TileKernel& kernel) {
  try {
    check_kernel_scope(kernel, use, "tune");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(TileKernelUse use, const TileKernel& kernel, const std::string& part) {
  const std::string said = refusal_of(use, kernel);
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

constexpr auto kGrouped = TileKernelKind::GroupedGemm;
constexpr auto kAttention = TileKernelKind::Attention;

TEST(KernelScope, FieldsOfAnotherKindAreRefusedWithTheKind) {
  for (const TileKernel& kernel : {TileKernel{.experts = 4}, TileKernel{.top_k = 4}})
    expect_refusal(TileKernelUse::SecondRound, kernel, "bears on `kind` grouped_gemm, but the kind is gemm");
  for (const TileKernel& kernel :
       {TileKernel{.head_dim = 64}, TileKernel{.head_group = 4}, TileKernel{.causal = true}})
    expect_refusal(TileKernelUse::Table, kernel, "bears on `kind` attention");
  for (const TileKernel& kernel :
       {TileKernel{.kind = kAttention, .group_rows = 4}, TileKernel{.kind = kAttention, .batch = 2},
        TileKernel{.kind = kAttention, .b_along_n = true}})
    expect_refusal(TileKernelUse::Learning, kernel, "bears on `kind` gemm, but the kind is attention");
}

TEST(KernelScope, FieldsOfTheirKindAreTaken) {
  EXPECT_EQ(refusal_of(TileKernelUse::Table, {.kind = kGrouped, .group_rows = 4, .experts = 16, .top_k = 2}),
            "");
  EXPECT_EQ(
      refusal_of(TileKernelUse::Table, {.kind = kAttention, .head_group = 4, .causal = true, .rotation = 1}),
      "");
}

TEST(KernelScope, FieldsOfTheFitAreRefusedWhereNothingIsFitted) {
  for (const TileKernel& kernel :
       {TileKernel{.rotation = 1}, TileKernel{.output_bytes = 4}, TileKernel{.group_rows = 4},
        TileKernel{.kind = kAttention, .causal = true}, TileKernel{.kind = kGrouped, .top_k = 2}}) {
    expect_refusal(TileKernelUse::Anchors, kernel, "expected `samples` with it");
    EXPECT_EQ(refusal_of(TileKernelUse::SecondRound, kernel), "");
  }
}

TEST(KernelScope, TypesThatTheReferenceKernelsHaveNotAreRefused) {
  EXPECT_EQ(refusal_of(TileKernelUse::Profile, {.operand_bytes = 1}), "");
  expect_refusal(TileKernelUse::Profile, {.operand_bytes = 4}, "expected 1 or 2");
  expect_refusal(TileKernelUse::Profile, {.kind = kAttention, .operand_bytes = 1}, "bears on `kind` gemm");
}

}  // namespace
}  // namespace warploom
