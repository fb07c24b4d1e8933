// The command line. Exit status: 0 done, 1 failed, 2 bad input, 130 interrupted (docs/reliability.md).
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/cli/hand_to_judge.h"
#include "warploom/cli/program.h"
#include "warploom/cli/several_processes.h"

int main(int argc, char** argv) {
  try {
    warploom::hand_to_mpi(argc, argv);
    return warploom::run_program(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                 WARPLOOM_VERSION);
  } catch (const warploom::JudgingElsewhere& needed) {
    return warploom::hand_to_judge(needed, argv);
  } catch (const warploom::Unsupported& alone) {
    std::fprintf(stderr, "warploom: %s\n", alone.what());
    return 2;
  }
}
