// Slips that people made with the program, each answered in words that help.
#include <gtest/gtest.h>

#include <algorithm>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

Words step(const Words& more) {
  Words words{"step", "--model", "Llama-3.1-8B", "--decode", "4x100"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words run_of(const Words& more) {
  Words words{"simulate", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Slips, AreNamedWithWhatWasMeant) {
  expect_refusal({"simulate", "--model", "--gpu", "H100"}, {"--model has no value", "--gpu follows it"});
  expect_refusal({"gpu", "list"}, {"expected show NAME", "`warploom gpus` lists all"});
  expect_refusal(step({"--gpu", "[H100"}), {"'[H100' is not known", "did you mean 'H100'"});
  expect_refusal(step({"--gpu", "TPUv5"}), {"`warploom gpus` lists them"});
  expect_refusal(step({"--gpu", "H100", "--block-size", "17"}), {"block_size is 17", "multiple of 16"});
  expect_refusal(step({"--gpu", "H100", "--tensor-parallel-size", "3"}),
                 {"split by --tensor-parallel-size 3"});
  expect_refusal(run_of({"--model", "meta-llama/Foo-9B"}), {"more than once"});
  expect_refusal(run_of({"--workload", "conversatoin"}), {"did you mean 'conversation'", "long_context"});
}

TEST(Slips, AForeignTableIsNotEchoed) {
  const ScratchFolder scratch;
  const std::string semicolons =
      scratch.write("eu.csv", "arrived_at;num_prefill_tokens;num_decode_tokens\n0;9;9\n");
  const std::string tabs = scratch.write("t.csv", "arrived_at\tnum_prefill_tokens\n0\t9\n");
  const std::string binary = scratch.write("b.csv", std::string("\x01\x02\xff\xfe\x1b[31m", 9) + "\n1,2\n");
  expect_refusal(run_of({"--trace", semicolons}), {"separated by ';'", "expected commas"});
  expect_refusal(run_of({"--trace", tabs}), {"separated by 'tab'", "expected commas"});
  const ProgramResult refused = run_warploom(run_of({"--trace", binary}));
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_NE(refused.errors.find("is no text"), std::string::npos) << refused.errors;
  const auto raw = [](char c) { return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F); };
  EXPECT_TRUE(std::none_of(refused.errors.begin(), refused.errors.end(), raw)) << refused.errors;
}

TEST(Slips, AGroupOverSeveralNodesIsPointedOut) {
  const ProgramResult wide = run_warploom(step({"--gpu", "H100", "--tp", "16"}));
  EXPECT_EQ(wide.exit_status, 0) << wide.errors;
  EXPECT_NE(wide.errors.find("cross the network between nodes"), std::string::npos) << wide.errors;
  const ProgramResult node = run_warploom(step({"--gpu", "H100", "--tp", "8"}));
  EXPECT_EQ(node.errors.find("network"), std::string::npos) << node.errors;
}

TEST(Slips, AnAddressForAllSaysHowOthersReachIt) {
  const ProgramResult web = run_warploom({"web", "--address", "0.0.0.0", "--port", "0", "--no-browser",
                                          "--time-limit", "0.1", "--host-name", "plan.example.org"});
  EXPECT_EQ(web.exit_status, 0) << web.errors;
  EXPECT_NE(web.output.find("http://localhost:"), std::string::npos) << web.output;
  EXPECT_NE(web.output.find("from other machines: http://plan.example.org:"), std::string::npos)
      << web.output;
  EXPECT_EQ(web.output.find("#token="), web.output.rfind("#token=", web.output.find('\n'))) << web.output;
  const ProgramResult own = run_warploom({"web", "--port", "0", "--no-browser", "--time-limit", "0.1"});
  EXPECT_EQ(own.output.find("from other machines"), std::string::npos) << own.output;
}

TEST(Slips, LengthsHaveTheNamesOfPlanInARunToo) {
  const ProgramResult own = run_warploom(
      run_of({"--random-input-len", "90", "--random-output-len", "9", "--requests", "20", "--json"}));
  const ProgramResult other =
      run_warploom(run_of({"--input-tokens", "90", "--output-tokens", "9", "--requests", "20", "--json"}));
  EXPECT_EQ(other.exit_status, 0) << other.errors;
  EXPECT_EQ(other.output, own.output);
}

TEST(Slips, EveryEngineRunsEveryWorkload) {
  for (const char* workload :
       {"conversation", "code", "summarising", "rag", "agents", "reasoning", "long_context"}) {
    for (const Words& engine :
         {Words{"vllm"}, Words{"sglang"}, Words{"trtllm", "--enable-chunked-prefill"}}) {
      Words words = run_of({"--workload", workload, "--requests", "20", "--no-intervals", "--engine"});
      words.insert(words.end(), engine.begin(), engine.end());
      const ProgramResult run = run_warploom(words);
      EXPECT_EQ(run.exit_status, 0) << workload << " " << engine[0] << ": " << run.errors;
      EXPECT_NE(run.output.find("requests completed"), std::string::npos) << run.output;
      EXPECT_EQ(run.output.find("rejected"), std::string::npos) << run.output;
    }
  }
  expect_refusal(run_of({"--workload", "long_context", "--requests", "20", "--engine", "trtllm"}),
                 {"--enable-chunked-prefill"});
}

}  // namespace
}  // namespace warploom
