// A plan in two processes under mpirun, with a store that one process or two go on from. Skipped where Open
// MPI or warploom-mpi is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {
namespace fs = std::filesystem;

class PlanProcesses : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path joined = fs::path(warploom_program()).parent_path() / "warploom-mpi";
    if (!fs::exists(joined)) GTEST_SKIP() << "this build has no warploom-mpi";
    if (run_words(two_processes({"true"})).exit_status != 0) GTEST_SKIP() << "mpirun -n 2 does not run here";
  }

  // Two processes whatever the cores, and also where tests are run by root.
  static std::vector<std::string> two_processes(std::vector<std::string> words) {
    // The address sanitizer, where there is one, does not count what Open MPI never frees.
    words.insert(words.begin(), {"env", "ASAN_OPTIONS=detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT=1",
                                 "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun", "--oversubscribe", "-n", "2"});
    return words;
  }

  static std::vector<std::string> plan(const std::string& store) {
    std::vector<std::string> words{warploom_program(),
                                   "plan",
                                   "--model",
                                   "Llama-3.1-8B",
                                   "--gpus",
                                   "H100-SXM,L40S",
                                   "--tp",
                                   "1,2",
                                   "--max-gpus",
                                   "16",
                                   "--predictor",
                                   "roofline",
                                   "--max-num-seqs",
                                   "16",
                                   "64",
                                   "256",
                                   "--max-num-batched-tokens",
                                   "1024",
                                   "8192",
                                   "--slo",
                                   "ttft_p95_ms=400,tpot_p95_ms=30",
                                   "--random-input-len",
                                   "600",
                                   "--random-output-len",
                                   "50",
                                   "--num-prompts",
                                   "4000",
                                   "--rate",
                                   "60",
                                   "--threads",
                                   "1",
                                   "--json"};
    if (!store.empty()) words.insert(words.end(), {"--store", store});
    return words;
  }

  // One process without a store, made once.
  static const std::string& answer() {
    static const std::string output = run_words(plan("")).output;
    return output;
  }

  ScratchFolder folder_;
  const std::string store_ = folder_.path() / "runs.json";
};

TEST_F(PlanProcesses, StoreWhatOneProcessStores) {
  ASSERT_FALSE(answer().empty());
  const ProgramResult two = run_words(two_processes(plan(store_)));
  ASSERT_EQ(two.exit_status, 0) << two.errors;
  EXPECT_EQ(two.output, answer());
  const std::string kept = read_file(store_);
  const std::string alone = folder_.path() / "alone.json";
  ASSERT_EQ(run_words(plan(alone)).output, answer());
  EXPECT_EQ(nlohmann::json::parse(kept)["runs"].size(),
            nlohmann::json::parse(read_file(alone))["runs"].size());
  // Either goes on from what the other left.
  EXPECT_EQ(run_words(plan(store_)).output, answer());
  EXPECT_EQ(run_words(two_processes(plan(alone))).output, answer());
}

TEST_F(PlanProcesses, GoOnAfterTheyWereKilled) {
  std::string line;
  for (const std::string& word : two_processes(plan(store_))) line += "'" + word + "' ";
  // Killed when the first runs are written; where the search is over before that, nothing is killed.
  const ProgramResult killed =
      run_words({"sh", "-c",
                 line + "> /dev/null 2>&1 & pid=$!; while kill -0 $pid 2>/dev/null && [ ! -e '" + store_ +
                     "' ]; do sleep 0.1; done; kill -KILL $pid 2>/dev/null; wait $pid; true"});
  ASSERT_EQ(killed.exit_status, 0);
  ASSERT_TRUE(fs::exists(store_));
  ASSERT_FALSE(nlohmann::json::parse(read_file(store_))["runs"].empty());
  const ProgramResult resumed = run_words(two_processes(plan(store_)));
  ASSERT_EQ(resumed.exit_status, 0) << resumed.errors;
  EXPECT_EQ(resumed.output, answer());
}

TEST_F(PlanProcesses, RefuseAnotherQuestionsStoreOnceAndKeepIt) {
  fs::copy_file(source_folder() / "tests/fixtures/plans/two_plans.yaml", store_);
  const std::string before = read_file(store_);
  const ProgramResult refused = run_words(two_processes(plan(store_)));
  EXPECT_NE(refused.exit_status, 0);
  const std::size_t first = refused.errors.find("is not valid JSON");
  ASSERT_NE(first, std::string::npos) << refused.errors;
  EXPECT_EQ(refused.errors.find("is not valid JSON", first + 1), std::string::npos) << "said twice";
  EXPECT_EQ(read_file(store_), before);
}

}  // namespace
}  // namespace warploom
