#include "warploom/cli/hand_to_judge.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "warploom/cli/command.h"

namespace warploom {

int hand_to_judge(const JudgingElsewhere& needed, char** argv) {
  const std::filesystem::path program = judging_program();
  if (program.empty()) {
    print_note(fmt::format("warploom: {}", needed.what()));
    return 2;
  }
  ::execv(program.c_str(), argv);
  print_note(fmt::format("warploom: {} cannot be started: {}", program.string(), std::strerror(errno)));
  return 1;
}

}  // namespace warploom
