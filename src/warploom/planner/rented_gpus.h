// GPUs that are paid for: whole nodes, where they are not rented singly.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/planner/configuration.h"

namespace warploom {

struct RentedGpus {
  std::int64_t first = 0;   // of the pool that computes prompts, or of the only one
  std::int64_t decode = 0;  // of the other
  std::int64_t nodes = 0;   // that hold those rented as nodes; 0: all are rented singly
  std::int64_t gpus() const { return first + decode; }
  bool operator==(const RentedGpus&) const = default;
};

// `node_gpus`: as PlanTask has it. No instance lies across more nodes than it must. Two pools of one GPU
// share nodes where the sizes of their instances fill a node without a gap; what they share counts for the
// first.
RentedGpus rented_gpus(const std::vector<std::int64_t>& node_gpus, const Configuration& configuration,
                       const Fleet& fleet);

}  // namespace warploom
