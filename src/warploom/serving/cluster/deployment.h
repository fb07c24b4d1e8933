// What serves a workload: one pool of instances, or a pool that prefills and a pool that decodes.
//
// An instance is what steps together: one replica, or all data-parallel ranks that share a mixture of
// experts. A pool of config.instances copies with data-parallel replicas of a dense model has one instance
// for each replica of each copy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/units.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/serving/cluster/autoscaling.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/kv/kv_tiers.h"
#include "warploom/serving/kv/shared_kv.h"
#include "warploom/serving/pricing/step_pricer.h"
#include "warploom/serving/routing/fleet_rules.h"
#include "warploom/serving/time/sim_time.h"

namespace warploom {

struct PoolPlan {
  std::string name = "engine";
  ServingConfig config;
  const StepPricer* pricer = nullptr;  // cloned for each instance
  KvTierConfig tiers;
  BytesPerSecond cache_bandwidth{1e11};  // of an instance to the caches of the fleet, each way
  AutoscalingConfig autoscaling;
};

// How the keys and values of a prompt get from the engine that prefilled to the one that decodes. Each
// instance sends over one link and receives over one; a transfer uses both for its whole length and waits
// until both are free.
struct KvTransferPlan {
  KvFootprint footprint;  // of the whole model, not of one GPU
  std::int64_t layers = 1;
  BytesPerSecond prefill_bandwidth{1e11};  // of all GPUs of an instance together
  BytesPerSecond decode_bandwidth{1e11};
  Seconds latency;  // from asking to the first byte
  // What precedes one transfer: finding the other side, registering memory, exchanging addresses.
  // Holds no link.
  Seconds handshake{0.0};
  bool layerwise = false;  // layers are sent while later ones are computed; else after the prefill
};

// Instance `instance` of pool `pool` stops at `at` and takes requests again after `down` (absent: never).
// What it held is lost; its requests start over elsewhere from the tokens that their clients have.
struct InstanceFailure {
  std::size_t pool = 0;
  std::size_t instance = 0;
  SimTime at;
  std::optional<SimDuration> down;
};

// Instances that encode images before the first pool takes their requests (encoder_pool.h). Their pricer
// prices images alone.
struct EncoderPlan {
  PoolPlan pool;
  Bytes per_token;                 // of the embeddings of one token of an image
  BytesPerSecond bandwidth{1e11};  // of an instance, one way
  Seconds latency;                 // of one transfer
};

struct Deployment {
  std::vector<PoolPlan> pools;          // one, or prefill and decode
  KvTransferPlan transfer;              // of two pools
  std::optional<EncoderPlan> encoders;  // absent: the first pool encodes
  std::vector<InstanceFailure> failures;
  FleetRules rules;
  SharedKvPlan shared_kv;
  std::uint64_t seed = 1;  // of drafts' acceptance
  bool disaggregated() const { return pools.size() > 1; }
};

// Instances of a pool at the start: copies times data-parallel replicas, over those that step together.
std::int64_t instance_count(const PoolPlan& pool);
// Processes that take requests in: as the rules say, else one for each instance that the first pool may have.
std::int64_t front_ends_of(const Deployment& deployment);

}  // namespace warploom
