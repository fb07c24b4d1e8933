// A live request inside an engine. Token counts follow vLLM's: `computed_tokens` have keys and values in the
// cache (or are being computed by a batch in flight), `known_tokens` are the prompt and the outputs whose
// computation is scheduled.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/serving/kv/kv_cache.h"
#include "warploom/serving/kv/prefix_hash.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

// What an engine is asked to do with a request. Fresh requests have only the first three.
struct EngineRequest {
  std::uint32_t request = 0;  // index into the workload
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t images = 0;           // in the prompt
  std::int32_t thinking_tokens = 0;  // of the outputs, before the answer
  std::int32_t priority = 0;         // lower is served first, where the policy looks at it
  std::int32_t outputs_before = 0;   // the client has them already, from an engine that failed
  std::int32_t outputs_coming = 0;   // come with the remote keys and values: the token that a prefill gave
  std::int32_t remote_tokens = 0;    // keys and values that another engine holds and sends
  SimTime arrival{}, first_token{}, last_token{}, first_answer{};
  bool encoded = false;  // its images, by an instance that encodes alone
};

// What every step of a decoding request reads and writes comes first, in one line of the processor's cache: a
// simulation walks over all running sequences twice a step, and waits for memory more than it computes.
struct alignas(64) Sequence {
  std::int32_t input_tokens = 0;
  std::int32_t output_tokens = 0;
  std::int32_t computed_tokens = 0;
  std::int32_t outputs_scheduled = 0;
  std::int32_t outputs_emitted = 0;
  std::int32_t room_tokens = 0;      // tokens from the start that have their blocks
  std::int32_t thinking_tokens = 0;  // of the outputs, before the answer
  bool was_scheduled = false;
  bool done = false;  // all outputs are given; the slot may be reused
  bool awaits_token =
      false;             // its token is on the way through a pipeline, and nothing goes on before it is back
  bool encoded = false;  // its images, by an instance that encodes alone
  SimTime last_token, first_token, first_answer;
  std::uint32_t identity = 0;  // what draws depend on, see Workload::origin
  std::uint32_t request = 0;

  std::int32_t blocks = 0;         // of the KV cache, shared ones included
  std::int32_t branch_tokens = 0;  // where the prompt leaves others, and no state was kept
  std::int32_t state_tokens = 0;   // up to which states were kept for prefixes
  std::int32_t cached_tokens = 0;  // found in the prefix cache (of any tier) when first admitted
  std::int32_t preemptions = 0;
  std::int32_t images = 0;  // in its prompt
  std::int32_t priority = 0;
  std::int32_t remote_tokens = 0;    // to be fetched from another engine before anything is computed
  std::int32_t fetching_tokens = 0;  // being fetched, from another engine or a lower tier
  SimTime arrival, taken_in, scheduled;
  // Units of the prefix cache, in order from the start of the prompt; unit `hashed_units` and later ones are
  // not offered to the cache yet.
  std::vector<KvCache::Unit> units;
  std::int32_t hashed_units = 0;
  // Hashes of the prompt's prefixes as far as they were asked for, and where to go on.
  std::vector<std::uint64_t> hashes;
  PrefixHasher hasher;

  std::int32_t known_tokens() const { return input_tokens + outputs_scheduled; }
  // Tokens that are known and not computed.
  std::int32_t rest() const { return known_tokens() - computed_tokens; }
  // Every output is scheduled; only the batches in flight keep it alive.
  bool draining() const { return outputs_scheduled == output_tokens; }
  // Nothing to schedule now, nor to stop.
  bool idle() const { return draining() || awaits_token; }
  // One token after another, rather than a prompt (or what a preemption made one again).
  bool decodes() const { return outputs_scheduled > 0 && rest() == 1; }
};

// A sequence's place in the pool; it keeps its slot from arrival to completion.
using Slot = std::uint32_t;

}  // namespace warploom
