// `--html FILE`: each command that judges or fits writes one page that holds its answer and needs nothing
// else. What a page shows of it, web/tests/page/report.mjs looks at.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "refusal.h"
#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/learning.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

std::string html_fixture(const std::string& path) { return source_folder() / "tests" / "fixtures" / path; }

// What the page holds in its one JSON element.
json held_by(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="warploom-report">)";
  const std::size_t at = page.find(begin);
  if (at == std::string::npos) return nullptr;
  const std::size_t from = at + begin.size();
  return json::parse(page.substr(from, page.find("</script>", from) - from));
}

// Runs the command with --html; the page holds the document that --json prints, and loads nothing.
json report_of(Words words, const std::string& request) {
  const ScratchFolder scratch;
  const std::string file = scratch.path() / "report.html";
  words.insert(words.end(), {"--json", "--html", file});
  const ProgramResult done = run_warploom(words);
  EXPECT_EQ(done.exit_status, 0) << done.errors;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) files += entry.exists();
  EXPECT_EQ(files, 1U);
  const std::string page = read_file(file);
  EXPECT_TRUE(page.starts_with("<!doctype html>")) << page.substr(0, 60);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  json held = held_by(page);
  EXPECT_EQ(held["request"], request);
  EXPECT_EQ(held["answer"], json::parse(done.output));
  EXPECT_EQ(held["command"].get<std::string>().rfind("warploom " + words[0] + " " + words[1], 0), 0U)
      << held["command"];
  return held;
}

TEST(HtmlReport, OfAFit) {
  const ScratchFolder scratch;
  const Words fit{"tune",      "fit",
                  "--gpu",     "H200",
                  "--output",  scratch.path() / "table.wlt",
                  "--samples", html_fixture("tuner/tutorial_anchors.csv.gz")};
  const json held = report_of(fit, "tune_fit");
  const json& rows = held["answer"]["fitted"];
  EXPECT_EQ(rows.size(), held["answer"]["configs"]);
  for (const json& row : rows) {
    EXPECT_GT(row["residual"], 0);
    EXPECT_FALSE(row["config"].get<std::string>().empty());
  }
  EXPECT_EQ(held["asked"]["samples"].size(), 1U);
}

TEST(HtmlReport, OfAFitOfThePublishedModel) {
  const ScratchFolder scratch;
  Words fit{"tune",     "fit",      "--gpu",    "H200",
            "--method", "wavetune", "--output", scratch.path() / "table.json",
            "--samples"};
  fit.push_back(html_fixture("tuner/gemm_anchors.csv.gz"));
  const json held = report_of(fit, "tune_fit");
  EXPECT_EQ(held["answer"]["fitted"].size(), held["answer"]["macro_configs"]);
  std::size_t buckets = 0;
  for (const json& row : held["answer"]["fitted"]) buckets += row["buckets"].get<std::size_t>();
  EXPECT_EQ(buckets, held["answer"]["buckets"]);
}

TEST(HtmlReport, OfValidatedCeilings) {
  const json held = report_of({"validate", "ceilings", "--layout", "warploom", "--data",
                               html_fixture("collector/h200/check/sweep.csv.gz")},
                              "validate_ceilings");
  EXPECT_FALSE(held["answer"]["families"].empty());
}

// A page that cannot be written is one error, and no part of it is left.
TEST(HtmlReport, ThatHasNoPlace) {
  const ScratchFolder scratch;
  const std::string no_folder = scratch.write("file", "kept");
  expect_refusal({"tune", "fit", "--gpu", "H200", "--output", scratch.path() / "table.wlt", "--samples",
                  html_fixture("tuner/tutorial_anchors.csv.gz"), "--html", no_folder + "/report.html"},
                 {"file/report.html", "cannot be written"});
  EXPECT_EQ(read_file(no_folder), "kept");
}

}  // namespace
}  // namespace warploom
