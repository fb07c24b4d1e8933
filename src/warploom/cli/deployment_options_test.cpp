#include "warploom/cli/deployment_options.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(ParseFailure, ReadsPoolInstanceTimeAndDownTime) {
  const FailureRequest whole = parse_failure("decode:3@30.5+60");
  EXPECT_EQ(whole.pool, "decode");
  EXPECT_EQ(whole.instance, 3u);
  EXPECT_EQ(whole.at, Seconds(30.5));
  EXPECT_EQ(whole.down, Seconds(60));
  const FailureRequest plain = parse_failure("0@5");
  EXPECT_EQ(plain.pool, "");
  EXPECT_FALSE(plain.down.has_value());
}

TEST(ParseFailure, RefusesOtherTexts) {
  for (const char* text : {"", "x", "0", "0@", "0@5+", "a@5", "0@-5", "decode:@5", "0@5+x"})
    EXPECT_THROW(parse_failure(text), InvalidInput) << text;
}

}  // namespace
}  // namespace warploom
