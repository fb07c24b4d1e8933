// The program that people start: everything but the training libraries, whose loading takes longer than most
// answers. Whatever needs them is handed to warploom-train beside it, the same program with these libraries.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/cli/hand_to_judge.h"
#include "warploom/cli/program.h"
#include "warploom/cli/several_processes.h"

namespace warploom {
namespace {

std::filesystem::path training_program() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "warploom-train";
}

}  // namespace

// These two take the place of base/learning.cpp.
bool learning_available() { return ::access(training_program().c_str(), X_OK) == 0; }

void require_learning(std::string_view task) {
  const std::string program = training_program().string();
  if (learning_available())
    throw LearningElsewhere(std::string(task) + ": " + program + " cannot be started");
  throw Unsupported(std::string(task) + ": learning needs the program warploom-train, expected at " +
                    program + " (`cmake --build --preset release --target warploom_train` adds it)");
}

}  // namespace warploom

int main(int argc, char** argv) {
  try {
    warploom::hand_to_mpi(argc, argv);
    return warploom::run_program(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                 WARPLOOM_VERSION);
  } catch (const warploom::LearningElsewhere& needed) {
    ::execv(warploom::training_program().c_str(), argv);
    std::fprintf(stderr, "warploom: %s\n", needed.what());
    return 1;
  } catch (const warploom::JudgingElsewhere& needed) {
    return warploom::hand_to_judge(needed, argv);
  } catch (const warploom::Unsupported& alone) {
    std::fprintf(stderr, "warploom: %s\n", alone.what());
    return 2;
  }
}
