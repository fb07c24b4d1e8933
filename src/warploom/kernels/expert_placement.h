// Which GPU holds which experts, by the load of each: the balancer that DeepSeek published as EPLB and vLLM
// (vllm/distributed/eplb/policy/default.py) and SGLang (srt/eplb/eplb_algorithms/deepseek.py) run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace warploom {

// Slots are the places for experts, the same number on each rank; with more slots than experts some experts
// have several, its replicas.
struct ExpertSlots {
  std::int64_t slots = 0;   // a multiple of `ranks` and of `nodes`, at least as many as experts
  std::int64_t ranks = 1;   // a multiple of `nodes`
  std::int64_t groups = 1;  // of consecutive experts, a multiple of `nodes`; one group stays in one node
  std::int64_t nodes = 1;
};

// The expert in each slot, rank after rank. Groups are packed into nodes, replicas given one by one to the
// expert whose replicas have most load each, and slots packed onto the node's ranks: each time the heaviest
// that is left goes to the lightest that has room. Equal loads keep their order. One group and one node is
// the global policy, else it is the hierarchical one. `loads` are of the experts, at least zero. O(replicas x
// experts + slots x ranks).
std::vector<std::int32_t> place_experts(std::span<const double> loads, const ExpertSlots& slots);

}  // namespace warploom
