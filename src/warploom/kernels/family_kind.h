// What sort of work a family does: a switch over all families, so that a new one must be placed.
#pragma once

#include "warploom/kernels/operator.h"

namespace warploom {

// Exchanges between GPUs: the family is the kind of a Collective.
bool is_collective(Family family);

}  // namespace warploom
