// The published tables themselves, where this machine has them.
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

struct Expectation {
  Layout layout;
  std::string folder;
  std::size_t rows_read, least_kept;
};

class SharedData : public ::testing::TestWithParam<Expectation> {};

TEST_P(SharedData, IsReadWholeAndMostlyKept) {
  const std::filesystem::path data = shared_data();
  if (data.empty()) GTEST_SKIP() << "no measured data: set WARPLOOM_DATA to its folder";
  const Expectation& expected = GetParam();
  const GpuCatalog catalog;
  const ImportResult result =
      import_measurements(expected.layout, std::vector{data / expected.folder}, catalog);
  EXPECT_EQ(result.report.rows_read(), expected.rows_read);
  EXPECT_GE(result.report.rows_kept(), expected.least_kept);
  EXPECT_EQ(result.report.rows_kept(), result.dataset.size());
  std::size_t skipped = 0, impossible = 0;
  for (const SkippedRows& entry : result.report.skipped()) {
    skipped += entry.rows;
    if (entry.reason == kImpossibleReason) impossible = entry.rows;
    EXPECT_EQ(entry.reason.find("unknown GPU"), std::string::npos) << entry.reason;
    EXPECT_EQ(entry.reason.find("valid operator"), std::string::npos) << entry.examples.front();
  }
  EXPECT_EQ(result.report.rows_read(), result.report.rows_kept() + result.report.repeats() + skipped);
  EXPECT_LE(double(impossible), 0.035 * double(result.report.rows_read()));
}

// Every folder of the publication is read or refused for a reason, no row silently.
TEST(SharedFolders, AreAllReadOrRefusedForAReason) {
  const std::filesystem::path data = shared_data();
  if (data.empty() || !std::filesystem::exists(data / "aisimulate")) GTEST_SKIP() << "no measured data";
  const GpuCatalog catalog;
  for (const auto& folder : std::filesystem::directory_iterator(data / "aisimulate")) {
    if (!folder.is_directory()) continue;
    std::filesystem::path smallest;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      if (smallest.empty() || file.file_size() < std::filesystem::file_size(smallest)) smallest = file.path();
    const ImportResult result = import_measurements(Layout::Aiconfigurator, std::vector{smallest}, catalog);
    ASSERT_EQ(result.report.files.size(), 1u);
    EXPECT_FALSE(result.report.files[0].table.empty()) << folder.path();
    EXPECT_GT(result.report.rows_read(), 0u) << smallest;
    std::size_t skipped = 0;
    for (const SkippedRows& entry : result.report.skipped()) {
      EXPECT_GT(entry.reason.size(), 10u) << smallest;
      skipped += entry.rows;
    }
    EXPECT_EQ(result.report.rows_read(), result.report.rows_kept() + result.report.repeats() + skipped)
        << smallest;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tables, SharedData,
    ::testing::Values(Expectation{Layout::Aiconfigurator, "aiconfigurator/moe", 1893693, 1850000},
                      Expectation{Layout::Aiconfigurator, "aiconfigurator/mla_context", 47158, 30000},
                      Expectation{Layout::Aiconfigurator, "aiconfigurator/gdn", 117891, 45000},
                      Expectation{Layout::Aiconfigurator, "aiconfigurator/deepep_normal", 19174, 8000},
                      Expectation{Layout::Aiconfigurator, "aisimulate/moe", 307304, 300000},
                      Expectation{Layout::Aiconfigurator, "aisimulate/mla_generation_module", 35584, 35000},
                      Expectation{Layout::Pipeweave, "pipeweave_kernels", 18296, 17000},
                      Expectation{Layout::Pipeweave, "pipeweave_moe", 102204, 33000},
                      Expectation{Layout::Vidur, "vidur", 222849, 138000},
                      Expectation{Layout::Neusight, "neusight", 259107, 258000}),
    [](const auto& test) {
      std::string name = test.param.folder;
      for (char& c : name) c = c == '/' ? '_' : c;
      return name;
    });

}  // namespace
}  // namespace warploom
