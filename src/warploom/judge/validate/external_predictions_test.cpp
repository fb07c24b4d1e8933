#include "warploom/judge/validate/external_predictions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

struct ExternalRows {
  Dataset dataset;
  std::vector<std::uint32_t> rows;
  GpuCatalog catalog;
  ExternalRows() {
    for (const std::int64_t tokens : {100, 2000, 30000}) {
      rows.push_back(std::uint32_t(dataset.size()));
      dataset.add({.op = RmsNorm{.tokens = tokens, .width = 4096},
                   .gpu = "h100_sxm",
                   .framework = "library",
                   .version = "1.0",
                   .kernel = "rmsnorm",
                   .latency = microseconds(100.0)});
    }
  }
  std::string answers(double factor) const {
    std::string text = "id,predicted_us\n";
    for (const std::uint32_t row : rows)
      text += question_id(dataset, row) + "," + std::to_string(100 * factor) + "\n";
    return text;
  }
};

std::filesystem::path external_file(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "other_tool.csv";
  write_file_atomically(path, text);
  return path;
}

std::string refusal_of(const ExternalRows& data, const std::string& text) {
  try {
    ExternalPredictions tool(external_file(text));
    tool.judge(data.dataset, data.rows, data.catalog);
    tool.finish();
  } catch (const InvalidInput& refused) {
    return refused.what();
  }
  return "none";
}

TEST(ExternalPredictions, AreJudgedOnEveryRow) {
  const ExternalRows data;
  ExternalPredictions tool(external_file(data.answers(1.2)));
  EXPECT_EQ(tool.name(), "other_tool");
  const ErrorSummary errors = tool.judge(data.dataset, data.rows, data.catalog);
  EXPECT_EQ(errors.rows, 3);
  EXPECT_NEAR(errors.mean_error, 0.2, 1e-9);
  tool.finish();
}

TEST(ExternalPredictions, RefuseWhatIsNotAnAnswerToEachQuestion) {
  const ExternalRows data;
  const std::string good = data.answers(1);
  EXPECT_EQ(refusal_of(data, good), "none");
  EXPECT_NE(refusal_of(data, good + "0123456789abcdef,7\n").find("are of no row that is judged"),
            std::string::npos);
  const std::string fewer = good.substr(0, good.rfind('\n', good.size() - 2) + 1);
  EXPECT_NE(refusal_of(data, fewer).find("1 of the 3 rows that are judged have no prediction"),
            std::string::npos);
  EXPECT_NE(refusal_of(data, data.answers(0.001)).find("expected microseconds"), std::string::npos);
  std::string renamed = good;
  renamed.replace(renamed.find("predicted_us"), 12, "predicted_ms");
  EXPECT_NE(refusal_of(data, renamed).find("expected 'predicted_us'"), std::string::npos);
  EXPECT_NE(refusal_of(data, good + good.substr(good.find('\n') + 1)).find("stands twice"),
            std::string::npos);
  EXPECT_NE(refusal_of(data, "id,predicted_us\nx,-1\n").find("expected a time above 0"), std::string::npos);
}

TEST(QuestionFile, AsksEachQuestionOnceAndTellsNoTime) {
  const ExternalRows data;
  QuestionFile questions;
  questions.add(data.dataset, data.rows, "new shapes");
  questions.add(data.dataset, data.rows, "new shapes");
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "questions.jsonl";
  questions.write(path);
  const std::string text = read_file(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_NE(text.find(question_id(data.dataset, 0)), std::string::npos);
  EXPECT_EQ(text.find("latency"), std::string::npos);
}

}  // namespace
}  // namespace warploom
