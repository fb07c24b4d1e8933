// Questions that another program asks this one have the answers of this one.
#include "warploom/answers/judge_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "warploom/answers/answer.h"
#include "warploom/answers/judged_answers.h"
#include "warploom/answers/request_schema.h"
#include "warploom/base/error.h"
#include "warploom/base/judging.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/cli/page_words.h"

namespace warploom {
namespace {

constexpr const char* kRows = "/tests/fixtures/collector/h200/check";

class JudgeProcess : public testing::Test {
 protected:
  JudgeProcess() { ::setenv("WARPLOOM_JUDGE", WARPLOOM_JUDGE_PROGRAM, 1); }
  ~JudgeProcess() override { ::unsetenv("WARPLOOM_JUDGE"); }

  Json asked(const std::string& folder = std::string(WARPLOOM_SOURCE_DIR) + kRows) const {
    return {{"layout", "warploom"}, {"data", Json::array({folder})}, {"predictor", "roofline"}};
  }
  const Session session{"roofline"};
};

TEST_F(JudgeProcess, AnswersAsIfItWereThisProgram) {
  EXPECT_EQ(ask_judge(session, "validate_kernels", asked(), {}),
            answer_here(session, "validate_kernels", asked()));
  EXPECT_EQ(ask_judge({{"schemas", true}}, "schemas"), judged_schemas());
  const Json line{{"request", "validate_kernels"}, {"asked", asked()}};
  EXPECT_EQ(ask_judge({{"command_line", line}}, "line"),
            page_words().command_line("validate_kernels", asked()));
}

TEST_F(JudgeProcess, HasTheErrorsOfTheUseCase) {
  EXPECT_THROW(ask_judge(session, "validate_kernels", asked("/none"), {}), IoError);
  EXPECT_THROW(ask_judge(session, "validate_kernels", {{"nonsense", 1}}, {}), InvalidInput);
  EXPECT_THROW(ask_judge(session, "validate_kernel", asked(), {}), NotFound);
  try {
    (void)answer_here(session, "validate_kernels", {{"nonsense", 1}});
    FAIL();
  } catch (const InvalidInput& here) {
    try {
      (void)ask_judge(session, "validate_kernels", {{"nonsense", 1}}, {});
      FAIL();
    } catch (const InvalidInput& there) {
      EXPECT_STREQ(there.what(), here.what());
    }
  }
}

TEST_F(JudgeProcess, OpensNoFileThatTheAskerMayNotName) {
  const ScratchFolder folder;
  const Session client(session, FileScope::folder(folder.path()));
  Json named = asked();
  named["predictor"] = std::string(WARPLOOM_SOURCE_DIR) + "/data/predictor";
  EXPECT_FALSE(ask_judge(session, "validate_kernels", named, {}).is_null());
  EXPECT_THROW(answer_here(client, "validate_kernels", named), NotFound);
  EXPECT_THROW(ask_judge(client, "validate_kernels", named, {}), NotFound);
}

TEST_F(JudgeProcess, EndsWithWhoeverAsked) {
  std::atomic<bool> cancelled = true;
  EXPECT_TRUE(ask_judge(session, "validate_kernels", asked(), {.cancelled = &cancelled}).is_null());
  struct Enough {};
  const AnswerWatch impatient{.said = [](std::string_view) { throw Enough(); }};
  EXPECT_THROW(
      ask_judge(session, "validate_leave_out",
                {{"layout", "warploom"}, {"data", asked()["data"]}, {"leave_out", "shape"}}, impatient),
      Enough);
}

TEST_F(JudgeProcess, IsMissingWithOneError) {
  ::setenv("WARPLOOM_JUDGE", "/none/warploom-judge", 1);
  EXPECT_THROW(ask_judge(session, "validate_kernels", asked(), {}), IoError);
}

}  // namespace
}  // namespace warploom
