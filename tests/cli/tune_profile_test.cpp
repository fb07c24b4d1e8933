// `tune profile` with a stand-in for Python: rounds, resuming, and what it says where nothing can measure.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "run_warploom.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

namespace fs = std::filesystem;

// Times every row of the plan that is not in the output yet, as `python3 profile.py` would, by a formula of
// waves; the last word of `ending` is its exit status.
std::string stand_in(const ScratchFolder& scratch, const std::string& ending) {
  const std::string script =
      "#!/bin/sh\n"
      "while [ $# -gt 0 ]; do case \"$1\" in --plan) plan=$2;; --output) out=$2;; esac; shift; done\n"
      "[ -f \"$out\" ] || echo bm,bn,bk,warps,stages,m,n,k,median_us,low_us > \"$out\"\n"
      "awk -F, -v OFS=, 'FNR == 1 {next} NR == FNR {seen[$1,$2,$3,$4,$5,$6,$7,$8] = 1; next}\n"
      "  !(($1,$2,$3,$4,$5,$6,$7,$8) in seen) {\n"
      "    tiles = int(($6 + $1 - 1) / $1) * int(($7 + $2 - 1) / $2); waves = int((tiles + 131) / 132)\n"
      "    t = 2 + waves * ($8 / $3) * (0.2 + $1 * $2 * $3 / 8e5) * (8 / $4 + 1 / $5)\n"
      "    print $0, t, t }' \"$out\" \"$plan\" > \"$out.new\"\n"
      "cat \"$out.new\" >> \"$out\"\n" +
      ending + "\n";
  const fs::path path = scratch.write("python", script);
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::size_t lines(const fs::path& path) {
  const std::string text = read_file(path);
  return std::size_t(std::count(text.begin(), text.end(), '\n'));
}

TEST(TuneProfile, MeasuresTwoRoundsAndGoesOnWhereItStopped) {
  const ScratchFolder scratch;
  const std::string output = scratch.path() / "samples.csv";
  // Out of time after the first round.
  const ProgramResult first = run_warploom(
      {"tune", "profile", "--gpu", "H200", "--output", output, "--python", stand_in(scratch, "exit 3")});
  ASSERT_EQ(first.exit_status, 0) << first.errors;
  EXPECT_NE(first.output.find("run again to go on"), std::string::npos);
  const std::size_t measured = lines(output);
  EXPECT_GT(measured, 4000U);
  const ProgramResult second = run_warploom(
      {"tune", "profile", "--gpu", "H200", "--output", output, "--python", stand_in(scratch, "exit 0")});
  ASSERT_EQ(second.exit_status, 0) << second.errors;
  EXPECT_GT(lines(output), measured + 1000);
  EXPECT_LT(lines(output), std::size_t{22000});
  const ProgramResult again = run_warploom(
      {"tune", "profile", "--gpu", "H200", "--output", output, "--python", stand_in(scratch, "exit 0")});
  EXPECT_EQ(lines(scratch.path() / "samples.csv.new"), 0U) << again.errors;
  const ProgramResult fitted = run_warploom(
      {"tune", "fit", "--gpu", "H200", "--samples", output, "--output", scratch.path() / "table.wlt"});
  EXPECT_EQ(fitted.exit_status, 0) << fitted.errors;
}

TEST(TuneProfile, SaysWhatIsNeededWhereNothingCanMeasure) {
  const ScratchFolder scratch;
  const std::string output = scratch.path() / "samples.csv";
  const ProgramResult no_gpu = run_warploom(
      {"tune", "profile", "--gpu", "H200", "--output", output, "--python", stand_in(scratch, "exit 4")});
  EXPECT_NE(no_gpu.exit_status, 0);
  EXPECT_NE(no_gpu.errors.find("a GPU that torch sees"), std::string::npos) << no_gpu.errors;
  const ProgramResult no_python =
      run_warploom({"tune", "profile", "--gpu", "H200", "--output", output, "--python", "/no/such/python"});
  EXPECT_NE(no_python.errors.find("/no/such/python"), std::string::npos);
  const ProgramResult no_package =
      run_warploom({"tune", "profile", "--gpu", "H200", "--output", output, "--package", scratch.path()});
  EXPECT_NE(no_package.errors.find("WARPLOOM_PACKAGE"), std::string::npos) << no_package.errors;
  const ProgramResult broken = run_warploom(
      {"tune", "profile", "--gpu", "H200", "--output", output, "--python", stand_in(scratch, "exit 9")});
  EXPECT_NE(broken.errors.find("status 9"), std::string::npos) << broken.errors;
}

}  // namespace
}  // namespace warploom
