// Published methods as files: `train --method`, and where such a file is taken.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using nlohmann::json;

std::vector<std::string> sweep_rows() {
  const auto path = source_folder() / "tests" / "fixtures" / "collector" / "h200" / "check" / "sweep.csv.gz";
  return {"--layout", "warploom", "--data", path};
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

json method_answer(const std::vector<std::string>& words) {
  const ProgramResult result = run_warploom(with(words, {"--json"}));
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  return json::parse(result.output, nullptr, false);
}

std::string method_refusal(const std::vector<std::string>& words) {
  const ProgramResult result = run_warploom(words);
  EXPECT_EQ(result.exit_status, 2);
  return result.errors;
}

class TrainKernelSight : public testing::Test {
 protected:
  void SetUp() override {
    if (!learning_available()) GTEST_SKIP() << "learners need the training library";
    trained = method_answer(with(words(file), {"--threads", "1"}));
  }
  std::vector<std::string> words(const std::string& output) const {
    return with({"train", "--method", "kernelsight", "--output", output}, sweep_rows());
  }
  ScratchFolder scratch;
  const std::string file = scratch.path() / "ks.wlb";
  json trained;
};

TEST_F(TrainKernelSight, SaysWhatItLearnedAndWritesTheSameFileAgain) {
  const json& gemm = trained["kernels"]["gemm"];
  EXPECT_EQ(gemm["gpus"], json({"h200_sxm"}));
  EXPECT_GT(gemm["rows_learned"], 50);
  EXPECT_FALSE(gemm["learner"].get<std::string>().empty());
  EXPECT_GT(gemm["held_out"]["rows"], 0);
  EXPECT_LT(gemm["held_out"]["median_error"], 0.5);
  EXPECT_GT(trained["training_s"], 0);
  method_answer(with(words(file + "2"), {"--threads", "2"}));
  EXPECT_TRUE(read_file(file) == read_file(file + "2"));
  method_answer(with(words(file + "3"), {"--rows-per-gpu", "20", "--seed", "3"}));
  EXPECT_FALSE(read_file(file) == read_file(file + "3"));
}

TEST_F(TrainKernelSight, IsJudgedOnKernelsAndLeavesOutWhatItHasNoModelFor) {
  const std::vector<std::string> judged = with({"validate", "kernels", "--baseline"}, {file});
  const json answer = method_answer(with(judged, sweep_rows()));
  const json& method = answer["baselines"]["ks"];
  EXPECT_GT(method["rows"], 0);
  EXPECT_LT(method["families"]["gemm"]["median_error"], 0.5);
  // Rows of a family that was left out of the training.
  const std::string products = scratch.path() / "products.wlb";
  method_answer(with(words(products), {"--family", "gemm"}));
  const json beside =
      method_answer(with(with({"validate", "kernels", "--baseline"}, {products}), sweep_rows()));
  const json& alone = beside["baselines"]["products"];
  EXPECT_EQ(alone["families"].size(), 1U);
  EXPECT_GT(alone["unanswered"]["nothing was learned of this kernel"], 0);
}

TEST_F(TrainKernelSight, ComposesStaticBatchesWithTheHostOfItsEquation) {
  const std::string truth = scratch.write(
      "truth.csv",
      "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,"
      "real_total_ms\n"
      "H200,1,1,sglang,Qwen2.5-14B,two,2,3,90,9,110\n");
  const std::string requests =
      scratch.write("requests.csv", "workload,num_prefill_tokens\ntwo,500\ntwo,700\n");
  const json answer = method_answer(
      {"validate", "static", "--truth", truth, "--requests", requests, "--baseline", file, "roofline"});
  const json& method = answer["baselines"]["ks"];
  EXPECT_LT(method["roofline_share"], 0.5);
  // Kernels at an efficiency below 1, and a host: slower than the roofline.
  EXPECT_GT(method["rows"][0]["predicted_total_ms"],
            answer["baselines"]["roofline"]["rows"][0]["predicted_total_ms"]);
}

TEST_F(TrainKernelSight, SaysWhatIsWrong) {
  EXPECT_NE(
      method_refusal(with(words(file + "2"), {"--quantile", "0.8"})).find("is of the networks of pipeweave"),
      std::string::npos);
  EXPECT_NE(method_refusal(with(words(file + "2"), {"--tables"})).find("expected none of them"),
            std::string::npos);
  EXPECT_NE(
      method_refusal(with(words(file + "2"), {"--exclude-gpu", "h200"})).find("no rows for kernelsight"),
      std::string::npos);
  EXPECT_NE(method_refusal(with({"train", "--method", "kernelsite", "--output", file + "2"}, sweep_rows()))
                .find("expected pipeweave or kernelsight"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file + "2"));
  const std::vector<std::string> judged = with({"validate", "kernels"}, sweep_rows());
  const std::string bytes = read_file(file);
  const auto refusal_of = [&](const std::string& changed) {
    const std::string path = scratch.write("changed.wlb", changed);
    return method_refusal(with(judged, {"--baseline", path}));
  };
  EXPECT_NE(refusal_of(bytes.substr(0, bytes.size() - 9)).find("changed.wlb"), std::string::npos);
  std::string newer = bytes;
  newer[8] = 9;  // the major version
  EXPECT_NE(refusal_of(newer).find("version 9.0, but this program reads version 1.0"), std::string::npos);
  // No ceiling, whatever method it holds.
  EXPECT_NE(method_refusal(with({"validate", "ceilings", "--published", file}, sweep_rows()))
                .find("expected pipeweave of quantile 0.80"),
            std::string::npos);
}

TEST(TrainPipeWeave, CountsTheGapsOfAQuantileBesideOurs) {
  if (!learning_available()) GTEST_SKIP() << "learners need the training library";
  const ScratchFolder scratch;
  const std::string ceiling = scratch.path() / "ceiling.wlb", middle = scratch.path() / "middle.wlb";
  const std::vector<std::string> train = with({"train", "--method", "pipeweave"}, sweep_rows());
  method_answer(with(train, {"--quantile", "0.8", "--output", ceiling}));
  const std::vector<std::string> count = with({"validate", "ceilings"}, sweep_rows());
  const json answer = method_answer(with(count, {"--published", ceiling}));
  const json &ours = answer["families"], &published = answer["published"]["families"];
  EXPECT_EQ(published["attention_prefill"]["rows"], ours["attention_prefill"]["rows"]);
  EXPECT_LT(published["gemm"]["rows"], ours["gemm"]["rows"]);
  EXPECT_FALSE(published.contains("rope"));
  std::int64_t left_out = 0;
  for (const json& entry : answer["published"]["skipped"]) left_out += entry["rows"].get<std::int64_t>();
  EXPECT_EQ(left_out + answer["published"]["gpus"]["h200_sxm"]["rows"].get<std::int64_t>(),
            answer["gpus"]["h200_sxm"]["rows"]);
  // A file of the mean, and one of another quantile, are no such ceiling.
  method_answer(with(train, {"--family", "gemm", "--quantile", "0.5", "--output", middle}));
  EXPECT_NE(method_refusal(with(count, {"--published", middle}))
                .find("pipeweave of quantile 0.50, expected pipeweave of quantile 0.80"),
            std::string::npos);
}

}  // namespace
}  // namespace warploom
