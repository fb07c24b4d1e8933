// Runs the Python programs that measure on this machine's GPU.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace warploom {

// Throws NotFound when the folder holds no Python package warploom with that program.
void require_profiler(const std::filesystem::path& package, const std::string& program);

// A program of the package and the interpreter that runs it, which is looked up in PATH.
struct ProfilerRun {
  std::string python;
  std::filesystem::path program;
  std::vector<std::pair<std::string, std::string>> arguments;  // name and value
};

// Its output goes where ours goes. True when the plan was measured to its end, false when time ran out.
// Throws Unsupported when Python, torch, triton or a GPU is missing, IoError when the program ended
// otherwise; both name `command`.
bool run_profiler(const ProfilerRun& run, const std::string& command);

}  // namespace warploom
