#include "warploom/models/rank_placement.h"

#include <algorithm>

namespace warploom {

std::int64_t ranks_in_domain(const GraphOptions& options, std::int64_t ranks, std::int64_t stride) {
  const std::int64_t domain = options.ranks_per_node;
  if (domain == 0 || ranks * stride <= domain) return 0;
  return std::max<std::int64_t>(1, domain / stride);
}

void place_ranks(Collective& op, const GraphOptions& options, std::int64_t stride) {
  op.ranks_per_node = ranks_in_domain(options, op.ranks, stride);
  if (op.ranks_per_node == 0) return;
  op.nic_rate = options.network.nic_rate;
  op.nics_per_node = options.network.nics_per_node;
  op.oversubscription = options.network.oversubscription;
}

bool crosses_behind(const GraphOptions& options, std::int64_t stage, std::int64_t gpus_per_stage) {
  const std::int64_t domain = options.ranks_per_node;
  if (domain == 0) return false;
  // A stage wider than a domain always leaves the one where its ranks' neighbours are.
  return gpus_per_stage >= domain ||
         (stage * gpus_per_stage) / domain != ((stage + 1) * gpus_per_stage) / domain;
}

std::int64_t crossings_between(const GraphOptions& options, std::int64_t stages,
                               std::int64_t gpus_per_stage) {
  std::int64_t crossings = 0;
  for (std::int64_t stage = 0; stage + 1 < stages; ++stage)
    crossings += crosses_behind(options, stage, gpus_per_stage) ? 1 : 0;
  return crossings;
}

}  // namespace warploom
