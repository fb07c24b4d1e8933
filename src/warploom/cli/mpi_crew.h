// Processes that mpirun started, as the crew of a plan.
#pragma once

#include <memory>

#include "warploom/app/plan/make_plan.h"

namespace warploom {

// All processes of MPI_COMM_WORLD, which must allow calls by several threads (MPI_THREAD_MULTIPLE). The first
// gives out numbers from a thread of its own, so that it can search too. Destroyed by all before
// MPI_Finalize.
std::unique_ptr<PlanCrew> mpi_crew();

}  // namespace warploom
