// Runs the Python programs that measure on this machine's GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warploom {

// Throws NotFound when the folder holds no Python package warploom with that program.
void require_profiler(const std::filesystem::path& package, const std::string& program);

// Runs `words` (the interpreter, looked up in PATH, then its arguments); their output goes where ours goes.
// True when the plan was measured to its end, false when time ran out. Throws Unsupported when Python, torch,
// triton or a GPU is missing, IoError when the program ended otherwise; both name `command`.
bool run_profiler(const std::vector<std::string>& words, const std::string& command);

}  // namespace warploom
