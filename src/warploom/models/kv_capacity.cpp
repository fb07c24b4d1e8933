#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "warploom/base/divide_up.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_split.h"

namespace warploom {
namespace {

constexpr std::int64_t kMostRanks = 1024;

// The widest outputs of two consecutive operators of one token, in elements.
double widest_outputs(const ModelArchitecture& model, const Sharding& sharding, ExpertRows rows) {
  LayerPlace place = place_of(model, sharding);
  place.expert_rows = rows;
  double widest = 0;
  for (const LayerGroup& group : model.layers) {
    const auto widen = [&](const auto& kind) { widest = std::max(widest, kind.widest_outputs(place)); };
    std::visit(widen, group.mixer);
    if (!sharding.apart()) std::visit(widen, group.feed_forward);
  }
  return widest;
}

struct Need {
  Bytes weights, activations, total;
};

Need memory_need(const ModelArchitecture& model, const Sharding& sharding, const KvCapacityOptions& options) {
  Need need{weight_bytes_per_gpu(model, sharding) + options.extra_weights,
            activation_bytes(model, sharding, options), Bytes(0)};
  need.total = need.weights + options.runtime_reserve;
  if (options.share != MemoryShare::StaticPart) need.total += need.activations;
  return need;
}

// What a feed-forward rank needs: its experts, its share of the pairs of tokens and experts, and where the
// ranks exchange tokens among themselves all that come to any of them.
Bytes feed_forward_need(const ModelArchitecture& model, const Sharding& sharding,
                        const KvCapacityOptions& options) {
  const Sharding side = sharding.feed_forward_side();
  const std::int64_t ranks = sharding.feed_forward_ranks;
  const std::int64_t coming = options.max_num_batched_tokens * sharding.attention_data_parallel;
  KvCapacityOptions of_rank = options;
  of_rank.max_num_batched_tokens = divide_up(coming, ranks * ranks);  // widest_outputs has one of each rank
  of_rank.max_num_seqs = 0;                                           // no logits
  of_rank.expert_rows = ExpertRows::OfAllGroups;
  Bytes need = feed_forward_footprint(model, sharding).total() + options.runtime_reserve;
  if (options.share == MemoryShare::StaticPart) return need;
  need += activation_bytes(model, side, of_rank);
  const double row = 2.0 * static_cast<double>(model.hidden) * bytes_per_element(model.dtype);
  if (!sharding.gate_on_attention && ranks > 1) need += Bytes(row * static_cast<double>(coming));
  return need;
}

// The least feed-forward ranks, more than there are, of which each holds its experts; 0: none.
std::int64_t fitting_feed_forward_ranks(const ModelArchitecture& model, Sharding sharding, Bytes usable,
                                        const KvCapacityOptions& options) {
  const bool whole_experts = sharding.expert_parallel == sharding.feed_forward_ranks;
  while (++sharding.feed_forward_ranks <= kMostRanks) {
    if (whole_experts) sharding.expert_parallel = sharding.feed_forward_ranks;
    try {
      check_sharding(model, sharding, "sharding");
    } catch (const InvalidInput&) {
      continue;  // experts do not divide
    }
    if (feed_forward_need(model, sharding, options) < usable) return sharding.feed_forward_ranks;
  }
  return 0;
}

// Feed-forward ranks that do not hold their experts.
void check_feed_forward(KvCapacity& capacity, const ModelArchitecture& model, const Sharding& sharding,
                        const KvCapacityOptions& options) {
  capacity.feed_forward_weights = feed_forward_footprint(model, sharding).total();
  const Bytes need = feed_forward_need(model, sharding, options);
  if (need < capacity.usable) return;
  capacity.fits = false;
  const std::int64_t ranks = fitting_feed_forward_ranks(model, sharding, capacity.usable, options);
  capacity.explanation = fmt::format(
      "{} does not fit: each of {} feed-forward ranks needs {:.1f} GiB (experts {:.1f}), and {:.1f} GiB "
      "may be used; {}",
      model.name, sharding.feed_forward_ranks, to_gibibytes(need),
      to_gibibytes(capacity.feed_forward_weights), to_gibibytes(capacity.usable),
      ranks > 0 ? fmt::format("`num_ffn_ranks` {} would fit", ranks) : "no number of them would fit");
}

// The same engine over more tensor-parallel ranks; whole-expert parallelism grows along.
std::int64_t least_fitting_tensor_parallel(const ModelArchitecture& model, Sharding sharding, Bytes usable,
                                           const KvCapacityOptions& options) {
  const bool whole_experts = sharding.expert_parallel > 1 && sharding.expert_parallel == sharding.moe_ranks();
  while (sharding.tensor_parallel < kMostRanks) {
    sharding.tensor_parallel *= 2;
    if (whole_experts) sharding.expert_parallel *= 2;
    try {
      if (memory_need(model, sharding, options).total < usable) return sharding.tensor_parallel;
    } catch (const InvalidInput&) {
      return 0;  // the model does not split that far
    }
  }
  return 0;
}

void explain(KvCapacity& capacity, const ModelArchitecture& model, const Sharding& sharding, Bytes gpu_memory,
             const KvCapacityOptions& options) {
  const Bytes needed = memory_need(model, sharding, options).total;
  capacity.fitting_tensor_parallel = least_fitting_tensor_parallel(model, sharding, capacity.usable, options);
  capacity.explanation = fmt::format(
      "{} does not fit: it needs {:.1f} GiB per GPU (weights {:.1f}, activations {:.1f}, runtime {:.1f}) "
      "before any KV "
      "cache, and {:.1f} GiB may be used ({:.0f} % of {:.1f} GiB), {:.1f} GiB too little; ",
      model.name, to_gibibytes(needed), to_gibibytes(capacity.weights), to_gibibytes(capacity.activations),
      to_gibibytes(capacity.reserve), to_gibibytes(capacity.usable), 100.0 * (capacity.usable / gpu_memory),
      to_gibibytes(gpu_memory), to_gibibytes(needed - capacity.usable));
  if (capacity.fitting_tensor_parallel > 0) {
    capacity.explanation +=
        fmt::format("`tensor_parallel_size` {} would fit", capacity.fitting_tensor_parallel);
  } else {
    capacity.explanation +=
        "no tensor_parallel of this model would fit: use more pipeline stages or a larger GPU";
  }
}

}  // namespace

Bytes activation_bytes(const ModelArchitecture& model, const Sharding& sharding,
                       const KvCapacityOptions& options) {
  const double element = bytes_per_element(model.dtype);
  const double per_token =
      (2.0 * static_cast<double>(model.hidden) + widest_outputs(model, sharding, options.expert_rows)) *
      element;
  // Logits as computed, gathered, and twice in fp32 while sampling.
  const double per_row = static_cast<double>(model.vocabulary) * (2.0 * element + 2.0 * 4.0);
  return Bytes(per_token * static_cast<double>(options.max_num_batched_tokens) +
               per_row * static_cast<double>(std::min(options.max_num_seqs, options.max_num_batched_tokens)));
}

namespace {

// The pool of states: as large on every stage, by the least that weights leave and the most that states take.
// The bytes of a request's states there; 0 where they have no pool.
Bytes lay_out_pool(KvCapacity& capacity, const ModelArchitecture& model, const Sharding& sharding,
                   Bytes beside_weights, double share, const KvCapacityOptions& options) {
  if (!options.state_pool) return Bytes(0);
  Bytes state, rest = capacity.usable;
  for (std::int64_t stage = 0; stage < sharding.pipeline_parallel; ++stage) {
    const Bytes weights = weight_footprint(model, sharding, stage).total() + options.extra_weights;
    state = std::max(state, kv_footprint(model, sharding, options.kv_cache, stage).states);
    rest = std::min(rest, share * (capacity.usable - beside_weights - weights));
  }
  if (state.value() > 0) capacity.state_pool = state_pool(*options.state_pool, state, rest);
  return state;
}

}  // namespace

KvCapacity kv_capacity(const ModelArchitecture& model, const Sharding& sharding, Bytes gpu_memory,
                       const KvCapacityOptions& options) {
  check_sharding(model, sharding, "sharding");
  if (!(options.gpu_memory_utilization > 0 && options.gpu_memory_utilization <= 1)) {
    throw InvalidInput(fmt::format("gpu_memory_utilization is {}, expected above 0 and at most 1",
                                   options.gpu_memory_utilization));
  }
  if (options.max_num_batched_tokens < 1 || options.max_num_seqs < 1 || options.block_size < 1) {
    throw InvalidInput("max_num_batched_tokens, max_num_seqs and block_size must be positive");
  }
  const Need need = memory_need(model, sharding, options);
  KvCapacity capacity;
  const double share = options.share == MemoryShare::FreePart ? options.gpu_memory_utilization : 1.0;
  capacity.usable =
      gpu_memory * (options.share == MemoryShare::FreePart ? 1.0 : options.gpu_memory_utilization);
  capacity.weights = need.weights;
  capacity.activations = need.activations;
  capacity.reserve = options.runtime_reserve;
  double blocks = std::numeric_limits<double>::infinity();
  capacity.kv_cache = std::max(Bytes(0), share * (capacity.usable - need.total));
  const Bytes beside_weights = need.total - need.weights;
  const Bytes state = lay_out_pool(capacity, model, sharding, beside_weights, share, options);
  for (std::int64_t stage = 0; stage < sharding.pipeline_parallel; ++stage) {
    const Bytes weights = weight_footprint(model, sharding, stage).total() + options.extra_weights;
    const Bytes left = share * (capacity.usable - beside_weights - weights) - capacity.state_pool.bytes;
    KvFootprint footprint = kv_footprint(model, sharding, options.kv_cache, stage);
    if (state.value() > 0) footprint.per_request -= footprint.states;
    const KvBlocks kv = kv_blocks(footprint, options.windowed, options.block_size, options.extra_kv_per_token,
                                  options.kept_states);
    if (kv.block.value() <= 0 || left / kv.block >= blocks) continue;
    blocks = left / kv.block;
    capacity.layout = kv.layout;
  }
  const double most = 9e15 / static_cast<double>(options.block_size);  // a model without a growing cache
  capacity.blocks = static_cast<std::int64_t>(std::floor(std::clamp(blocks, 0.0, most)));
  capacity.tokens = capacity.layout.tokens(capacity.blocks, options.block_size);
  capacity.fits = capacity.blocks > 0;
  if (!capacity.fits) explain(capacity, model, sharding, gpu_memory, options);
  if (capacity.fits && state.value() > 0 && capacity.state_pool.requests < 1) {
    capacity.fits = false;
    capacity.explanation = explain_pool(*options.state_pool, capacity.state_pool, state);
  }
  if (capacity.fits && sharding.apart()) check_feed_forward(capacity, model, sharding, options);
  return capacity;
}

KvCapacity require_kv_capacity(const ModelArchitecture& model, const Sharding& sharding, Bytes gpu_memory,
                               const KvCapacityOptions& options) {
  KvCapacity capacity = kv_capacity(model, sharding, gpu_memory, options);
  if (!capacity.fits) throw InvalidInput(capacity.explanation);
  return capacity;
}

}  // namespace warploom
