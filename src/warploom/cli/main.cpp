// The command line. Exit status: 0 done, 1 failed, 2 bad input.
#include <algorithm>
#include <string>
#include <vector>

#include "warploom/cli/program.h"

int main(int argc, char** argv) {
  return warploom::run_program(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                               WARPLOOM_VERSION);
}
