#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/kernels/operator_family.h"
#include "warploom/kernels/operator_fields.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

TEST(Operator, EveryFamilyRoundTripsThroughJson) {
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const Operator op = family_value(family).example(family);
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
  EXPECT_NO_THROW(check_operator(family_value(Family::MlaModule).example(Family::MlaModule), "t"));
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
    EXPECT_EQ(std::string(error.what()), "row 7: gemm: 'n' is -3, expected 1 to 1e10");
  }
}

std::string refusal_of(const Operator& op) {
  try {
    check_operator(op, "t");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Operator, RefusesProductsThatOverflowAndNamesThem) {
  EXPECT_EQ(refusal_of(Gemm{.m = 100'000'000'000}), "t: gemm: 'm' is 100000000000, expected 1 to 1e10");
  EXPECT_EQ(refusal_of(Gemm{.m = 1'000'000'000, .n = 10'000'000}),
            "t: gemm: 'm x n x batch' is 1e16 elements, expected at most 1e15");
  EXPECT_EQ(refusal_of(AttentionPrefill{.heads = 1'000'000'000'000, .requests = {{1, 1'000'000'000, 0}}}),
            "t: attention_prefill: 'heads x tokens of a request' is 1e21 elements, expected at most 1e15");
  EXPECT_EQ(refusal_of(AttentionPrefill{
                .heads = 100, .kv_heads = 1, .requests = {{1, 1'000'000'000, 0}, {9, 9, 9}}}),
            "accepted");
  EXPECT_EQ(refusal_of(AttentionPrefill{.heads = 1, .requests = {{1000, 1'000'000'000, 999'000'000'000}}}),
            "t: attention_prefill: 'tokens x kv_heads x width of a head' is 1.28e17 elements, expected at "
            "most 1e15");
  EXPECT_EQ(refusal_of(FusedMoe{.experts = 1'000'000'000'000}),
            "t: moe: 'experts' is 1000000000000, expected 1 to 65536");
  EXPECT_EQ(refusal_of(FusedMoe{.experts = 65536, .top_k = 60000}),
            "t: moe: 'experts x top_k' is 3.9322e09 choices, expected at most 4.1943e06");
  EXPECT_EQ(
      refusal_of(MlaModule{.shape = {.heads = 1'000'000'000'000}, .requests = {{1, 1, 1}}}).substr(0, 14),
      "t: mla_module:");
  EXPECT_NE(refusal_of(RmsNorm{.tokens = 1'000'000'000, .width = 1'000'000'000}).find("1e18 elements"),
            std::string::npos);
}

// What runs, or will: ten million tokens of context, a batch of a million tokens, a vocabulary of 256 k,
// four thousand experts.
TEST(Operator, TakesTheLargestThatAreReal) {
  const std::vector<RequestGroup> long_prompt{{1, 10'000'000, 0}}, decodes{{64, 1, 10'000'000}};
  EXPECT_EQ(refusal_of(Gemm{.m = 10'000'000, .n = 262'144, .k = 16'384}), "accepted");
  EXPECT_EQ(refusal_of(Gemm{.m = 10'000'000, .n = 106'496, .k = 16'384, .batch = 4}), "accepted");
  EXPECT_EQ(refusal_of(AttentionPrefill{.heads = 128, .kv_heads = 8, .requests = long_prompt}), "accepted");
  EXPECT_EQ(
      refusal_of(AttentionPrefill{
          .heads = 128, .kv_heads = 128, .window = 1'000'000'000'000, .requests = {{64, 10'000'000, 0}}}),
      "accepted");
  EXPECT_EQ(refusal_of(AttentionDecode{.heads = 128, .kv_heads = 8, .requests = decodes}), "accepted");
  EXPECT_EQ(refusal_of(MlaPrefill{.requests = long_prompt}), "accepted");
  EXPECT_EQ(refusal_of(MlaDecode{.requests = decodes}), "accepted");
  EXPECT_EQ(refusal_of(MlaModule{.decode = true, .requests = decodes}), "accepted");
  EXPECT_EQ(refusal_of(MlaModule{.requests = long_prompt}), "accepted");
  EXPECT_EQ(
      refusal_of(FusedMoe{
          .tokens = 10'000'000, .hidden = 16'384, .intermediate = 32'768, .experts = 4096, .top_k = 64}),
      "accepted");
  EXPECT_EQ(refusal_of(Embedding{.tokens = 10'000'000, .hidden = 16'384, .vocabulary = 262'144}), "accepted");
  EXPECT_EQ(refusal_of(Sampling{.sequences = 1'000'000, .vocabulary = 262'144}), "accepted");
  EXPECT_EQ(refusal_of(LinearAttention{.sequences = 64, .tokens_per_sequence = 10'000'000}), "accepted");
  EXPECT_EQ(refusal_of(Rope{.tokens = 10'000'000, .heads = 128, .kv_heads = 128}), "accepted");
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
