#include "warploom/kernels/nearest_kind.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/operator_family.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

// Schemes of the same arithmetic, nearest first, the own left out.
std::vector<MatmulScheme> kin_of(MatmulScheme scheme, const char* gpu) {
  const NearKinds near = near_kinds(Gemm{.scheme = scheme}, catalog().get(gpu));
  std::vector<MatmulScheme> kin;
  for (const NearKind& kind : near.all())
    if (kind.distance == 0 && kind.scheme != scheme) kin.push_back(*kind.scheme);
  return kin;
}

using S = MatmulScheme;

TEST(NearKinds, OfOneTypeDifferByTheirScales) {
  EXPECT_EQ(kin_of(S::Fp8Static, "h100_sxm"), (std::vector<S>{S::Fp8, S::Fp8Block}));
  EXPECT_EQ(kin_of(S::Fp8, "h100_sxm"), (std::vector<S>{S::Fp8Static, S::Fp8Block}));
  EXPECT_TRUE(kin_of(S::Bf16, "h100_sxm").empty());
  EXPECT_TRUE(kin_of(S::Int8, "h100_sxm").empty());  // accumulates in integers
}

TEST(NearKinds, OfWidenedWeightsAreThoseOfTheirWidth) {
  EXPECT_EQ(kin_of(S::Fp8, "a100_sxm"), (std::vector<S>{S::Int8WeightOnly}));
  EXPECT_EQ(kin_of(S::NvFp4, "h100_sxm"), (std::vector<S>{S::Int4WeightOnly, S::MxFp4A16}));
  // GPUs with the type form other products under the name.
  EXPECT_GT(near_kinds(Gemm{.scheme = S::Fp8}, catalog().get("a100_sxm")).all().front().distance, 0);
}

TEST(NearKinds, BeginWithTheOwn) {
  for (const auto& [scheme, name] : EnumNames<S>::kNames) {
    const Operator op = Gemm{.scheme = scheme};
    if (scheme == S::MxFp4A8) continue;  // H100 has no such unit
    EXPECT_EQ(near_kinds(op, catalog().get("h100_sxm")).all().front().kind, kind_code(op)) << name;
  }
  AttentionDecode decode;
  decode.compute = DataType::Fp8;
  const Operator attention = decode;
  const NearKinds near = near_kinds(attention, catalog().get("h100_sxm"));
  EXPECT_EQ(near.all().front().kind, kind_code(attention));
  EXPECT_EQ(near.count, 4U);
}

TEST(NearKinds, KeepEverythingButTheScheme) {
  const Operator op = restated(Gemm{.scheme = S::Fp8Static, .m = 7, .n = 128, .k = 64}, S::Fp8);
  EXPECT_EQ(std::get<Gemm>(op).scheme, S::Fp8);
  EXPECT_EQ(std::get<Gemm>(op).m, 7);
}

}  // namespace
}  // namespace warploom
