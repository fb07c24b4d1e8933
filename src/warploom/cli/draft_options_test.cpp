// What --speculative-config says of the drafter changes the answer or is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "warploom/cli/program.h"

namespace warploom {
namespace {

struct Answer {
  int status = 0;
  std::string printed, said;
};

Answer run(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Answer answer;
  answer.status = run_program(words, "test");
  answer.printed = testing::internal::GetCapturedStdout();
  answer.said = testing::internal::GetCapturedStderr();
  return answer;
}

// A small model drafts for a larger one on two GPUs; `more` are further keys of the configuration.
Answer drafted(const std::string& more) {
  return run(
      {"simulate",
       "--model",
       "Qwen/Qwen3-8B",
       "--gpu",
       "H200",
       "--predictor",
       "roofline",
       "--tp",
       "2",
       "--no-intervals",
       "--random-input-len",
       "300",
       "--random-output-len",
       "40",
       "--num-prompts",
       "8",
       "--json",
       "--acceptance-length",
       "2",
       "--speculative-config",
       R"({"method":"draft_model","model":"Qwen/Qwen3-0.6B","num_speculative_tokens":3)" + more + "}"});
}

TEST(DraftOptions, GpusOfTheDrafterChangeTheAnswerOrAreRefused) {
  const Answer plain = drafted("");
  ASSERT_EQ(plain.status, 0) << plain.said;
  EXPECT_EQ(drafted(R"(,"draft_tensor_parallel_size":2)").printed, plain.printed)
      << "as the target, the default";
  const Answer one = drafted(R"(,"draft_tensor_parallel_size":1)");
  ASSERT_EQ(one.status, 0) << one.said;
  EXPECT_NE(one.printed, plain.printed);
  const Answer four = drafted(R"(,"draft_tensor_parallel_size":4)");
  EXPECT_EQ(four.status, 2);
  EXPECT_NE(four.said.find("draft_tensor_parallel_size 4 is not modelled, expected 2 or 1"),
            std::string::npos)
      << four.said;
}

TEST(DraftOptions, QuantizationOfTheDrafterChangesTheAnswerOrIsRefused) {
  const Answer plain = drafted("");
  const Answer fp8 = drafted(R"(,"quantization":"fp8")");
  ASSERT_EQ(fp8.status, 0) << fp8.said;
  EXPECT_NE(fp8.printed, plain.printed);
  const Answer unknown = drafted(R"(,"quantization":"int3")");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.said.find("quantization"), std::string::npos) << unknown.said;
  EXPECT_NE(unknown.said.find("int3"), std::string::npos) << unknown.said;
}

TEST(DraftOptions, QuantizationOfTheDrafterOfSglangIsRefused) {
  const Answer answer = run({"simulate", "--gpu", "H200", "--predictor", "roofline", "--from-command",
                             "python -m sglang.launch_server --model-path Qwen/Qwen3-8B "
                             "--speculative-draft-model-quantization fp8"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_NE(answer.said.find("--speculative-draft-model-quantization fp8 is not modelled, expected unquant"),
            std::string::npos)
      << answer.said;
}

}  // namespace
}  // namespace warploom
