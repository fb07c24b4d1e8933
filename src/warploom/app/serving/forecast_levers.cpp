#include "warploom/app/serving/forecast_levers.h"

#include <fmt/format.h>

#include <utility>

#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

// Prompt tokens in a step: by a size of chunks where the engine has one, else by the whole step's budget.
void add_budgets(std::vector<Lever>& levers, const ServingConfig& config) {
  if (config.chunked_prefill_size) {
    const std::int64_t tokens = *config.chunked_prefill_size;
    for (const std::int64_t size : {2 * tokens, tokens / 2})
      if (size > 0)
        levers.push_back({fmt::format("chunked_prefill_size {}", size),
                          [=](ServingConfig& changed) { changed.chunked_prefill_size = size; }});
    return;
  }
  const std::int64_t budget = max_num_batched_tokens_of(config);
  for (const std::int64_t tokens : {2 * budget, budget / 2})
    levers.push_back({fmt::format("max_num_batched_tokens {}", tokens),
                      [=](ServingConfig& changed) { changed.max_num_batched_tokens = tokens; }});
  const bool chunked = config.enable_chunked_prefill.value_or(true);
  levers.push_back({fmt::format("enable_chunked_prefill {}", !chunked),
                    [=](ServingConfig& changed) { changed.enable_chunked_prefill = !chunked; }});
}

}  // namespace

std::vector<Lever> levers_of(const ServingConfig& config, bool prefixes) {
  std::vector<Lever> levers;
  add_budgets(levers, config);
  const std::int64_t seqs = max_num_seqs_of(config);
  for (const std::int64_t most : {2 * seqs, seqs / 2})
    if (most > 0)
      levers.push_back({fmt::format("max_num_seqs {}", most),
                        [=](ServingConfig& changed) { changed.max_num_seqs = most; }});
  if (prefixes) {
    const bool cached = config.enable_prefix_caching;
    levers.push_back({fmt::format("enable_prefix_caching {}", !cached),
                      [=](ServingConfig& changed) { changed.enable_prefix_caching = !cached; }});
  }
  const std::int64_t ranks = 2 * config.tensor_parallel_size, instances = config.instances + 1;
  levers.push_back({fmt::format("tensor_parallel_size {}", ranks),
                    [=](ServingConfig& changed) { changed.tensor_parallel_size = ranks; }});
  levers.push_back({fmt::format("instances {}", instances),
                    [=](ServingConfig& changed) { changed.instances = instances; }});
  return levers;
}

}  // namespace warploom
