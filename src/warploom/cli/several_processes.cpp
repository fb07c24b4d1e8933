#include "warploom/cli/several_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "warploom/base/error.h"

namespace warploom {

std::int64_t started_processes() {
  // Open MPI's, and that of launchers with PMI (MPICH, Slurm).
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* text = std::getenv(name);
    std::int64_t size = 0;
    if (text != nullptr && std::from_chars(text, text + std::strlen(text), size).ec == std::errc() &&
        size > 0)
      return size;
  }
  return 1;
}

void hand_to_mpi(int argc, char** argv) {
  if (argc < 2 || (std::string_view(argv[1]) != "plan" && std::string_view(argv[1]) != "plans")) return;
  const std::int64_t processes = started_processes();
  if (processes == 1) return;
  std::error_code unknown;
  const std::string program =
      (std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path() / "warploom-mpi").string();
  ::execv(program.c_str(), argv);
  throw Unsupported(fmt::format(
      "{}: was started {} times by mpirun, but this build cannot join them: expected {}, which is built "
      "where Open MPI is installed (libopenmpi-dev; `cmake --build --preset release --target "
      "warploom_mpi` adds it)",
      argv[1], processes, program));
}

}  // namespace warploom
