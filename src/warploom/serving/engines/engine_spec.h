// What an engine is, as a value: its flags, defaults, rules, kernels and host constants. One file an engine
// (vllm.cpp, sglang.cpp, trtllm.cpp); engine_registry.h finds them by name, and nothing else in the program
// asks which engine it is. Functions are never null.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/models/architecture.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/operator_graph.h"
#include "warploom/models/sharding.h"
#include "warploom/serving/config/moe_exchange.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/engines/engine_command_line.h"
#include "warploom/serving/engines/engine_flag.h"
#include "warploom/serving/host/host_profile.h"
#include "warploom/serving/pricing/kernel_names.h"
#include "warploom/serving/routing/router.h"

namespace warploom {

class Scheduler;

// What vLLM takes today, and what stands for every engine that has no such choice.
inline constexpr std::string_view kNewestGraphMode = "FULL_AND_PIECEWISE";

// What an engine takes on a GPU where a flag is absent.
struct EngineDefaults {
  std::int64_t max_num_seqs = 0;
  std::int64_t max_num_batched_tokens = 0;
  double gpu_memory_utilization = 0;
  std::optional<std::int64_t> chunked_prefill_size;  // absent: the engine has no such limit
  bool async_scheduling = true;
  std::string_view cudagraph_mode = kNewestGraphMode;
  GraphSizes graph_sizes;
  bool experts_skip_padding = false;  // rows that a graph adds to a step are given no expert
  bool images_wait_apart = false;     // a waiting request whose image finds no budget stops nobody behind it
};

// Which row of an engine's table of versions holds.
struct VersionRow {
  std::string_view since;   // the version of the row
  std::string_view newest;  // the newest version whose source the table was read from
};

// One replica as it is started.
struct EngineLaunch {
  const ServingConfig& config;
  const ModelArchitecture& model;
  const Sharding& sharding;
  const GpuSpec& gpu;
};

struct EngineSpec {
  std::string_view name;  // in ServingConfig::engine
  // Whose measured kernels its own are: a framework of the data. An engine that was never measured names
  // the one whose kernels are nearest.
  std::string_view framework;
  std::span<const EngineFlag> flags;  // its own spellings; those that are the name of a field are left out
  EngineCommandLine command_line;
  EngineManifests manifests;

  // Defaults. `version` as "0.24.0"; empty: the newest known. Those without a function are of all versions.
  std::int64_t block_size = 16;  // tokens in a KV block
  bool chunks_prompts = true;    // splits prompts over steps
  MemoryShare memory_share = MemoryShare::Engine;
  EngineDefaults (*defaults)(const ServingConfig& config, const GpuSpec& gpu, std::string_view version);
  // The row of the version asked for, as `defaults` takes it.
  VersionRow (*version_row)(std::string_view version);
  // Throws InvalidInput on combinations that the engine refuses.
  void (*check)(const ServingConfig& config);

  // Scheduling. Requests of higher priority first, where the configuration says so.
  std::unique_ptr<Scheduler> (*scheduler)(const ServingConfig& config);
  bool (*orders_by_priority)(const ServingConfig& config);
  // Whether a request may be stopped and computed again, its outputs so far as part of the prompt.
  bool (*may_stop_requests)(const ServingConfig& config);
  // The decoding engine of two pools computes a prompt's last token again and gives the first token; else
  // the prefilling engine sends that along.
  bool decoder_gives_first_token = false;
  // A step encodes the images that its tokens meet, within a budget and a cache (batching/encoder_inputs.h);
  // else all images of a prompt with its first tokens.
  bool cuts_at_images = false;
  RoutingPolicy balance = RoutingPolicy::RoundRobin;  // over data-parallel ranks

  // What it reads of a store or of peers: fewer tokens are computed again; a store is reached through host
  // memory alone.
  std::int64_t least_retrieved_tokens = 0;
  bool store_behind_host_memory = false;

  // Parallelism, see parallelism.h.
  ServingConfig (*spread_attention)(ServingConfig config, const ModelArchitecture& model);
  ServingConfig (*ask_for_groups)(ServingConfig config, std::int64_t groups);
  // `links_nodes`: the GPUs' own links join those of several nodes.
  ExpertTransport (*expert_transport)(const ServingConfig& config, const Sharding& sharding,
                                      bool links_nodes);
  // Asks for an exchange by the engine's own names; false where it has none such.
  bool (*ask_for_exchange)(MoeExchange exchange, ServingConfig& config);

  // The graph of a step. CUDA graphs hold steps with parts of prompts too; else those are launched kernel by
  // kernel.
  bool graphs_prompts = false;
  // Prompt tokens of the largest step that has graphs apart from those of decoding ones, 0: none; `version`
  // as `defaults` takes it. Absent: no version of the engine has such.
  std::int64_t (*graphed_prompt_tokens)(const EngineLaunch& launch, std::string_view version) = nullptr;
  GraphSizes prompt_graph_sizes;  // of those
  // Sets what the engine fuses. What holds of the GPUs is set before; `version` as `defaults` takes it.
  void (*fuse)(GraphOptions& graph, const EngineLaunch& launch, std::string_view version);
  WindowedCache (*windowed_cache)(const ModelArchitecture& model, const Sharding& sharding);
  // States of recurrent layers: in blocks, or in a pool of their own; absent: in blocks, and none is kept.
  // `asked_requests`: max_num_seqs where it was asked for.
  KeptStates (*kept_states)(const EngineLaunch& launch, std::string_view version) = nullptr;
  StatePoolRule (*state_pool)(const EngineLaunch& launch,
                              std::optional<std::int64_t> asked_requests) = nullptr;

  // The kernel that runs an operator, by the names of the measured data; an empty kernel: whatever was
  // measured as the default. Throws Unsupported on a backend that was never measured with it.
  KernelContext (*kernel)(const KernelNames& names, const Operator& op, const GpuSpec& gpu);
  // The layers of a model by how they are launched without a CUDA graph; HostProfile has the times.
  LaunchedLayers (*launched_layers)(const ModelArchitecture& model, const GpuSpec& gpu);
};

}  // namespace warploom
