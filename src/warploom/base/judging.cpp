#include "warploom/base/judging.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <system_error>

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr const char* kProgram = "warploom-judge";

fs::path folder_of_program() {
  std::error_code unknown;
  return fs::read_symlink("/proc/self/exe", unknown).parent_path();
}

// The folder of the program, or of a library that a program loaded.
fs::path folder_of_code() {
  Dl_info found{};
  if (::dladdr(reinterpret_cast<const void*>(&judging_program), &found) == 0 || found.dli_fname == nullptr)
    return {};
  std::error_code unknown;
  return fs::absolute(found.dli_fname, unknown).parent_path();
}

}  // namespace

JudgingElsewhere::JudgingElsewhere(std::string_view task)
    : Unsupported(fmt::format("{}: is done by the program {} alone, expected at {}; it is built by: cmake "
                              "--build --preset release --target warploom-judge",
                              task, kProgram, (folder_of_program() / kProgram).string())) {}

fs::path judging_program() {
  const char* named = std::getenv("WARPLOOM_JUDGE");
  if (named != nullptr && *named != '\0') return named;
  const fs::path code = folder_of_code();
  // build/release/lib/libwarploom.so and build/release/python/warploom/_core.so have it in build/release/bin.
  for (const fs::path& folder :
       std::array{folder_of_program(), code, code / ".." / "bin", code / ".." / ".." / "bin"}) {
    const fs::path program = folder / kProgram;
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

}  // namespace warploom
