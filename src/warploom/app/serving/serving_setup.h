// From names and engine flags to everything a serving run needs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warploom/app/serving/afd_breakdown.h"
#include "warploom/app/serving/host_settings.h"
#include "warploom/base/file_scope.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/operator_graph.h"
#include "warploom/serving/cluster/deployment.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/field_topics.h"
#include "warploom/serving/pricing/operator_step_pricer.h"
#include "warploom/serving/simulation_options.h"

namespace warploom {

struct ServingSetupRequest {
  std::string model;  // a name, or the path of a config.json
  std::string gpu;    // a name, an alias, or the path of a record
  ServingConfig config;
  std::string quantization;    // a MatmulScheme for every linear layer; empty = as the checkpoint is stored
  std::string framework;       // whose kernels and host constants are used; empty = config.engine
  std::string vision_encoder;  // as load_vision_encoder takes it; empty: the model's own
  std::int64_t image_tokens = 0;  // of each image of the workload; 0: as the source of requests says
  bool reads_images = false;      // prompts have some, and this pool encodes them; set by the use cases
  std::string version;            // of the framework; empty = unknown
  std::string day;  // of a version that is no release: it is no newer; as "20260402", empty = unknown
  std::string expert_routing;  // as parse_expert_routing takes it; empty: GraphOptions's own
  std::string require_tier;    // as check_required_tier takes it; read by the use cases
  std::string predictor;       // as open_latency_model takes it; not read by resolve_serving
  NodeNetwork network;         // of collectives across nodes and of pools; absent figures: the node record's
  HostSettings host;           // for the framework; takes the place of config.host
  FileScope files = FileScope::machine();  // where names may be paths, those inside `config` too
  static FieldTable describe();
};

// Ready to run. Every operator of it is priced by operators().
struct ServingSetup {
  ModelArchitecture model;
  std::shared_ptr<const GpuSpec> gpu;
  Sharding sharding;
  GraphOptions graph;
  ServingConfig config;  // every default filled in; KV blocks set where the memory was checked
  KvCapacity memory;     // zero where it was not checked
  KernelNames kernels;
  std::shared_ptr<const LatencyModel> latency;
  std::unique_ptr<StepPricer> pricer;  // of whole steps
  KvTierConfig tiers;                  // where the memory was checked

  PoolPlan pool(std::string name) const {
    return {.name = std::move(name), .config = config, .pricer = pricer.get(), .tiers = tiers};
  }
  // Valid while the setup lives.
  OperatorPricer operators() const { return {latency.get(), gpu.get(), kernels}; }
  std::string host_profile;  // the name of the profile that config.host is made of
  // config.host where machines of its kind, or what was measured of this one, are at their ends (p10, p90).
  HostModel host_least, host_most;
  const HostModel& host_at(StepTime time) const {
    return time == StepTime::Low ? host_least : time == StepTime::High ? host_most : config.host;
  }
  MeasuredAt measured_at = MeasuredAt::Client;
  Seconds handshake{0.0};        // of a transfer to or from the engine, before its first byte
  std::string defaults_version;  // whose defaults are taken, where the engine's table does not reach
  std::string priced_version;    // in place of one that was never measured; empty: as it was asked for
  // As "vllm 0.24.0" or "vllm 9.9.9 (never measured: kernels of 0.24.0)".
  std::string engine_text() const;
  // How tokens choose experts, as parse_expert_routing takes it; empty where there are none.
  std::string expert_routing() const;
  // Absent where experts are where attention is.
  std::optional<AfdLabel> afd() const;
  // Tokens whose keys and values one replica holds; 0 where the memory was not checked.
  std::int64_t kv_cache_tokens() const;
};

// Whether a model that leaves no memory for requests is refused and KV blocks are counted. Unchecked runs
// price what a real engine is known to have run.
enum class MemoryCheck { Required, None };

// The element type of the KV cache by vLLM's names; absent for "auto". Throws InvalidInput.
std::optional<DataType> kv_cache_type(const std::string& kv_cache_dtype);

// What `engine` launches for a step of the setup's model on its GPUs.
LaunchedLayers launched_layers(const EngineSpec& engine, const ServingSetup& setup);

// Throws Unsupported unless the engine's scheduler is one that can be simulated.
void check_simulated_engine(const std::string& engine);

// Throws NotFound (names), InvalidInput (values, sharding; a model that does not fit: by how much, and what
// would fit), Unsupported (architecture). The setup shares `latency` and is the only way to its prices.
ServingSetup resolve_serving(const ServingSetupRequest& request, std::shared_ptr<const LatencyModel> latency,
                             MemoryCheck memory = MemoryCheck::Required);

// The same from a resolved model and a sharding of one's own.
ServingSetup resolve_serving(const ServingSetupRequest& request, const ModelArchitecture& model,
                             const Sharding& sharding, std::shared_ptr<const LatencyModel> latency,
                             MemoryCheck memory = MemoryCheck::Required);

}  // namespace warploom
