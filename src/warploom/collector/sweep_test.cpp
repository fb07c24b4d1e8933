#include "warploom/collector/sweep.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/collector/device_file.h"
#include "warploom/collector/failure.h"
#include "warploom/collector/simulated_device_test.h"
#include "warploom/measurements/importers/import.h"

namespace warploom::collector {
namespace {

namespace fs = std::filesystem;

std::vector<PlannedCase> products(std::size_t count) {
  std::vector<PlannedCase> plan;
  for (std::size_t i = 0; i < count; ++i)
    plan.push_back(
        {OperatorText::parse(
             "{\"family\":\"gemm\",\"m\":" + std::to_string(16 * (i + 1)) + ",\"n\":4096,\"k\":512}", "test"),
         ""});
  return plan;
}

const std::atomic<bool> kNeverStop{false};

SweepSummary sweep_into(const fs::path& path, MeasuringDevice& device, const std::vector<PlannedCase>& plan,
                        SweepFile::Mode mode = SweepFile::Mode::Fresh, const SweepOptions& options = {},
                        const std::atomic<bool>& stop = kNeverStop) {
  SweepFile file(path, mode, device.facts());
  return run_sweep(device, plan, file, options, stop, [](std::string_view) {});
}

// As an H200, whose record the importer knows.
constexpr const char* kKnownGpu = "NVIDIA H200";

Dataset rows_of(const fs::path& path) {
  const GpuCatalog catalog;
  ImportOptions options;
  options.physical_tolerance = 0;
  return import_measurements(Layout::Warploom, std::vector<fs::path>{path}, catalog, {}, options).dataset;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST(Sweep, ImporterReadsWhatItWrites) {
  const ScratchFolder folder;
  SimulatedDevice device({}, kKnownGpu);
  const auto plan = products(40);
  EXPECT_EQ(sweep_into(folder.path() / "sweep.csv", device, plan).measured, 40U);
  const Dataset rows = rows_of(folder.path() / "sweep.csv");
  ASSERT_EQ(rows.size(), 40U);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& op = std::get<Gemm>(rows.op(r));
    const double truth = 2e-6 + double(op.m * op.n * op.k) * 1e-12;
    EXPECT_NEAR(rows.latency(r).value() / truth, 1, 0.01);
    EXPECT_EQ(rows.gpu(r), "h200_sxm");
    EXPECT_EQ(rows.context(r).framework, kFramework);
    EXPECT_GE(rows.n_samples(r), 7);
  }
}

TEST(Sweep, RepeatsUntilTheMedianIsKnownDespiteOutliers) {
  const ScratchFolder folder;
  SimulatedDevice quiet({.noise = 0.001}), noisy({.noise = 0.02, .outlier_share = 0.1}, kKnownGpu);
  const auto plan = products(20);
  sweep_into(folder.path() / "quiet.csv", quiet, plan);
  sweep_into(folder.path() / "noisy.csv", noisy, plan);
  EXPECT_GT(text_of(folder.path() / "noisy.csv").size(), 0U);
  const Dataset rows = rows_of(folder.path() / "noisy.csv");
  std::int64_t samples = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    samples += rows.n_samples(r);
    EXPECT_NEAR(rows.latency(r).value() / SimulatedDevice::seconds_of(plan[0].op), 0, 1e3);
  }
  EXPECT_GT(samples, 20 * 10);
}

TEST(Sweep, InterleavesSoThatDriftIsNoInfluenceOfSize) {
  const ScratchFolder folder;
  SimulatedDevice device({.noise = 0, .drift_per_case = 0.001}, kKnownGpu);
  sweep_into(folder.path() / "sweep.csv", device, products(300));
  const Dataset rows = rows_of(folder.path() / "sweep.csv");
  // Correlation of the size with how far a row is off.
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double x = double(std::get<Gemm>(rows.op(r)).m);
    const double y = rows.latency(r).value() / (2e-6 + x * 4096 * 512 * 1e-12);
    sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y;
  }
  const double n = double(rows.size());
  const double correlation = (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
  EXPECT_LT(std::abs(correlation), 0.2);
}

TEST(Sweep, WaitsForTheClockAndMarksRowsWhereItStaysLow) {
  const ScratchFolder folder;
  SimulatedDevice device({.noise = 0, .clock_dip = 0.3}, kKnownGpu);
  const SweepSummary settled = sweep_into(folder.path() / "settled.csv", device, products(200));
  EXPECT_EQ(settled.throttled, 0U);
  SimulatedDevice hot({.noise = 0, .clock_dip = 0.3}, kKnownGpu);
  SweepOptions impatient;
  impatient.settle_seconds = 0;
  const SweepSummary marked =
      sweep_into(folder.path() / "marked.csv", hot, products(200), SweepFile::Mode::Fresh, impatient);
  EXPECT_GT(marked.throttled, 20U);
  EXPECT_EQ(rows_of(folder.path() / "marked.csv").size(), 200 - marked.throttled);
}

TEST(Sweep, GoesOnAfterAKillAndMeasuresNothingTwice) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "sweep.csv";
  const auto plan = products(100);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SimulatedDevice device({.on_case =
                                [](std::size_t n) {
                                  if (n == 60) ::raise(SIGKILL);
                                }},
                           kKnownGpu);
    sweep_into(path, device, plan);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const std::size_t kept = rows_of(path).size();
  EXPECT_GE(kept, 55U);
  EXPECT_LT(kept, 60U);
  SimulatedDevice device({}, kKnownGpu);
  EXPECT_EQ(sweep_into(path, device, plan, SweepFile::Mode::Resume).measured, 100 - kept);
  EXPECT_EQ(rows_of(path).size(), 100U);
}

TEST(Sweep, DropsTheLineThatWasCutOff) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "sweep.csv";
  SimulatedDevice device({}, kKnownGpu);
  const auto plan = products(10);
  sweep_into(path, device, plan);
  fs::resize_file(path, fs::file_size(path) - 20);
  SimulatedDevice again({}, kKnownGpu);
  SweepFile file(path, SweepFile::Mode::Resume, again.facts());
  EXPECT_TRUE(file.dropped_partial_line());
  EXPECT_EQ(run_sweep(again, plan, file, {}, kNeverStop, [](std::string_view) {}).measured, 1U);
  EXPECT_EQ(rows_of(path).size(), 10U);
}

TEST(Sweep, KeepsRowsWhenTheDeviceIsLost) {
  const ScratchFolder folder;
  SimulatedDevice device({.lose_device_after = 30}, kKnownGpu);
  EXPECT_THROW(sweep_into(folder.path() / "sweep.csv", device, products(100)), DeviceLost);
  EXPECT_GE(rows_of(folder.path() / "sweep.csv").size(), 29U);
}

TEST(Sweep, EndsByTimeAndBySignalBetweenRows) {
  const ScratchFolder folder;
  SimulatedDevice device({}, kKnownGpu);
  SweepOptions none;
  none.seconds = 0;
  EXPECT_EQ(sweep_into(folder.path() / "a.csv", device, products(10), SweepFile::Mode::Fresh, none).end,
            SweepEnd::TimeUp);
  std::atomic<bool> stop{false};
  SimulatedDevice stopping({.on_case =
                                [&](std::size_t n) {
                                  if (n == 5) stop.store(true);
                                }},
                           kKnownGpu);
  const SweepSummary summary =
      sweep_into(folder.path() / "b.csv", stopping, products(10), SweepFile::Mode::Fresh, {}, stop);
  EXPECT_EQ(summary.end, SweepEnd::Stopped);
  EXPECT_EQ(rows_of(folder.path() / "b.csv").size(), summary.measured);
}

TEST(Sweep, CountsWhatCannotBeMeasured) {
  const ScratchFolder folder;
  SimulatedDevice device({}, kKnownGpu);
  auto plan = products(2);
  plan.push_back({OperatorText::parse(R"({"family":"gemm","m":1,"n":1,"k":2000000})", "test"), ""});
  plan.push_back({OperatorText::parse(R"({"family":"moe","tokens":1})", "test"), ""});
  const SweepSummary summary = sweep_into(folder.path() / "sweep.csv", device, plan);
  EXPECT_EQ(summary.measured, 2U);
  EXPECT_EQ(summary.unmeasurable.at("too long a product"), 1U);
  EXPECT_EQ(summary.unmeasurable.at("no kernel for moe"), 1U);
}

TEST(Sweep, TimesCollectivesOverTheGpusThatThereAre) {
  const ScratchFolder folder;
  std::vector<PlannedCase> plan;
  for (const PlannedCase& planned : general_plan(2000, 1, 4))
    if (planned.op.family() == "allreduce") plan.push_back(planned);
  ASSERT_GT(plan.size(), 80U);
  std::size_t over_two = 0;
  for (const PlannedCase& planned : plan) over_two += planned.op.integer("ranks") == 2 ? 1 : 0;
  SimulatedDevice pair({}, kKnownGpu, 2);
  const SweepSummary summary = sweep_into(folder.path() / "sweep.csv", pair, plan);
  EXPECT_EQ(summary.measured, over_two);
  EXPECT_EQ(summary.unmeasurable.at("no kernel for allreduce"), plan.size() - over_two);
  const Dataset rows = rows_of(folder.path() / "sweep.csv");
  ASSERT_EQ(rows.size(), over_two);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto& op = std::get<Collective>(rows.op(r));
    EXPECT_EQ(rows.family(r), Family::AllReduce);
    EXPECT_GE(op.size.value(), 1024);
    EXPECT_LE(op.size.value(), double(1 << 30));
    EXPECT_EQ(rows.context(r).kernel, "nccl");
  }
}

// A driver that hangs cannot be interrupted: the program says so and ends, with what it measured.
TEST(Sweep, EndsWhenTheDeviceNoLongerAnswers) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "sweep.csv", said = folder.path() / "said.txt";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SimulatedDevice device({.on_case =
                                [](std::size_t n) {
                                  while (n == 30) ::pause();
                                }},
                           kKnownGpu);
    SweepOptions options;
    options.stall_seconds = 0.5;
    options.on_stall = [&](const std::string& doing) {
      std::ofstream(said) << doing;
      ::_exit(7);
    };
    sweep_into(path, device, products(100), SweepFile::Mode::Fresh, options);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_NE(text_of(said).find("simulated of {\"family\":\"gemm\""), std::string::npos) << text_of(said);
  EXPECT_GE(rows_of(path).size(), 28U);
}

TEST(SweepFile, RefusesAnotherGpuAnExistingSweepAndOtherFiles) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "sweep.csv";
  SimulatedDevice device({}, kKnownGpu), other({}, "NVIDIA H100");
  sweep_into(path, device, products(3));
  EXPECT_NE(
      message_of<BadInput>([&] { SweepFile(path, SweepFile::Mode::Fresh, device.facts()); }).find("--resume"),
      std::string::npos);
  EXPECT_NE(message_of<BadInput>([&] {
              SweepFile(path, SweepFile::Mode::Resume, other.facts());
            }).find("measured on"),
            std::string::npos);
  const fs::path strange = folder.path() / "strange.csv";
  std::ofstream(strange) << "a,b\n1,2\n";
  EXPECT_NE(message_of<BadInput>([&] {
              SweepFile(strange, SweepFile::Mode::Resume, device.facts());
            }).find("is no sweep"),
            std::string::npos);
}

TEST(SweepFile, SaysWhatToDoWhenTheDiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  SimulatedDevice device({}, kKnownGpu);
  const std::string message =
      message_of<FileFailure>([&] { SweepFile("/dev/full", SweepFile::Mode::Fresh, device.facts()); });
  EXPECT_NE(message.find("make room"), std::string::npos) << message;
}

TEST(MedianInterval, EnclosesTheMedianAndFindsOutliers) {
  const std::vector<double> few{1, 2, 3};
  EXPECT_TRUE(std::isinf(estimate_median(few).relative_half_width));
  std::vector<double> samples(20, 1.0);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += 1e-3 * double(i);
  samples.push_back(5);
  const MedianEstimate estimate = estimate_median(samples);
  EXPECT_NEAR(estimate.median, 1.010, 1e-9);
  EXPECT_EQ(estimate.outliers, 1U);
  EXPECT_GT(estimate.relative_half_width, 1e-3);
  EXPECT_LT(estimate.relative_half_width, 1e-2);
}

TEST(GeneralPlan, CoversAllFamiliesFromTheStartWithoutRepeats) {
  const auto plan = general_plan(2000, 1);
  std::set<std::string> families, texts;
  for (std::size_t i = 0; i < 40; ++i) families.insert(plan[i].op.family());
  for (const PlannedCase& planned : plan) texts.insert(planned.op.text());
  EXPECT_EQ(families.size(), 9U);
  EXPECT_EQ(texts.size(), 2000U);
}

TEST(Plan, NamesFileAndLineOfDamage) {
  const ScratchFolder folder;
  const fs::path path = folder.path() / "plan.csv";
  std::ofstream(path) << "operator\n\"{\"\"family\"\":\"\"gemm\"\",\"\"m\"\":1}\"\n\"{\"\"family\"\":\n";
  EXPECT_NE(message_of<BadInput>([&] { read_plan(path); }).find("plan.csv:3"), std::string::npos);
  EXPECT_THROW(read_plan(folder.path() / "none.csv"), FileFailure);
}

TEST(DeviceFile, IsWrittenWhole) {
  const ScratchFolder folder;
  SimulatedDevice device;
  write_device_file(folder.path() / "device.json", device.facts(), device.state(), device.constants(),
                    SweepSummary{});
  const std::string text = text_of(folder.path() / "device.json");
  EXPECT_NE(text.find("\"dram_copy_gb_per_s\": 1000"), std::string::npos);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_FALSE(fs::exists(folder.path() / "device.json.part"));
}

}  // namespace
}  // namespace warploom::collector
