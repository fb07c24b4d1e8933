// Runs the built program as a user would and keeps what it said. For tests only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warploom {

struct ProgramResult {
  int exit_status = -1;  // 128 + signal when a signal ended it
  std::string output;    // stdout
  std::string errors;    // stderr
};

// Runs these words, no stdin, in `folder` (empty: the current one); the program is looked for in PATH. 127:
// there is no such program.
ProgramResult run_words(const std::vector<std::string>& words, const std::filesystem::path& folder = {});

// Where the built program lies.
std::string warploom_program();

// Runs build/<preset>/bin/warploom with these arguments, no stdin, in `folder` (empty: the current one).
ProgramResult run_warploom(const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder = {});

// The source tree, and the folder of shared measurements (WARPLOOM_DATA, else ../shared/data); the latter is
// empty when it is absent.
std::filesystem::path source_folder();
std::filesystem::path data_folder();

}  // namespace warploom
