#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(Program, ExplainsItselfWithHelp) {
  const ProgramResult result = run_warploom({"--help"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.output.find("simulate"), std::string::npos);
  EXPECT_EQ(result.errors, "");
}

TEST(Program, RefusesAnUnknownCommandWithStatusTwo) {
  const ProgramResult result = run_warploom({"simulat"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors, "");
}

TEST(Program, WritesOneJsonDocumentAndNothingElse) {
  const ProgramResult result = run_warploom({"gpus", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_TRUE(nlohmann::json::accept(result.output)) << result.output.substr(0, 200);
}

TEST(Program, OffersTheNearestGpu) {
  const ProgramResult result = run_warploom({"gpu", "show", "H10O-SXM"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("did you mean"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace warploom
