// Bytes and parameters of a model, whole and on one GPU.
//
// Counted: every matrix, embeddings, router, norms, qkv biases, and for MLA the 16-bit copies of the key and
// value expansions that absorbed decoding keeps. Left out: other biases (below 0.1 % of any known model),
// multi-token-prediction layers, vision towers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warploom/base/units.h"
#include "warploom/models/architecture.h"
#include "warploom/models/kv_layout.h"
#include "warploom/models/layers/layer_place.h"
#include "warploom/models/sharding.h"
#include "warploom/models/state_pool.h"

namespace warploom {

struct ParameterCounts {
  double total = 0;
  double active = 0;     // that one token uses: top_k of the routed experts, everything else
  double embedding = 0;  // input and output tables (one when tied), included in both
};
ParameterCounts parameter_counts(const ModelArchitecture& model);

// Bytes of one element as stored, scales included; group_size 0 = the scheme's usual group. `scale_bytes`: of
// a group of 4-bit weights alone.
double stored_bytes_per_element(MatmulScheme scheme, std::int64_t group_size, double scale_bytes = 2.0);

struct WeightFootprint {
  Bytes attention, mlp, experts, embeddings, other;
  Bytes total() const { return attention + mlp + experts + embeddings + other; }
};
// Weights of one GPU of a pipeline stage; of a replica that has them apart, of one attention rank.
WeightFootprint weight_footprint(const ModelArchitecture& model, const Sharding& sharding,
                                 std::int64_t stage = 0);
// Weights of one feed-forward rank of a replica that has them apart.
WeightFootprint feed_forward_footprint(const ModelArchitecture& model, const Sharding& sharding);
// Weights of the fullest GPU over all stages; as weight_footprint has it.
Bytes weight_bytes_per_gpu(const ModelArchitecture& model, const Sharding& sharding);

// What one GPU of a stage caches for requests.
struct KvFootprint {
  Bytes full_per_token;      // layers that keep every token
  Bytes windowed_per_token;  // layers that keep the last `window` tokens
  std::int64_t window = 0;
  Bytes per_request;  // recurrent states, and windows beside a compressed cache: any length
  std::int64_t full_layers = 0, windowed_layers = 0;
  std::int64_t state_layers = 0;  // that keep a recurrent state and nothing of a token
  Bytes widest_state;             // of those layers
  Bytes states;                   // of all of them, for one request
  // Bytes of a request with that many tokens in the cache.
  Bytes of_request(std::int64_t tokens) const;
  // Per token when every layer keeps every token, as engines without per-layer block tables allocate.
  Bytes per_token() const { return full_per_token + windowed_per_token; }
};
// kv_cache absent: the checkpoint's. KV heads are replicated when tensor_parallel exceeds them; the MLA
// latent is whole on every rank; context parallelism leaves each its share of the tokens.
KvFootprint kv_footprint(const ModelArchitecture& model, const Sharding& sharding,
                         std::optional<DataType> kv_cache = std::nullopt, std::int64_t stage = 0);

// What gpu_memory_utilization is a share of, by engine.
enum class MemoryShare {
  Engine,      // vLLM: everything the engine uses
  StaticPart,  // SGLang: weights and KV cache; temporary tensors live outside
  FreePart,    // TensorRT-LLM: what weights and temporary tensors leave
};

// How an engine keeps layers that see a window.
enum class WindowedCache {
  Whole,     // every token, in the blocks of the other layers: TensorRT-LLM unless told otherwise
  Released,  // vLLM's hybrid cache: in blocks of their own, given back behind the window
  OwnPool,   // SGLang: in a pool of their own of 0.8 times the tokens (server_args.py, swa_full_tokens_ratio)
};

// States in blocks of the cache where it is Released, beside the one of a request.
struct KeptStates {
  StateKeeping keeping = StateKeeping::None;
  std::int64_t of_drafts = 0;  // tokens that a step may verify beside the sure one: each has a state
};

// The blocks of one stage: how a request takes them, and the bytes of one.
struct KvBlocks {
  KvLayout layout;
  Bytes block;
};
// `extra_per_token` is kept for every token beside the model's own. block_size >= 1; block 0 when nothing
// grows with a request's tokens. Throws Unsupported where Released and of the bytes that full and windowed
// layers keep of a token neither is a multiple of the other.
KvBlocks kv_blocks(const KvFootprint& footprint, WindowedCache windowed, std::int64_t block_size,
                   Bytes extra_per_token = Bytes(0), const KeptStates& kept = {});

struct KvCapacityOptions {
  double gpu_memory_utilization = 0.9;  // vLLM's default up to 0.19
  MemoryShare share = MemoryShare::Engine;
  std::int64_t max_num_batched_tokens = 2048;
  std::int64_t max_num_seqs = 256;
  std::int64_t block_size = 16;
  WindowedCache windowed = WindowedCache::Whole;
  std::optional<DataType> kv_cache;
  // CUDA context, communicators and library workspaces; engines report 0.4 to 1.2 GiB. An estimate.
  Bytes runtime_reserve = gibibytes(0.75);
  ExpertRows expert_rows = ExpertRows::OfAllGroups;  // by what brings tokens to their experts
  // On one GPU beside the model's own: a drafter's, adapters.
  Bytes extra_weights{0};
  Bytes extra_kv_per_token{0};
  KeptStates kept_states;
  std::optional<StatePoolRule> state_pool;  // states have a pool of their own, beside the cache
};

// Peak of temporary tensors in a step of max_num_batched_tokens, on the fullest GPU. An estimate: hidden
// state and residual, the widest pair of consecutive outputs, and the sampler's logits.
Bytes activation_bytes(const ModelArchitecture& model, const Sharding& sharding,
                       const KvCapacityOptions& options = {});

struct KvCapacity {
  bool fits = false;
  Bytes usable, weights, activations, reserve;  // of the fullest GPU; usable = what may hold all of this
  Bytes kv_cache;                               // what is left; 0 when it does not fit
  std::int64_t tokens = 0, blocks = 0;  // of one attention-data-parallel rank; tokens: without windows
  KvLayout layout;                      // how a request takes the blocks
  StatePool state_pool;                 // of the fullest stage; no slots where states have none
  Bytes feed_forward_weights;           // of one feed-forward rank where they are apart, which caches nothing
  std::int64_t fitting_tensor_parallel =
      0;                    // when it does not fit: the least that would; 0 = none up to 1,024
  std::string explanation;  // one sentence when it does not fit: needs, has, what would fit
};
// An ordinary outcome: a model that does not fit is reported, not thrown. Throws InvalidInput on a sharding
// that check_sharding refuses, or a utilization outside (0, 1].
KvCapacity kv_capacity(const ModelArchitecture& model, const Sharding& sharding, Bytes gpu_memory,
                       const KvCapacityOptions& options = {});
// The same; throws InvalidInput with the explanation when it does not fit.
KvCapacity require_kv_capacity(const ModelArchitecture& model, const Sharding& sharding, Bytes gpu_memory,
                               const KvCapacityOptions& options = {});

}  // namespace warploom
