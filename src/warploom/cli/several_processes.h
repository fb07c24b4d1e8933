// A plan that mpirun started in several processes: the program that joins them is another one, so that this
// one need not load MPI.
#pragma once

#include <cstdint>

namespace warploom {

// Processes that mpirun started together with this one; 1 where there are none.
std::int64_t started_processes();

// Whether `arguments` are a plan of several processes: then the program warploom-mpi beside this one takes
// its place. Returns when it is none; throws Unsupported when warploom-mpi is not there.
void hand_to_mpi(int argc, char** argv);

}  // namespace warploom
