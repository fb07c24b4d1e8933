// What a plan may choose: one engine configuration, and how many of it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace warploom {

// How one instance of a pool is spread over GPUs. `gpu` is an index into SearchSpace::gpus.
struct EngineShape {
  std::size_t gpu = 0;
  std::int64_t tensor_parallel = 1, pipeline_parallel = 1, data_parallel = 1;
  bool expert_parallel = false;
  std::int64_t redundant_experts = 0;   // placed by load where there are some
  std::int64_t feed_forward_ranks = 0;  // GPUs that hold the experts apart from attention; 0: none
  std::int64_t micro_batches = 0;       // of those apart
  std::size_t exchange = 0;             // 1 + index into the space's moe_exchanges; 0: the engine's own
  std::int64_t gpus() const {
    return tensor_parallel * pipeline_parallel * data_parallel + feed_forward_ranks;
  }
  auto operator<=>(const EngineShape&) const = default;
};

// Everything but the number of instances. The first three are indices into the lists of the space; 0 stands
// for the engine's default in the two limits.
struct Configuration {
  std::size_t engine = 0, quantization = 0, speculation = 0;
  std::int64_t max_num_seqs = 0, max_num_batched_tokens = 0;
  bool prefix_caching = true;
  double kv_offloading_gib = 0;
  std::size_t routing = 0;            // index into the space's routing_policies
  EngineShape shape;                  // of the only pool, or of the one that computes prompts
  std::optional<EngineShape> decode;  // of the pool that produces tokens, where there is one
  // Instances that encode images and nothing else, on one GPU each of the kind of `shape`.
  std::int64_t encoders = 0;
  bool shared_caches = false;  // the store and peers that the plan is asked with
  auto operator<=>(const Configuration&) const = default;
};

// Instances of each pool; decode is 0 where one pool does both.
struct Fleet {
  std::int64_t instances = 1, decode = 0;
  auto operator<=>(const Fleet&) const = default;
};

inline std::int64_t gpus_of(const Configuration& configuration, const Fleet& fleet) {
  return configuration.encoders + configuration.shape.gpus() * fleet.instances +
         (configuration.decode ? configuration.decode->gpus() * fleet.decode : 0);
}

}  // namespace warploom
