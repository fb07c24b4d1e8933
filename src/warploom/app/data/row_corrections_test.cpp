#include "warploom/app/data/row_corrections.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(RowCorrections, SayWhyAndWhereFrom) {
  std::set<std::string> names;
  for (const RowCorrection& correction : row_corrections()) {
    EXPECT_TRUE(names.insert(correction.rule).second) << correction.rule;
    EXPECT_FALSE(correction.reason.empty()) << correction.rule;
    EXPECT_FALSE(correction.source.empty()) << correction.rule;
    EXPECT_FALSE(correction.where.empty()) << correction.rule << " takes whole tables";
  }
  EXPECT_TRUE(names.contains("eager_block_fp8_withdrawn"));
}

TEST(RowCorrections, RefuseWhatTheyDoNotKnow) {
  const auto error_of = [](const std::string& rule) -> std::string {
    try {
      row_corrections_from_json(parse_json(
          R"({"schema": "warploom_row_corrections", "version": 1, "rules": [)" + rule + "]}", "t"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string rest = R"("where": {"version": ["1"]}, "reason": "r", "source": "s"})";
  EXPECT_EQ(error_of(R"({"rule": "a", "action": "withdraw", "tables": ["gemm"], )" + rest), "");
  EXPECT_NE(error_of(R"({"rule": "a", "action": "drop", "tables": ["gemm"], )" + rest).find("launch_bound"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"rule": "a", "action": "withdraw", "table": ["gemm"], )" + rest).find("tables"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"rule": "a", "action": "withdraw", "tables": ["gemm"], "gpus": ["h300"], )" + rest)
                .find("h300"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"rule": "a", "action": "withdraw", "tables": [], )" + rest).find("not empty"),
            std::string::npos);
}

}  // namespace
}  // namespace warploom
