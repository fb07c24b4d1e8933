#include "warploom/app/plan/plan_experiments.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

TEST(PlanExperiments, TakeFromTheDefaultsWhatTheyDoNotSay) {
  const ScratchFolder folder;
  folder.write("plans.yaml", R"(defaults:
  model: Qwen/Qwen3-8B
  slo: [ttft_p95_ms=800]
  space: {gpu_names: [H100-SXM, H200], max_num_seqs: [64]}
  source: {rate: 5}
experiments:
  - name: small
    space: {gpu_names: [L40S]}
  - {name: twice, growth: 2, slo: [tpot_p95_ms=30]}
)");
  const auto experiments = read_experiments(folder.path() / "plans.yaml").each;
  ASSERT_EQ(experiments.size(), 2u);
  EXPECT_EQ(experiments[0].name, "small");
  EXPECT_EQ(experiments[0].request.model, "Qwen/Qwen3-8B");
  EXPECT_EQ(experiments[0].request.space.gpus, std::vector<std::string>{"L40S"});
  EXPECT_EQ(experiments[0].request.space.max_num_seqs, std::vector<std::int64_t>{64});
  EXPECT_EQ(experiments[0].request.source.rate, 5);
  EXPECT_EQ(experiments[1].request.growth, 2);
  EXPECT_EQ(experiments[1].request.slo, std::vector<std::string>{"tpot_p95_ms=30"});
  EXPECT_EQ(experiments[1].request.space.gpus.size(), 2u);
}

TEST(PlanExperiments, SayWhichExperimentIsWrong) {
  const ScratchFolder folder;
  const auto said = [&](const char* text) {
    folder.write("plans.yaml", text);
    try {
      (void)read_experiments(folder.path() / "plans.yaml");
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(said("defaults: {}\n").find("'experiments' is empty"), std::string::npos);
  EXPECT_NE(said("plans: []\n").find("'plans' is unknown"), std::string::npos);
  EXPECT_NE(said("experiments: [{growth: 2}]\n").find("experiment 0: 'name' is missing"), std::string::npos);
  EXPECT_NE(
      said("experiments: [{name: a, model: m, space: {gpu_names: [x]}, groth: 2}]\n").find("experiment 'a'"),
      std::string::npos);
  EXPECT_NE(said("fleet: {gpu: [H100=8]}\nexperiments: [{name: a}]\n").find("unknown key 'gpu'"),
            std::string::npos);
  EXPECT_NE(said("fleet: {}\nexperiments: [{name: fleet}]\n").find("expected another name"),
            std::string::npos);
  const char* twice = "defaults: {model: m, space: {gpu_names: [x]}}\nexperiments: [{name: a}, {name: a}]\n";
  EXPECT_NE(said(twice).find("'a' is there twice"), std::string::npos);
}

}  // namespace
}  // namespace warploom
