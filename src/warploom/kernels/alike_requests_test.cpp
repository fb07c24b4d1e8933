#include "warploom/kernels/alike_requests.h"

#include <gtest/gtest.h>

#include <string>

#include "warploom/base/error.h"
#include "warploom/kernels/operator_fields.h"

namespace warploom {
namespace {

std::string alike_refusal(const Operator& op, const AlikeRequests& alike, bool listed) {
  try {
    alike_group(op, alike, listed, "test");
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(AlikeRequests, AreOneGroup) {
  const auto prompts =
      alike_group(AttentionPrefill{}, {.batch = 4, .tokens = 100, .context = 7}, false, "test");
  ASSERT_TRUE(prompts);
  EXPECT_EQ(prompts->count, 4);
  EXPECT_EQ(prompts->query_tokens, 100);
  EXPECT_EQ(prompts->context_tokens, 7);
  const auto decode =
      alike_group(AttentionDecode{}, {.batch = {}, .tokens = {}, .context = 9}, false, "test");
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->count, 1);
  EXPECT_EQ(decode->query_tokens, 1);
  EXPECT_FALSE(alike_group(AttentionDecode{}, {}, true, "test"));
}

TEST(AlikeRequests, SayWhatIsMissing) {
  EXPECT_NE(
      alike_refusal(AttentionPrefill{}, {.batch = 4, .tokens = {}, .context = {}}, false).find("tokens"),
      std::string::npos);
  EXPECT_EQ(alike_refusal(MlaModule{.decode = true}, {.batch = 4, .tokens = {}, .context = {}}, false), "");
  EXPECT_NE(alike_refusal(MlaModule{}, {.batch = 4, .tokens = {}, .context = {}}, false), "");
  EXPECT_NE(alike_refusal(AttentionDecode{}, {}, false).find("`requests` is required"), std::string::npos);
  EXPECT_NE(
      alike_refusal(AttentionDecode{}, {.batch = 1, .tokens = {}, .context = {}}, true).find("says it all"),
      std::string::npos);
  EXPECT_NE(
      alike_refusal(AttentionDecode{}, {.batch = 0, .tokens = {}, .context = {}}, false).find("'batch' is 0"),
      std::string::npos);
}

TEST(OperatorSizes, AreTheWholeNumbersOfTheFields) {
  const std::vector<std::int64_t> values{3, 5};
  for (const auto& [family, name] : EnumNames<Family>::kNames)
    for (const Field& field : operator_fields(family).fields) {
      std::vector<Operator> operators(2, default_operator(family));
      const bool is_size = field.kind == FieldKind::Integer;
      EXPECT_EQ(set_sizes(operators, field.name, values), is_size) << name << " " << field.name;
      if (!is_size) continue;
      EXPECT_EQ(field.get(operator_object(operators[1])), FieldValue(std::int64_t{5})) << field.name;
    }
  std::vector<Operator> none;
  EXPECT_TRUE(set_sizes(none, "m", {}));
}

TEST(OperatorSizes, OfAlikeRequestsAreThoseOfTheOneGroup) {
  const std::vector<std::int64_t> values{3, 5};
  std::vector<Operator> decodes(2, AttentionDecode{.requests = {RequestGroup{}}});
  EXPECT_TRUE(set_alike_sizes(decodes, group_field("context"), values));
  EXPECT_EQ(std::get<AttentionDecode>(decodes[1]).requests[0].context_tokens, 5);
  EXPECT_FALSE(set_alike_sizes(decodes, "heads", values));
  std::vector<Operator> products(2, Gemm{});
  EXPECT_FALSE(set_alike_sizes(products, group_field("batch"), values));
}

}  // namespace
}  // namespace warploom
