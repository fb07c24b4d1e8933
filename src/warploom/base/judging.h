// Judging (predictions against measurements, and the published methods that stand beside ours) is done by a
// program of its own, which stands beside this one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/base/error.h"

namespace warploom {

// The program warploom-judge must do what was asked. A command line is handed to it (cli/hand_to_judge.h), a
// request in JSON is sent to it (answers/judge_process.h). What no one hands on is refused with this error.
class JudgingElsewhere : public Unsupported {
 public:
  // `task` starts the message, which says where the program was expected and how to build it.
  explicit JudgingElsewhere(std::string_view task);
};

// The program warploom-judge: what the variable WARPLOOM_JUDGE names, else the one beside this program, or
// beside the library that holds this code or in bin/ of its build. Empty: there is none.
std::filesystem::path judging_program();

}  // namespace warploom
