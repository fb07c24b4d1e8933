#include "warploom/app/tune/python_profiler.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// What the programs of python/warploom end with.
constexpr int kComplete = 0, kOutOfTime = 3, kNothingToRunOn = 4, kNoProgram = 127;

int exit_status_of(const std::vector<std::string>& words) {
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

}  // namespace

void require_profiler(const std::filesystem::path& package, const std::string& program) {
  if (!std::filesystem::exists(package / "warploom" / program))
    throw NotFound(
        fmt::format("{}: no warploom/{}, expected the folder of the Python package "
                    "(`package`, or WARPLOOM_PACKAGE)",
                    package.string(), program));
}

bool run_profiler(const ProfilerRun& run, const std::string& command) {
  std::vector<std::string> words{run.python, run.program.string()};
  for (const auto& [name, value] : run.arguments) {
    words.push_back("--" + name);
    words.push_back(value);
  }
  const int status = exit_status_of(words);
  if (status == kNothingToRunOn || status == kNoProgram)
    throw Unsupported(
        fmt::format("{}: '{}' cannot measure here; expected Python with torch and "
                    "triton, and a GPU that torch sees (see the line above)",
                    command, words[0]));
  if (status != kComplete && status != kOutOfTime)
    throw IoError(fmt::format("{}: the profiler ended with status {}; run the same command again to go on",
                              command, status));
  return status == kComplete;
}

}  // namespace warploom
