// One deployment of a plan as what is started: its pools with their commands, GPUs, images and machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/app/plan/make_plan.h"
#include "warploom/app/serving/engine_manifests.h"
#include "warploom/serving/engines/engine_spec.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {

// Ports of addresses inside a fleet. An only engine, or the router of several, listens at the first.
inline constexpr std::int64_t kServedPort = 8000;

struct EmittedPool {
  std::string role;  // "engine", "prefill" or "decode"
  std::string gpu, gpu_title;
  std::string gpu_label;  // nvidia.com/gpu.product; empty: not known
  std::int64_t instances = 1, gpus = 1, gpus_per_node = 8;
  EngineShape shape;
  StartCommand command;  // with the flags of its role, without addresses
  const EngineSpec* engine = nullptr;
  const EngineManifest* manifest = nullptr;
  std::string version;  // simulated; where none was asked for, the newest whose defaults are known
  std::string image;    // with its tag

  bool apart() const { return role != "engine"; }
  std::int64_t nodes() const { return (gpus + gpus_per_node - 1) / gpus_per_node; }  // of an instance
  // "4 NVIDIA H100 SXM5 80GB, vllm 0.33.0".
  std::string words() const;
};

struct EmittedFleet {
  std::string model;  // the id that weights are fetched by, or a folder
  std::string name;   // of objects of Kubernetes
  std::vector<EmittedPool> pools;
  double volume_gib = 0;      // that holds the weights
  std::string router_policy;  // of the router in front
  const PlanPoint* point = nullptr;

  std::int64_t instances() const;
  bool apart() const { return pools.size() > 1; }
  // Whether one address needs something in front of the engines, and whether the engine brings that.
  bool needs_router() const { return instances() > 1; }
  bool has_router() const { return !pools.front().manifest->router_package.empty(); }
};

// The deployment plan.search.points[point], which `plan` must outlive. Throws Unsupported on what the engine
// cannot be started with, InvalidInput on drafts without a model.
EmittedFleet emitted_fleet(const PlanRequest& request, const PlanResult& plan, std::size_t point);

// Adds the flags that tell pools apart what they do, as the engine itself takes them. Throws Unsupported
// where it takes none.
void add_pool_roles(EmittedFleet& fleet);

// Program and flags of the router; `engines` of the only pool or the prefilling one, with their bootstrap
// ports where they have such, and `decoders`, all as "http://HOST:PORT".
std::vector<std::string> router_words(const EmittedFleet& fleet, const std::vector<std::string>& engines,
                                      const std::vector<std::string>& decoders);

// Appends words that `text` has between blanks.
void add_words(std::vector<std::string>& words, std::string_view text);

// Throws Unsupported where an instance takes more GPUs than a machine has.
void check_within_node(const EmittedPool& pool, std::string_view format);

}  // namespace warploom
