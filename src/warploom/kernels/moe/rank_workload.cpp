#include "warploom/kernels/moe/rank_workload.h"

#include <algorithm>
#include <cmath>

namespace warploom {
namespace {

bool clamps_remote_choices(const ContextKernel& kernel) {
  return kernel.hints.clamps_remote_choices &&
         (kernel.known == KnownKernel::MoeTriton || kernel.known == KnownKernel::MoeMarlin);
}

// Tokens with a choice among the rank's experts.
double tokens_of_rank(const FusedMoe& op, const RoutingLoad& load) {
  const double tokens = double(op.tokens), top_k = double(op.top_k);
  if (routes_evenly(op)) {
    // A token's choices lie a stride of experts / top-k apart, so few have two here.
    const double held = std::max(load.experts_held, 1.0);
    return std::clamp(load.pairs / std::max(1.0, held * top_k / double(op.experts)), 1.0, tokens);
  }
  const double busiest = std::min(load.busiest_pairs / tokens, 1.0);
  const double others = std::max(load.experts_hit - 1, 1.0);
  const double each = std::clamp((load.pairs / tokens - busiest) / others, 0.0, 1.0);
  const double missed = (1 - busiest) * std::exp(others * std::log1p(-std::min(each, 1 - 1e-9)));
  return std::clamp(tokens * (1 - missed), load.pairs / top_k, tokens);
}

// `more` further pairs on an expert that has `had`.
void add_to_expert(RoutingLoad& load, double had, double more) {
  const auto added = [&](double height) {
    return std::max(std::ceil((had + more) / height - 1e-9) - std::ceil(had / height - 1e-9), 0.0);
  };
  for (std::size_t i = 0; i < kRowBlocks.size(); ++i) load.row_tiles[i] += added(double(kRowBlocks[i]));
  load.row_tiles_48 += added(48);
  load.pairs += more;
  load.busiest_pairs = std::max(load.busiest_pairs, had + more);
}

}  // namespace

RankWorkload rank_workload(const FusedMoe& op, const RoutingLoad& load, const ContextKernel& kernel) {
  RankWorkload work{load, double(op.tokens), double(op.tokens) * double(op.top_k)};
  // Files of tuned tiles are for all experts of a model, not for a rank's.
  work.untuned = op.expert_parallel > 1 && kernel.hints.engine == Engine::Sglang &&
                 kernel.known == KnownKernel::MoeTriton;
  if (op.expert_parallel <= 1 || !clamps_remote_choices(kernel)) return work;
  work.tokens = tokens_of_rank(op, load);
  work.choices = work.tokens * double(op.top_k);
  const double remote = work.choices - load.pairs;
  if (remote > 0) add_to_expert(work.load, load.pairs / std::max(load.experts_hit, 1.0), remote);
  return work;
}

}  // namespace warploom
