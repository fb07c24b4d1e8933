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

// Qwen3-8B on one GPU with a drafter of its own config.json.
Answer headed(const std::string& config, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"simulate",
                                 "--model",
                                 "Qwen/Qwen3-8B",
                                 "--gpu",
                                 "H200",
                                 "--predictor",
                                 "roofline",
                                 "--no-intervals",
                                 "--random-input-len",
                                 "300",
                                 "--random-output-len",
                                 "40",
                                 "--num-prompts",
                                 "8",
                                 "--json",
                                 "--acceptance-length",
                                 "2"};
  if (!config.empty()) words.insert(words.end(), {"--speculative-config", config});
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

TEST(DraftOptions, ADraftsOwnConfigChangesTheAnswer) {
  const Answer usual = headed(R"({"method":"eagle3","num_speculative_tokens":3})");
  ASSERT_EQ(usual.status, 0) << usual.said;
  const Answer unknown = headed(R"({"method":"eagle3","model":"some/head","num_speculative_tokens":3})");
  EXPECT_EQ(unknown.printed, usual.printed) << "no config.json of it is known";
  const Answer own = headed(R"({"model":"lmsys/Qwen3-235B-A22B-EAGLE3","num_speculative_tokens":3})");
  ASSERT_EQ(own.status, 0) << own.said;
  EXPECT_NE(own.printed, usual.printed) << "its MLP is twice as wide";
}

TEST(DraftOptions, DraftersOfBlocksArePricedByTheirOwnConfig) {
  const Answer dflash =
      headed(R"({"method":"dflash","model":"z-lab/Qwen3-8B-DFlash-b16","num_speculative_tokens":7})");
  ASSERT_EQ(dflash.status, 0) << dflash.said;
  EXPECT_NE(dflash.printed.find("draft "), std::string::npos);
  const Answer dspark = headed(R"({"model":"deepseek-ai/dspark_qwen3_8b_block7"})");
  ASSERT_EQ(dspark.status, 0) << dspark.said;
  EXPECT_NE(dspark.printed.find("markov bias"), std::string::npos);
  const Answer none = headed(R"({"method":"dflash","model":"some/DFlash","num_speculative_tokens":7})");
  EXPECT_NE(none.status, 0);
  EXPECT_NE(none.said.find("the sizes of draft 'some/DFlash' are not known"), std::string::npos) << none.said;
}

TEST(DraftOptions, BlocksOfSglangAreTakenFromItsFlags) {
  const Answer named = headed("", {"--engine", "sglang", "--speculative-algorithm", "DFLASH",
                                   "--speculative-draft-model-path", "z-lab/Qwen3-8B-DFlash-b16"});
  ASSERT_EQ(named.status, 0) << named.said;
  const Answer told =
      headed("", {"--engine", "sglang", "--speculative-algorithm", "DFLASH", "--speculative-draft-model-path",
                  "z-lab/Qwen3-8B-DFlash-b16", "--speculative-num-draft-tokens", "16"});
  EXPECT_EQ(told.printed, named.printed) << "the block of its config.json";
}

}  // namespace
}  // namespace warploom
