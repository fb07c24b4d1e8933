// The command line that `validate concurrency --commands` prints for a cell gives the cell's figures.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kTruth =
    "id,dump,concurrency,wip,backend,backend_version,model_path,system,precision,mode,isl,osl,"
    "gemm_quant_mode,moe_quant_mode,tp_size,pp_size,attention_dp_size,moe_tp_size,moe_ep_size,"
    "silicon_ttft_ms,silicon_tpot_ms\n"
    "a,2026-03-01.csv,8,0,vllm,0.19.0,meta-llama/Llama-3.1-8B,h100_sxm,bf16,agg,1024,64,,,1,1,1,,,50,5\n"
    "b,2026-03-01.csv,8,0,trtllm,1.2.0rc2,openai/gpt-oss-120b,h200_sxm,fp4,agg,512,64,nvfp4,nvfp4,"
    "1,1,2,1,2,60,6\n";

// As a shell reads it: words apart by blanks, some in single quotes.
ProgramResult run_line(const std::string& line) {
  const std::string arguments = line.substr(line.find(' ') + 1);
  return run_words({"/bin/sh", "-c", warploom_program() + " " + arguments + " --json"});
}

TEST(JudgedCell, ItsCommandLineGivesItsFiguresToTheLastDigit) {
  const ScratchFolder scratch;
  const std::string truth = scratch.write("truth.csv", kTruth);
  const ProgramResult judged =
      run_warploom({"validate", "concurrency", "--truth", truth, "--commands", "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const auto cells = nlohmann::json::parse(judged.output)["cells"];
  ASSERT_EQ(cells.size(), 2u) << judged.output;
  for (const auto& cell : cells) {
    ASSERT_TRUE(cell["command"].is_string()) << cell["not_asked"];
    const ProgramResult answered = run_line(cell["command"]);
    ASSERT_EQ(answered.exit_status, 0) << cell["command"] << answered.errors;
    const auto answer = nlohmann::json::parse(answered.output);
    EXPECT_EQ(cell["predicted_ttft_ms"], answer["mean_ttft_ms"]);
    EXPECT_EQ(cell["predicted_tpot_ms"], answer["mean_tpot_ms"]);
    EXPECT_EQ(cell["predicted_engine_ttft_ms"], answer["mean_engine_ttft_ms"]);
    EXPECT_EQ(answer["measured_at"], "client");
    EXPECT_GT(answer["mean_ttft_ms"], answer["mean_engine_ttft_ms"]);
  }
}

TEST(JudgedCell, LatenciesAreTheEnginesWhereTheyAreAskedFor) {
  // A release whose host keeps one pace: a later one would meet other steps when the client takes its time.
  const std::vector<std::string> run{"simulate",
                                     "--model",
                                     "Llama-3.1-8B",
                                     "--gpu",
                                     "H100-SXM",
                                     "--engine-version",
                                     "0.24.0",
                                     "--random-input-len",
                                     "2000",
                                     "--random-output-len",
                                     "20",
                                     "--num-prompts",
                                     "12",
                                     "--max-concurrency",
                                     "1",
                                     "--json"};
  const auto answer = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = run;
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_warploom(words);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  };
  const auto client = answer({}), engine = answer({"--measured-at", "engine"});
  // One request after the other: the engine never sees what lies before its queue.
  EXPECT_EQ(engine["mean_ttft_ms"], engine["mean_engine_ttft_ms"]);
  EXPECT_NEAR(client["mean_engine_ttft_ms"].get<double>(), engine["mean_ttft_ms"].get<double>(), 1e-3);
  EXPECT_NEAR(client["mean_ttft_ms"].get<double>() - client["mean_engine_ttft_ms"].get<double>(), 7 + 6,
              1e-3);
  const ProgramResult both = run_warploom({"simulate", "--model", "Llama-3.1-8B", "--gpu", "H100-SXM",
                                           "--measured-at", "engine", "--frontend-latency-ms", "3"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_NE(both.errors.find("--frontend-latency-ms"), std::string::npos) << both.errors;
}

}  // namespace
}  // namespace warploom
