// The configurations that a plan looks at: the product of a few lists.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/planner/configuration.h"

namespace warploom {

// Whether one pool serves requests whole, or one computes prompts and another produces tokens.
enum class PoolLayout { Aggregated, Disaggregated, Both };
template <>
struct EnumNames<PoolLayout> {
  static constexpr std::array<std::pair<PoolLayout, std::string_view>, 3> kNames{
      {{PoolLayout::Aggregated, "aggregated"},
       {PoolLayout::Disaggregated, "disaggregated"},
       {PoolLayout::Both, "both"}}};
};

// A switch of the engine that is fixed or tried both ways.
enum class Tried { Off, On, Both };
template <>
struct EnumNames<Tried> {
  static constexpr std::array<std::pair<Tried, std::string_view>, 3> kNames{
      {{Tried::Off, "off"}, {Tried::On, "on"}, {Tried::Both, "both"}}};
};

struct SearchSpace {
  std::vector<std::string> gpus;     // names or paths, as GpuCatalog::load_gpu takes them
  std::vector<std::string> engines;  // "NAME" or "NAME:VERSION"; empty: the default engine
  std::vector<std::int64_t> tensor_parallel{1, 2, 4, 8};
  std::vector<std::int64_t> pipeline_parallel{1};
  std::vector<std::int64_t> data_parallel;  // within an instance, of mixtures of experts; empty: 1
  Tried expert_parallel = Tried::Both;      // of mixtures of experts
  PoolLayout pools = PoolLayout::Aggregated;
  std::vector<std::string> quantizations;            // of the linear layers; "stored" or empty: as it is
  std::vector<std::int64_t> max_num_seqs;            // empty: the engine's default
  std::vector<std::int64_t> max_num_batched_tokens;  // the same
  Tried prefix_caching = Tried::On;
  std::vector<std::string> speculations;  // "none", "METHOD:TOKENS", "METHOD:TOKENS:MODEL"
  std::vector<double> kv_offloading_gib;  // host memory for evicted prefixes; empty: none
  // For mixtures of experts: GPUs that hold experts apart from attention, 0 for none; of pools that produce
  // tokens alone. Their micro-batches, and replicas of experts.
  std::vector<std::int64_t> feed_forward_ranks{0};
  std::vector<std::int64_t> micro_batches{2};
  std::vector<std::int64_t> redundant_experts{0};
  std::vector<std::string> moe_exchanges;  // of experts spread whole, MoeExchange; empty: the engine's own
  std::vector<std::int64_t> encoder_instances{0};  // that encode images alone; 0: the engines encode
  Tried shared_caches = Tried::On;                 // the store and peers that the plan is asked with
  std::vector<std::string> routing_policies;       // over instances; empty: the plan's own
  std::int64_t max_gpus = 64;                      // of a whole deployment

  static FieldTable describe();
};

// What `space` says of an entry of `engines`: its name and its version, which may be empty.
std::pair<std::string, std::string> engine_and_version(const std::string& entry);

// Calls `visit` with every configuration in a fixed order, without names being looked up. Expert
// parallelism is varied for a mixture of experts alone. Throws InvalidInput on an empty list of GPUs and on
// sizes below 1. O(product of the lists).
void visit_configurations(const SearchSpace& space, bool mixture,
                          const std::function<void(const Configuration&)>& visit);

// The fleets of a configuration with at most `max_gpus` GPUs and more than `spare` instances in each pool,
// cheapest first; `price` is of the whole fleet, ties go to fewer decoding instances. With `gpu_count` above
// 0: only those of so many GPUs.
std::vector<Fleet> fleets_of(const Configuration& configuration, std::int64_t max_gpus,
                             std::int64_t gpu_count, std::int64_t spare,
                             const std::function<double(const Fleet&)>& price);

}  // namespace warploom
