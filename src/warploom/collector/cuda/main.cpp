// warploom-collect: times kernels on the GPU of this machine. Exit status: 0 done, 1 failed, 2 bad input.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/collector/cuda/cuda_device.cuh"
#include "warploom/collector/device_file.h"
#include "warploom/collector/failure.h"
#include "warploom/collector/start_checks.h"
#include "warploom/collector/sweep.h"

namespace {

using namespace warploom::collector;

std::atomic<bool> g_stop{false};
// The first signal ends the sweep after the row under way, the second one at once.
extern "C" void stop_sweep(int signal) {
  g_stop.store(true);
  std::signal(signal, SIG_DFL);
}

// The thread that called the device is lost with it.
[[noreturn]] void end_stalled(const std::string& doing) {
  std::fprintf(
      stderr,
      "warploom-collect: the GPU has not answered for a minute while timing %s; rows measured so far are "
      "kept: see nvidia-smi and the kernel log for the GPU's state, then run again with --resume, or with "
      "a plan without that operator when it hangs again\n",
      doing.c_str());
  std::_Exit(1);
}

constexpr const char* kUsage =
    "usage: warploom-collect --output FOLDER [options]\n"
    "  --plan FILE     measure what `warploom sweep-plan` chose (--like MODEL there: the shapes of one "
    "model);\n"
    "                  without it shapes that suit no model in particular\n"
    "  --minutes N     end after N minutes (default 10)\n"
    "  --resume        go on with the sweep in FOLDER\n"
    "  --device N      number of the GPU (default 0)\n"
    "  --gpus N        also collectives over N GPUs of this node, through NCCL (default 1: none)\n"
    "  --seed N        of the order\n"
    "  --shared        sweep a GPU that other programs use\n"
    "  --no-constants  leave out the rates and gaps of the device\n"
    "  --check         only compare the own kernels with plain ones\n"
    "writes FOLDER/sweep.csv and FOLDER/device.json, for `warploom calibrate --data FOLDER`\n";

struct Options {
  std::filesystem::path output, plan;
  SweepOptions sweep;
  int device = 0, gpus = 1;
  bool resume = false, shared = false, constants = true, check = false;
};

double number_of(const std::string& flag, const std::string& text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0 || !(value >= least))
    throw BadInput(flag + ": '" + text + "' is no number of at least " + std::to_string(int(least)));
  return value;
}

Options options_of(int argc, char** argv) {
  Options o;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& flag = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 >= words.size()) throw BadInput(flag + ": expected a value");
      return words[++i];
    };
    if (flag == "--output")
      o.output = value();
    else if (flag == "--plan")
      o.plan = value();
    else if (flag == "--minutes")
      o.sweep.seconds = 60 * number_of(flag, value(), 0);
    else if (flag == "--seed")
      o.sweep.seed = std::uint64_t(number_of(flag, value(), 0));
    else if (flag == "--device")
      o.device = int(number_of(flag, value(), 0));
    else if (flag == "--gpus")
      o.gpus = int(number_of(flag, value(), 1));
    else if (flag == "--resume")
      o.resume = true;
    else if (flag == "--shared")
      o.shared = true;
    else if (flag == "--no-constants")
      o.constants = false;
    else if (flag == "--check")
      o.check = true;
    else if (flag == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else if (flag == "--like") {
      const std::string model = value();
      throw BadInput("--like: this program knows no models; run `warploom sweep-plan --like " + model +
                     " --output plan.csv`, then warploom-collect --plan plan.csv");
    } else
      throw BadInput("unknown option '" + flag + "'\n" + kUsage);
  }
  if (o.output.empty() && !o.check) throw BadInput(std::string("--output is missing\n") + kUsage);
  return o;
}

void note(std::string_view line) { std::fprintf(stderr, "%.*s\n", int(line.size()), line.data()); }

std::string ending_of(const SweepSummary& summary) {
  if (summary.end == SweepEnd::TimeUp) return "the time is up";
  if (summary.end == SweepEnd::Stopped) return "stopped by a signal";
  return "the plan is done";
}

// Not by an exception: libraries of a device that is lost may wait for it for ever when they are taken down.
[[noreturn]] void end_lost(const DeviceLost& error) {
  std::fprintf(
      stderr,
      "warploom-collect: the GPU failed: %s; rows measured so far are kept, run again with --resume\n",
      error.what());
  std::_Exit(1);
}

int measure(const Options& o, const std::vector<PlannedCase>& plan, CudaDevice& device) {
  if (o.check) {
    std::vector<std::string> lines;
    const bool sound = device.check_own_kernels(lines);
    for (const std::string& line : lines) note(line);
    return sound ? 0 : 1;
  }
  const DeviceFacts facts = device.facts();
  if (const auto warning = check_state(device.state(), o.shared)) note("warning: " + *warning);
  SweepFile file(o.output / "sweep.csv", o.resume ? SweepFile::Mode::Resume : SweepFile::Mode::Fresh, facts);
  if (file.dropped_partial_line()) note("sweep.csv: the last line was cut off and is measured again");
  if (file.rows_before() > 0) note("going on after " + std::to_string(file.rows_before()) + " rows");
  note(facts.name + ", driver " + facts.driver + ", " + facts.libraries + ": " + std::to_string(plan.size()) +
       " operators planned");
  std::signal(SIGINT, stop_sweep);
  std::signal(SIGTERM, stop_sweep);
  const auto before = std::chrono::steady_clock::now();
  const std::vector<DeviceConstant> constants =
      o.constants ? device.constants() : std::vector<DeviceConstant>();
  SweepOptions sweep = o.sweep;
  sweep.on_stall = end_stalled;
  sweep.seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  const SweepSummary summary = run_sweep(device, plan, file, sweep, g_stop, note);
  write_device_file(o.output / "device.json", facts, device.state(), constants, summary);
  note(ending_of(summary) + ": " + std::to_string(summary.measured) + " rows in " +
       std::to_string(int(summary.seconds)) + " s, " + std::to_string(summary.throttled) + " throttled, " +
       std::to_string(summary.uncertain) + " with an interval over " +
       std::to_string(int(100 * sweep.sampling.relative_half_width)) + " %");
  for (const auto& [reason, count] : summary.unmeasurable)
    note("left out " + std::to_string(count) + ": " + reason);
  if (summary.end != SweepEnd::Complete) note("--resume goes on where this ended");
  return 0;
}

int collect(const Options& o) {
  const std::vector<PlannedCase> plan =
      o.plan.empty() ? general_plan(40000, o.sweep.seed, o.gpus) : read_plan(o.plan);
  CudaDevice device(o.device, o.gpus);
  try {
    return measure(o, plan, device);
  } catch (const DeviceLost& error) {
    end_lost(error);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return collect(options_of(argc, argv));
  } catch (const BadInput& error) {
    std::fprintf(stderr, "warploom-collect: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warploom-collect: %s\n", error.what());
    return 1;
  }
}
