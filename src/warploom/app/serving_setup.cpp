#include "warploom/app/serving_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/batching/scheduler_registry.h"

namespace warploom {
namespace {

ModelArchitecture model_of(const ServingSetupRequest& request) {
  const ModelArchitecture model = load_model(request.model);
  if (request.quantization.empty()) return model;
  return quantize_linears(model, parse_enum<MatmulScheme>(request.quantization, "quantization"));
}

// Collectives of more GPUs than the fast link joins cross nodes.
std::int64_t ranks_per_node(const GpuCatalog& gpus, const GpuSpec& gpu, const Sharding& sharding) {
  const NodeSpec node = NodeCatalog(gpus).node_of(gpu);
  if (sharding.moe_ranks() <= node.gpus_per_node || node.link.spans(sharding.moe_ranks())) return 0;
  return node.gpus_per_node;
}

GpuSpec gpu_of(const ServingSetupRequest& request, GpuCatalog& catalog) {
  return catalog.load_gpu(request.gpu);
}

MemoryShare memory_share(const std::string& engine) {
  if (engine == "sglang") return MemoryShare::StaticPart;
  if (engine == "trtllm") return MemoryShare::FreePart;
  return MemoryShare::Engine;
}

KvCapacityOptions capacity_options(const ServingSetup& setup) {
  KvCapacityOptions options;
  options.gpu_memory_utilization = *setup.config.gpu_memory_utilization;
  options.share = memory_share(setup.config.engine);
  options.max_num_batched_tokens = *setup.config.max_num_batched_tokens;
  options.max_num_seqs = *setup.config.max_num_seqs;
  options.block_size = *setup.config.block_size;
  options.kv_cache = setup.graph.kv_cache;
  return options;
}

void check_memory(ServingSetup& setup) {
  setup.memory =
      require_kv_capacity(setup.model, setup.sharding, setup.gpu->memory_capacity, capacity_options(setup));
  if (!setup.config.num_gpu_blocks_override) setup.config.num_gpu_blocks_override = setup.memory.blocks;
}

}  // namespace

void check_simulated_engine(const std::string& engine) {
  const std::vector<std::string> names = scheduler_names();
  if (std::find(names.begin(), names.end(), engine) != names.end()) return;
  throw Unsupported(fmt::format("engine '{}' is not simulated, expected one of: {}{}", engine,
                                fmt::join(names, ", "), did_you_mean(engine, names)));
}

std::optional<DataType> kv_cache_type(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (name == "fp8" || name == "fp8_e4m3" || name == "fp8_e5m2") return DataType::Fp8;
  if (name == "bfloat16" || name == "bf16") return DataType::Bf16;
  if (name == "float16" || name == "fp16" || name == "half") return DataType::Fp16;
  throw InvalidInput(
      fmt::format("kv_cache_dtype: '{}' is unknown, expected auto, fp8, bfloat16 or float16", name));
}

ServingSetup resolve_serving(const ServingSetupRequest& request, const ModelArchitecture& model,
                             const Sharding& sharding, const LatencyModel& latency, MemoryCheck memory) {
  check_config(request.config);
  GpuCatalog gpus;
  ServingSetup setup;
  setup.model = model;
  setup.gpu = std::make_shared<const GpuSpec>(gpu_of(request, gpus));
  setup.sharding = sharding;
  check_sharding(setup.model, setup.sharding, "sharding");
  setup.config = request.config;
  resolve_defaults(setup.config, *setup.gpu);
  check_config(setup.config);
  if (!setup.config.max_model_len && model.max_positions > 0)
    setup.config.max_model_len = model.max_positions;
  setup.graph.kv_cache = kv_cache_type(setup.config.kv_cache_dtype);
  if (setup.gpu->generation == Generation::Blackwell) setup.graph.mxfp4_scheme = MatmulScheme::MxFp4A8;
  setup.graph.ranks_per_node = ranks_per_node(gpus, *setup.gpu, setup.sharding);
  if (memory == MemoryCheck::Required) check_memory(setup);
  setup.framework = request.framework.empty() ? request.config.engine : request.framework;
  setup.config.host = default_host_model(setup.framework, setup.model.mixture_layers());
  if (request.host_changes) request.host_changes(setup.config.host);
  setup.version = request.version;
  setup.latency = std::make_shared<const ObservedLatency>(latency);
  setup.pricer = std::make_unique<OperatorStepPricer>(
      StepPlan(setup.model, setup.sharding, setup.graph),
      OperatorPricer{setup.latency.get(), setup.gpu.get(), setup.framework, setup.version},
      cuda_graph_sizes(*setup.config.max_num_seqs, setup.config.enforce_eager));
  return setup;
}

ServingSetup resolve_serving(const ServingSetupRequest& request, const LatencyModel& latency,
                             MemoryCheck memory) {
  const ModelArchitecture model = model_of(request);
  return resolve_serving(request, model, sharding_of(request.config, model), latency, memory);
}

}  // namespace warploom
