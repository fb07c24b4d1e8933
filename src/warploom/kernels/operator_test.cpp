#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

Operator filled(Family family) {
  Operator op = default_operator(family);
  const std::vector<RequestGroup> requests{{.count = 3, .query_tokens = 1, .context_tokens = 700}};
  if (auto* o = std::get_if<AttentionPrefill>(&op)) o->requests = requests;
  if (auto* o = std::get_if<AttentionDecode>(&op)) o->requests = requests;
  if (auto* o = std::get_if<MlaPrefill>(&op)) o->requests = requests;
  if (auto* o = std::get_if<MlaDecode>(&op)) o->requests = requests;
  if (auto* o = std::get_if<MlaModule>(&op)) o->requests = requests;
  if (auto* o = std::get_if<Collective>(&op)) o->size = Bytes(1e6);
  return op;
}

TEST(Operator, EveryFamilyRoundTripsThroughJson) {
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = filled(family);
    EXPECT_EQ(family_of(op), family);
    const Json document = operator_to_json(op);
    EXPECT_EQ(document["family"], name);
    const Operator again = operator_from_json(document, "test");
    EXPECT_EQ(family_of(again), family);
    EXPECT_EQ(shape_hash(again), shape_hash(op)) << name;
    EXPECT_EQ(operator_to_json(again), document) << name;
  }
}

TEST(Operator, HashIgnoresResidencyAndSeesEveryDimension) {
  const Gemm gemm{.m = 16, .n = 32, .k = 64};
  Gemm warm = gemm;
  warm.residency = Residency::Warm;
  warm.weight_copies = 6;
  EXPECT_EQ(shape_hash(gemm), shape_hash(warm));
  Gemm swapped = gemm;
  std::swap(swapped.m, swapped.n);
  EXPECT_NE(shape_hash(gemm), shape_hash(swapped));
  const AttentionDecode one{.requests = {{2, 1, 100}}};
  const AttentionDecode two{.requests = {{1, 1, 100}, {1, 1, 100}}};
  EXPECT_NE(shape_hash(one), shape_hash(two));
}

TEST(Operator, HashIsTheSameInEveryBuild) {
  // The splits into training and test rest on this value.
  EXPECT_EQ(shape_hash(Gemm{.m = 1, .n = 2, .k = 3}), 10798538771891903314ULL);
  EXPECT_NE(shape_hash(RmsNorm{}), shape_hash(Activation{}));
}

TEST(Operator, ChecksRefuseBadSizes) {
  EXPECT_NO_THROW(check_operator(filled(Family::MlaModule), "t"));
  EXPECT_THROW(check_operator(Gemm{.m = 0}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(Gemm{.m = -5}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(Gemm{.weight_copies = std::nan("")}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(AttentionDecode{}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(AttentionDecode{.heads = 10, .kv_heads = 4, .requests = {{1, 1, 5}}}, "t"),
               InvalidInput);
  EXPECT_THROW(check_operator(AttentionDecode{.requests = {{1, 1, -5}}}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(FusedMoe{.experts = 4, .top_k = 8}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(Collective{.size = Bytes(std::nan(""))}, "t"), InvalidInput);
  EXPECT_THROW(check_operator(Collective{.size = Bytes(10), .ranks = 1}, "t"), InvalidInput);
}

TEST(Operator, ErrorsNameTheFieldAndWhatWasExpected) {
  try {
    check_operator(Gemm{.n = -3}, "row 7");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_EQ(std::string(error.what()), "row 7: gemm: 'n' is -3, expected 1 to 1e12");
  }
}

TEST(Operator, JsonRefusesUnknownFamilyKeyAndRange) {
  EXPECT_THROW(operator_from_json(parse_json(R"({"m":1})", "t"), "t"), InvalidInput);
  EXPECT_THROW(operator_from_json(parse_json(R"({"family":"gem"})", "t"), "t"), InvalidInput);
  EXPECT_THROW(operator_from_json(parse_json(R"({"family":"gemm","mm":1})", "t"), "t"), InvalidInput);
  EXPECT_THROW(operator_from_json(parse_json(R"({"family":"gemm","m":-1})", "t"), "t"), InvalidInput);
  EXPECT_THROW(operator_from_json(parse_json(R"({"family":"gemm","scheme":"fp7"})", "t"), "t"), InvalidInput);
}

TEST(DataType, SchemesSayWhatIsStoredAndMultiplied) {
  EXPECT_EQ(weight_type(MatmulScheme::Int4WeightOnly), DataType::Int4);
  EXPECT_EQ(math_type(MatmulScheme::Int4WeightOnly), DataType::Bf16);
  EXPECT_EQ(math_type(MatmulScheme::MxFp4A8), DataType::Fp8);
  EXPECT_TRUE(quantises_activations(MatmulScheme::Fp8));
  EXPECT_FALSE(quantises_activations(MatmulScheme::MxFp4A16));
  EXPECT_DOUBLE_EQ(bytes_per_element(DataType::NvFp4), 0.5625);
}

}  // namespace
}  // namespace warploom
