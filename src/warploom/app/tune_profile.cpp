#include "warploom/app/tune_profile.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "warploom/app/tune_plan.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

// What `python -m warploom.profile` ends with.
constexpr int kComplete = 0, kOutOfTime = 3, kNothingToRunOn = 4, kNoProgram = 127;

// Exit status of a program looked up in PATH; its output goes where ours goes.
int run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) return kNoProgram;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw IoError(fmt::format("{}: {}", words[0], std::strerror(errno)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// True when the plan was measured to its end.
bool measure(const TuneProfileRequest& request, const std::filesystem::path& plan, double seconds) {
  const TileKernel& kernel = request.kernel;
  const std::string kind(name_of(kernel.kind));
  const std::vector<std::string> words = {
      request.python,    (request.package / "warploom" / "profile.py").string(),
      "--kind",          kind,
      "--plan",          plan.string(),
      "--output",        request.output.string(),
      "--seconds",       fmt::format("{:.0f}", seconds),
      "--operand-bytes", std::to_string(kernel.operand_bytes),
      "--experts",       std::to_string(kernel.experts),
      "--top-k",         std::to_string(kernel.top_k),
      "--head-dim",      std::to_string(kernel.head_dim),
      "--head-group",    std::to_string(kernel.head_group),
      "--causal",        kernel.causal ? "1" : "0"};
  const int status = run_program(words);
  if (status == kNothingToRunOn || status == kNoProgram)
    throw Unsupported(
        fmt::format("tune profile: '{}' cannot measure here; expected Python with torch and "
                    "triton, and a GPU that torch sees (see the line above)",
                    request.python));
  if (status != kComplete && status != kOutOfTime)
    throw IoError(
        fmt::format("tune profile: the profiler ended with status {}; run the same command again "
                    "to go on",
                    status));
  return status == kComplete;
}

}  // namespace

TuneProfileResult tune_profile(const TuneProfileRequest& request) {
  if (!std::filesystem::exists(request.package / "warploom" / "profile.py"))
    throw NotFound(
        fmt::format("{}: no warploom/profile.py, expected the folder of the Python package "
                    "(--package, or WARPLOOM_PACKAGE)",
                    request.package.string()));
  const auto start = std::chrono::steady_clock::now();
  TunePlanRequest plan{.kernel = request.kernel, .gpu = request.gpu};
  TuneProfileResult result;
  const auto round = [&](AnchorRound which, const char* name) {
    plan.round = which;
    plan.output = request.output.string() + name;
    const TunePlanResult planned = tune_plan(plan);
    result.rows += planned.rows;
    result.configs = planned.configs;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.complete = measure(request, plan.output, request.seconds - spent.count());
  };
  if (request.all_anchors) {
    round(AnchorRound::All, ".plan.csv");
    return result;
  }
  round(AnchorRound::First, ".first.csv");
  if (!result.complete) return result;
  plan.samples = {request.output};
  // The second round follows from the first alone, so that a run that was stopped goes on with the same plan.
  if (!std::filesystem::exists(request.output.string() + ".second.csv")) {
    round(AnchorRound::Second, ".second.csv");
  } else {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    result.complete =
        measure(request, request.output.string() + ".second.csv", request.seconds - spent.count());
  }
  return result;
}

}  // namespace warploom
