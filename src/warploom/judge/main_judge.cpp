// The program warploom-judge: all that `warploom` does, the training libraries, and judging. `warploom` hands
// a command line to it, and sends it questions in JSON (--answer).
#include <cstring>
#include <string>
#include <vector>

#include "warploom/cli/program.h"
#include "warploom/judge/serve_question.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--answer") == 0) return warploom::serve_question();
  return warploom::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc),
                               WARPLOOM_VERSION);
}
