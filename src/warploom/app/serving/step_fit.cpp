#include "warploom/app/serving/step_fit.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/models/memory_footprint.h"

namespace warploom {
namespace {

// A real engine's batch may hold a little more than the cache is counted to have. Chosen: steps of recorded
// runs must be priced.
constexpr double kRoomError = 1.1;

bool counts_plain_tokens(const ServingSetup& setup) {
  const KvFootprint kept = kv_footprint(setup.model, setup.sharding, setup.graph.kv_cache);
  return kept.windowed_layers == 0 && kept.per_request.value() == 0 &&
         setup.sharding.attention_data_parallel == 1 && setup.config.data_parallel_size == 1;
}

}  // namespace

void check_step_fits(const ServingSetup& setup, std::int64_t longest, std::int64_t held) {
  const std::int64_t most = setup.config.max_model_len.value_or(0);
  if (most > 0 && longest > most)
    throw InvalidInput(
        fmt::format("step: a request of {} tokens is longer than the {} that {} reads, expected at most that",
                    longest, most, setup.model.name));
  const std::int64_t room = setup.kv_cache_tokens();
  if (room <= 0 || double(held) <= kRoomError * double(room) || !counts_plain_tokens(setup)) return;
  throw InvalidInput(fmt::format(
      "step: its requests hold {} tokens and the KV cache has room for {}, expected fewer or shorter "
      "requests, or more GPUs",
      held, room));
}

}  // namespace warploom
