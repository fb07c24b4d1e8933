// `warploom plan` in the processes that mpirun started: each of them is this program, and they search
// together.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "warploom/base/judging.h"
#include "warploom/cli/mpi_crew.h"
#include "warploom/cli/program.h"

int main(int argc, char** argv) {
  int threads = 0;
  // Who waits for another process lets threads that search go first; Open MPI's waiting takes a core else.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  int status = 1;
  if (threads < MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "warploom: this MPI lets one thread call it alone, expected MPI_THREAD_MULTIPLE\n");
  } else {
    const auto crew = warploom::mpi_crew();
    if (!crew->is_first() && std::freopen("/dev/null", "w", stderr) == nullptr)
      return 1;  // the first says it
    try {
      status = warploom::run_program(std::vector<std::string>(argv + std::min(argc, 1), argv + argc),
                                     WARPLOOM_VERSION, crew.get());
    } catch (const warploom::JudgingElsewhere& alone) {  // no other program can join the processes
      std::fprintf(stderr, "warploom: %s\n", alone.what());
      status = 2;
    }
  }
  MPI_Finalize();
  return status;
}
