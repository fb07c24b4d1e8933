#include "warploom/serving/batching/rank_balance.h"

#include <algorithm>

namespace warploom {

bool RankBalance::prompts_wait(std::span<const RankLoad> ranks) {
  if (!config_.on || ranks.size() < 2) return false;
  const auto all = [&](auto holds) { return std::all_of(ranks.begin(), ranks.end(), holds); };
  // A rank without any request decodes a dummy one as long as another has some.
  const bool all_decode = all([](const RankLoad& rank) { return rank.decodes || !rank.prompts; });
  if (all([](const RankLoad& rank) { return rank.prompts && rank.has_place; })) {
    steps_ = 0;
    if (!all_decode) return false;
    if (batching_steps_ < config_.batching_steps) {
      ++batching_steps_;
      return true;
    }
    batching_steps_ = 0;
    return false;
  }
  if (++steps_ < config_.timeout_steps && all_decode) return true;
  steps_ = 0;
  return false;
}

}  // namespace warploom
