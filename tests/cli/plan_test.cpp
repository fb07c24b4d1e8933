// Plans on the command line: what a user would type wrong, and that no file is ever half there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> plan(std::vector<std::string> more) {
  std::vector<std::string> words{"plan",
                                 "--model",
                                 "Llama-3.1-8B",
                                 "--gpus",
                                 "H100-SXM",
                                 "--max-gpus",
                                 "2",
                                 "--predictor",
                                 "roofline",
                                 "--random-input-len",
                                 "300",
                                 "--random-output-len",
                                 "40",
                                 "--num-prompts",
                                 "40",
                                 "--rate",
                                 "4"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> with_limit(std::vector<std::string> more) {
  more.insert(more.begin(), {"--slo", "ttft_p95_ms=800", "--tp", "1"});
  return plan(more);
}

std::size_t files_in(const fs::path& folder) {
  return std::size_t(std::distance(fs::recursive_directory_iterator(folder), {}));
}

struct Typed {
  std::vector<std::string> words;
  std::string said;  // part of the message
};

TEST(PlanCommand, RefusesWhatIsTypedWrongInOneLineAndWritesNothing) {
  const ScratchFolder folder;
  folder.write("broken.json", "{");
  folder.write("other.json", "{\"schema\": \"x\"}");
  folder.write("empty.json", "");
  folder.write("list.yaml", "- a\n");
  folder.write("typo.yaml", "experiments: [{name: a, modell: x}]\n");
  const std::size_t files = files_in(folder.path());
  const std::vector<Typed> cases{
      {plan({}), "--slo: no limit is given, expected for example --slo ttft_p95_ms=800"},
      {plan({"--slo", "ttft=800"}), "--slo: 'ttft=800' is no limit"},
      {with_limit({"--rate", "5"}), "--rate is given more than once, expected one value"},
      {with_limit({"--rates", "5"}), "did you mean '--rate'"},
      {with_limit({"--growth", "0"}), "--growth is 0, expected 0.01 to 1000"},
      {with_limit({"--time-limit", "-1"}), "--time-limit is -1"},
      {with_limit({"--gpu-count", "-1"}), "--gpu-count is -1, expected 0 to 65536"},
      {with_limit({"--engines", "vlm"}), "--engines: 'vlm' is not known (did you mean 'vllm'?)"},
      {with_limit({"--quantizations", "fp7"}), "--quantizations: 'fp7' is unknown"},
      {with_limit({"--price", "H200=3"}), "--price: h200_sxm is not among the GPUs to choose from"},
      {with_limit({"--prices", "nowhere.json"}), "nowhere.json: no such file"},
      {with_limit({"--prices", "broken.json"}), "broken.json:1: is not valid JSON"},
      {with_limit({"--prices", "other.json"}), "other.json: is no list of prices"},
      {with_limit({"--store", "broken.json"}), "broken.json:1: is not valid JSON"},
      {with_limit({"--store", "other.json"}), "other.json: is no log of a search"},
      {with_limit({"--store", "."}), ".: is a folder, expected a file"},
      {with_limit({"--check", "nowhere.json"}), "nowhere.json: no such file"},
      {with_limit({"--check", "broken.json"}), "broken.json:1: is not valid JSON"},
      {with_limit({"--check", "other.json"}), "other.json: no known record of requests"},
      {with_limit({"--check", "empty.json"}), "empty.json: no known record of requests"},
      {with_limit({"--emit", "vllm"}), "--emit requires --output"},
      {with_limit({"--emit", "helm", "--output", "d"}), "--emit: 'helm' is no format"},
      {with_limit({"--emit", "sglang", "--output", "d"}),
       "--emit: sglang is not among the engines to choose from"},
      {{"plans", "nowhere.yaml"}, "nowhere.yaml: no such file"},
      {{"plans", "list.yaml"}, "list.yaml: is no map, expected 'experiments'"},
      {{"plans", "typo.yaml"},
       "typo.yaml: experiment 'a': unknown key 'modell' in plan (did you mean 'model'?)"},
      {with_limit({"--rent", "reserved,spot"}), "--rent: reserved has no share"},
      {with_limit({"--max-power-kw", "5"}), "--max-power-kw: 1 instance of 1 GPU"},
      {with_limit({"--rack-power-kw", "5"}), "--rack-power-kw is 5, and one HGX H100 8-GPU takes 10.2 kW"},
      {{"prices", "--gpu", "H100SMX"}, "GPU 'H100SMX' is not known (did you mean"},
      {{"prices", "--price-kind", "leased"}, "'leased' is unknown; expected one of: on_demand"},
      {{"prices", "--prices", "other.json"}, "other.json: is no list of prices"},
      {{"support"}, "expected --model or --gpu"},
      {{"support", "--model", "Lama"}, "model 'Lama' is not known (did you mean"},
      {{"support", "--gpu", "H100SMX"}, "GPU 'H100SMX' is not known (did you mean"},
      {{"support", "--model", "Llama-3.1-8B", "--engine", "vlm"}, "engine 'vlm' is not simulated"},
      {{"support", "--model", "Llama-3.1-8B", "--predictor", "nowhere"},
       "predictor 'nowhere' does not exist"},
  };
  for (const Typed& typed : cases) {
    const ProgramResult result = run_warploom(typed.words, folder.path());
    EXPECT_EQ(result.exit_status, 2) << typed.said;
    EXPECT_NE(result.errors.find(typed.said), std::string::npos)
        << result.errors << "expected: " << typed.said;
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
    EXPECT_EQ(files_in(folder.path()), files) << typed.said;
  }
}

// A script that plans must be able to tell that nothing was found: status 1, not the 2 of bad input.
TEST(PlanCommand, AContradictionIsAnAnswerOfStatusOneWithTheNearestThatCanBeKept) {
  const ScratchFolder folder;
  const ProgramResult result = run_warploom(plan({"--slo", "ttft_p95_ms=0.001"}));
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_NE(result.errors.find("no deployment that meets the limits was found"), std::string::npos);
  const ProgramResult json = run_warploom(
      plan({"--slo", "ttft_p95_ms=0.001", "--emit", "vllm", "--output", "d", "--json"}), folder.path());
  EXPECT_EQ(json.exit_status, 1) << json.errors;
  EXPECT_TRUE(nlohmann::json::parse(json.output)["best"].is_null()) << "the answer is whole";
  EXPECT_EQ(files_in(folder.path()), 0U) << "there is nothing to start";
  EXPECT_NE(result.output.find("ttft_p95_ms cannot be kept below 0.001 ms"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("nearest: "), std::string::npos) << result.output;
}

TEST(PlanCommand, SeveralPlansOfWhichOneFindsNothingEndWithStatusOne) {
  const ScratchFolder folder;
  folder.write("plans.yaml", R"(defaults:
  {model: Llama-3.1-8B, predictor: roofline,
   space: {gpu_names: [H100-SXM], max_gpus: 4, tensor_parallel_sizes: [1]},
   source: {random: {random_input_len: 300, random_output_len: 40}, requests: 40, rate: 4}}
experiments:
  - {name: easy, slo: [ttft_p95_ms=800]}
  - {name: impossible, slo: [ttft_p95_ms=0.001]}
)");
  const ProgramResult result = run_warploom({"plans", "plans.yaml", "--json"}, folder.path());
  EXPECT_EQ(result.exit_status, 1) << result.errors;
  EXPECT_NE(result.errors.find("was found for 'impossible'"), std::string::npos) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(result.output)["easy"]["best"], 1);
}

TEST(PlanCommand, SeveralModelsShareAFleet) {
  const ScratchFolder folder;
  const auto planned = [&](const std::string& there) {
    folder.write("plans.yaml", R"(fleet: {gpus: [)" + there + R"(]}
defaults:
  {predictor: roofline, slo: [ttft_p95_ms=800], space: {gpu_names: [H100-SXM], max_gpus: 8},
   source: {random: {random_input_len: 300, random_output_len: 40}, requests: 40, rate: 4}}
experiments:
  - {name: small, model: Llama-3.1-8B}
  - {name: large, model: Llama-3.1-70B}
)");
    return run_warploom({"plans", "plans.yaml", "--json"}, folder.path());
  };
  const ProgramResult result = planned("H100-SXM=8");
  ASSERT_EQ(result.exit_status, 0) << result.errors;
  const auto fleet = nlohmann::json::parse(result.output)["fleet"]["median"];
  ASSERT_EQ(fleet["deployments"].size(), 2U) << fleet;
  EXPECT_EQ(fleet["deployments"][1]["name"], "large");
  EXPECT_EQ(fleet["use"][0]["nodes"], 1) << "both lie in one node";
  EXPECT_LE(fleet["use"][0]["gpus"], 8);
  const ProgramResult small = planned("H100-SXM=1");
  EXPECT_EQ(small.exit_status, 1);
  EXPECT_NE(small.errors.find("all of them on one fleet"), std::string::npos) << small.errors;
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + word + "' ";
  return text;
}

// `ulimit -f` counts blocks of 512 B or 1 KiB: no file of more than that can be written.
ProgramResult run_with_full_disk(const fs::path& folder, const std::vector<std::string>& words) {
  return run_words({"sh", "-c",
                    "(trap '' XFSZ; ulimit -f 1; '" + warploom_program() + "' " + shell_words(words) +
                        "; echo exit status $? >&2) | cat"},
                   folder);
}

TEST(PlanCommand, AFullDiskLeavesWholeFilesOrNoneAndTheAnswer) {
  const ScratchFolder folder;
  const auto emit = with_limit({"--emit", "vllm", "--output", "deploy", "--json"});
  ASSERT_EQ(run_warploom(emit, folder.path()).exit_status, 0);
  ASSERT_TRUE(fs::exists(folder.path() / "deploy/plan.json"));
  const std::string start = read_file(folder.path() / "deploy/start.sh");
  const ProgramResult full = run_with_full_disk(folder.path(), emit);
  EXPECT_NE(full.errors.find("plan.json: writing failed: File too large"), std::string::npos) << full.errors;
  EXPECT_TRUE(nlohmann::json::parse(full.output).contains("points")) << "the answer of the search is lost";
  EXPECT_EQ(read_file(folder.path() / "deploy/start.sh"), start);
  // Its absence says that the folder is not of one plan.
  EXPECT_FALSE(fs::exists(folder.path() / "deploy/plan.json"));
  for (const auto& entry : fs::directory_iterator(folder.path() / "deploy"))
    EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
}

TEST(PlanCommand, AFullDiskKeepsTheStoreAsItWas) {
  const ScratchFolder folder;
  const auto stored = [](const std::string& more) {
    return with_limit({"--store", "runs.json", "--max-num-seqs", more, "--json"});
  };
  ASSERT_EQ(run_warploom(stored("64"), folder.path()).exit_status, 0);
  const std::string before = read_file(folder.path() / "runs.json");
  const ProgramResult full = run_with_full_disk(folder.path(), stored("64"));
  EXPECT_NE(full.errors.find("runs.json: writing failed"), std::string::npos) << full.errors;
  EXPECT_NE(full.errors.find("exit status 1"), std::string::npos) << full.errors;
  EXPECT_EQ(read_file(folder.path() / "runs.json"), before);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

// The last write is made after the search; what it costs is the store.
TEST(PlanCommand, AStoreThatCannotBeWrittenDoesNotCostTheAnswer) {
  const ScratchFolder folder;
  folder.write("taken", "no folder");
  const auto stored = [](const std::string& path) { return with_limit({"--store", path, "--json"}); };
  const ProgramResult kept = run_warploom(stored("runs.json"), folder.path());
  ASSERT_EQ(kept.exit_status, 0) << kept.errors;
  const ProgramResult lost = run_warploom(stored("taken/runs.json"), folder.path());
  EXPECT_EQ(lost.exit_status, 1);
  EXPECT_NE(lost.errors.find("taken/runs.json: cannot be written"), std::string::npos) << lost.errors;
  auto with = nlohmann::json::parse(kept.output), without = nlohmann::json::parse(lost.output);
  EXPECT_EQ(with["store_failure"], "");
  EXPECT_NE(std::string(without["store_failure"]).find("taken/runs.json"), std::string::npos);
  with.erase("store_failure");
  without.erase("store_failure");
  EXPECT_EQ(with, without);
}

TEST(PlanCommand, AnotherVersionsStoreIsRefusedAndKept) {
  const ScratchFolder folder;
  const auto stored = with_limit({"--store", "runs.json", "--json"});
  ASSERT_EQ(run_warploom(stored, folder.path()).exit_status, 0);
  auto document = nlohmann::json::parse(read_file(folder.path() / "runs.json"));
  document["created_by"] = "warploom 99";
  const std::string other = document.dump();
  folder.write("runs.json", other);
  const ProgramResult result = run_warploom(stored, folder.path());
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.errors.find("runs.json: was written by warploom 99"), std::string::npos) << result.errors;
  EXPECT_EQ(read_file(folder.path() / "runs.json"), other);
}

}  // namespace
}  // namespace warploom
