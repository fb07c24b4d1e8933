// What a configuration means for its engine: absent flags filled in, and the rules that hang on both.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/cuda_graph.h"

namespace warploom {

// Fills what is absent the way the engine does, see EngineSpec. `version` as "0.24.0"; empty: the newest
// known.
void resolve_defaults(ServingConfig& config, const GpuSpec& gpu, std::string_view version = {});

// Whether prompts may be split over steps: as configured, else the engine's.
bool chunks_prompts(const ServingConfig& config);
// Tokens in a KV block: as configured, else the engine's.
std::int64_t block_size_of(const ServingConfig& config);
// Whether the next step is chosen while one runs: as configured, else true.
bool schedules_ahead(const ServingConfig& config);
// The step sizes that run as CUDA graphs, see cuda_graph.h; `query_tokens` of each decoding request.
std::vector<std::int64_t> graph_sizes_of(const ServingConfig& config, std::int64_t query_tokens = 1);
// The sizes of steps with parts of prompts where those have graphs of their own; empty: they have none.
std::vector<std::int64_t> prompt_graph_sizes_of(const ServingConfig& config);
// Which steps run as CUDA graphs, and as how many.
GraphLimits graph_limits_of(const ServingConfig& config);

// How the engine's front end gives requests out to its data-parallel ranks; RoundRobin with one rank.
RoutingPolicy balance_of(const ServingConfig& config);

// Throws InvalidInput on values out of range and combinations the engine refuses, NotFound on an engine that
// is not known.
void check_config(const ServingConfig& config);

}  // namespace warploom
