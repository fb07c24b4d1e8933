// vLLM. Paths are of its repository.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/serving/batching/vllm_scheduler.h"
#include "warploom/serving/engines/additional_config.h"
#include "warploom/serving/engines/attention_groups.h"
#include "warploom/serving/engines/compilation_config.h"
#include "warploom/serving/engines/delta_net_kernels.h"
#include "warploom/serving/engines/engine_spec.h"
#include "warploom/serving/engines/eplb_config.h"
#include "warploom/serving/engines/kept_states.h"
#include "warploom/serving/engines/speculation_flags.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace vllm {  // named: engines call their functions alike and are compiled as one

constexpr std::string_view kName = name_of(Engine::Vllm);

// The command that starts it

constexpr std::array<LaunchWord, 2> kPrograms{
    {{"vllm", true}, {"vllm.entrypoints.openai.api_server", false}}};
constexpr std::array<std::string_view, 3> kCompilationPrefixes{"-cc.", "--compilation-config.",
                                                               "--compilation_config."};
constexpr std::array<std::string_view, 3> kDraftPrefixes{"-sc.", "--speculative-config.",
                                                         "--speculative_config."};
constexpr std::array<std::string_view, 2> kBalancePrefixes{"--eplb-config.", "--eplb_config."};
constexpr std::array<std::string_view, 2> kAdditionalPrefixes{"--additional-config.", "--additional_config."};
constexpr std::array<JsonFlag, 7> kJsonFlags{
    {{"additional_config", kAdditionalPrefixes, apply_additional_config, apply_additional_entry},
     {"compilation_config", kCompilationPrefixes, apply_compilation_config, apply_compilation_entry},
     {"speculative_config", kDraftPrefixes, apply_speculative_config, apply_speculative_entry},
     {"eplb_config", kBalancePrefixes, apply_eplb_config, apply_eplb_entry},
     {"spec_method", {}, apply_spec_method, nullptr},
     {"spec_model", {}, apply_spec_model, nullptr},
     {"spec_tokens", {}, apply_spec_tokens, nullptr}}};
constexpr std::array<std::string_view, 1> kFileFlags{"config"};
// docs/features/nixl_connector_usage.md; Dynamo's workers: dynamo/vllm/args.py, which refuses one of prompts
// without its transfers.
constexpr std::string_view kKvFlags =
    R"(--kv-transfer-config {"kv_connector":"NixlConnector","kv_role":"kv_both"})";
constexpr std::string_view kDynamoPrefill =
    "--disaggregation-mode prefill "
    R"(--kv-transfer-config {"kv_connector":"NixlConnector","kv_role":"kv_both"})";
constexpr std::string_view kDynamoDecode =
    "--disaggregation-mode decode "
    R"(--kv-transfer-config {"kv_connector":"NixlConnector","kv_role":"kv_both"})";
constexpr EngineManifests kManifests{.image = "vllm/vllm-openai",
                                     .prefill_flags = kKvFlags,
                                     .decode_flags = kKvFlags,
                                     .dynamo_image = "nvcr.io/nvidia/ai-dynamo/vllm-runtime",
                                     .dynamo_module = "dynamo.vllm",
                                     .dynamo_model_flag = "--model",
                                     .dynamo_prefill_flags = kDynamoPrefill,
                                     .dynamo_decode_flags = kDynamoDecode,
                                     .flags_are_fields = true};

// Defaults

// Sizes of version 0.11.0 and before: multiples of 8 (vllm/config, cuda_graph_sizes); later ones are those of
// GraphSizes itself (_set_cudagraph_sizes in vllm/config/vllm.py).
constexpr std::array<GraphStretch, 1> kOldStretches{{{8, 8}}};
constexpr GraphSizes kOldGraphSizes{.stretches = kOldStretches};

// vllm/engine/arg_utils.py, get_batch_defaults: GPUs of at least 70 GiB other than A100 are large. What
// changed: 0.11.0 captures whole decoding steps beside the pieces of the others (pull request 25444);
// 0.11.1 captures every 16th size above 256; 0.14.0 chooses the next step while one runs (pull request
// 27614, as its release notes say); 0.20.0 takes 0.92 of the memory (config/cache.py); 0.27.0 gives no expert
// to rows that a graph adds (envs.py, VLLM_MOE_SKIP_PADDING, off by default in 0.25 and 0.26); 0.28.0 gives
// GPUs of at least 160 GiB 16,384 tokens a step and captures up to 1,024 tokens on sm_100 and sm_103
// (config/vllm.py, _set_cudagraph_sizes); 0.33.0 counts sm_121 among the small and lets requests pass one
// whose image finds no budget (v1/core/sched/scheduler.py, not yet in 0.32.0); DeepEP's low-latency kernels
// get little steps in 0.20.0, not in 0.14.0, and nothing between was read. Read in the sources of 0.14.0,
// 0.17.0, 0.19.0 to 0.20.0 and 0.22.0 to 0.33.0: no other of these defaults changed. From 0.29.0 on
// max_num_seqs itself is captured too where it fits, which differs where it is no multiple of 16 alone.
struct VllmVersion {
  std::string_view since, released;
  double gpu_memory_utilization;
  bool async_scheduling;
  std::string_view cudagraph_mode;
  GraphSizes graph_sizes;
  bool little_expert_steps = false;   // as of 0.20.0
  bool experts_skip_padding = false;  // as of 0.27.0
  bool knows_blackwell = false;       // as of 0.28.0
  bool sm121_is_small = false;        // as of 0.33.0
  bool images_wait_apart = false;     // likewise
};
constexpr std::string_view kNewestVllm = "0.33.0";
constexpr std::array<VllmVersion, 8> kVersions{{
    {"0.8.0", "20250318", 0.9, false, "PIECEWISE", kOldGraphSizes},
    {"0.11.0", "20251004", 0.9, false, kNewestGraphMode, kOldGraphSizes},
    {"0.11.1", "20251119", 0.9, false, kNewestGraphMode, {}},
    {"0.14.0", "20260120", 0.9, true, kNewestGraphMode, {}},
    {"0.20.0", "20260427", 0.92, true, kNewestGraphMode, {}, true},
    {"0.27.0", "20260811", 0.92, true, kNewestGraphMode, {}, true, true},
    {"0.28.0", "20260826", 0.92, true, kNewestGraphMode, {}, true, true, true},
    {"0.33.0", "20261102", 0.92, true, kNewestGraphMode, {}, true, true, true, true, true},
}};

// What a step holds by default where an OpenAI server is started.
struct BatchLimits {
  std::int64_t max_num_seqs, max_num_batched_tokens;
};
constexpr BatchLimits kLarge{1024, 8192}, kLargest{1024, 16384},
    kSmall{kSmallMaxNumSeqs, kSmallMaxNumBatchedTokens};

BatchLimits batch_limits(const VllmVersion& version, const GpuSpec& gpu) {
  constexpr Bytes kLargeMemory = gibibytes(70), kLargestMemory = gibibytes(160);
  if (version.knows_blackwell && gpu.memory_capacity >= kLargestMemory) return kLargest;
  const bool slow =
      gpu.name.find("a100") != std::string::npos || (version.sm121_is_small && gpu.compute_capability == 121);
  return gpu.memory_capacity >= kLargeMemory && !slow ? kLarge : kSmall;
}

GraphSizes graph_sizes(const VllmVersion& version, const GpuSpec& gpu) {
  constexpr std::int64_t kLargestOnBlackwell = 1024;
  GraphSizes sizes = version.graph_sizes;
  if (version.knows_blackwell && gpu.compute_capability / 10 == 10) sizes.largest = kLargestOnBlackwell;
  return sizes;
}

VersionRow version_row(std::string_view version) {
  return {row_of_version(kVersions, version).since, kNewestVllm};
}

constexpr bool kChunksPrompts = true;

// DeepEP's low-latency kernels reserve room for whole steps of every rank: config/parallel.py,
// use_batched_dp_moe, and DEFAULT_MAX_NUM_BATCHED_TOKENS_FOR_BATCHED_DP of config/scheduler.py.
constexpr std::int64_t kBatchedExpertTokens = 256;

bool reserves_rows_of_experts(const ServingConfig& config) {
  return config.all2all_backend == "deepep_low_latency" && config.enable_expert_parallel &&
         config.data_parallel_size > 1;
}

EngineDefaults defaults(const ServingConfig& config, const GpuSpec& gpu, std::string_view version) {
  const VllmVersion& known = row_of_version(kVersions, version);
  const BatchLimits limits = batch_limits(known, gpu);
  EngineDefaults found{.max_num_seqs = limits.max_num_seqs,
                       .max_num_batched_tokens = limits.max_num_batched_tokens,
                       .gpu_memory_utilization = known.gpu_memory_utilization,
                       .chunked_prefill_size = std::nullopt,
                       .async_scheduling = known.async_scheduling,
                       .cudagraph_mode = known.cudagraph_mode,
                       .graph_sizes = graph_sizes(known, gpu),
                       .experts_skip_padding = known.experts_skip_padding,
                       .images_wait_apart = known.images_wait_apart};
  if (known.little_expert_steps && reserves_rows_of_experts(config))
    found.max_num_batched_tokens = kBatchedExpertTokens;
  // A prompt that is not split must fit into a step; requests follow the tokens that were asked for
  // (engine/arg_utils.py, _set_default_max_num_seqs_and_batched_tokens_args).
  if (!config.enable_chunked_prefill.value_or(kChunksPrompts) && config.max_model_len)
    found.max_num_batched_tokens = std::max(found.max_num_batched_tokens, *config.max_model_len);
  found.max_num_seqs =
      std::min(found.max_num_seqs, config.max_num_batched_tokens.value_or(found.max_num_batched_tokens));
  return found;
}

void check(const ServingConfig& config) {
  if (config.max_num_seqs && config.max_num_batched_tokens &&
      *config.max_num_batched_tokens < *config.max_num_seqs) {
    throw InvalidInput(fmt::format(
        "serving configuration: max_num_batched_tokens is {}, expected at least max_num_seqs, which is {}",
        *config.max_num_batched_tokens, *config.max_num_seqs));
  }
  // vllm/config/cache.py; attention kernels page by multiples of 16.
  if (const std::int64_t block = config.block_size.value_or(16); block != 1 && block != 8 && block % 16 != 0)
    throw InvalidInput(
        fmt::format("block_size is {}, expected a multiple of 16, or 8 or 1, as vLLM has it", block));
}

// Scheduling

bool orders_by_priority(const ServingConfig& config) { return config.scheduling_policy == "priority"; }

bool may_stop_requests(const ServingConfig&) { return true; }

StatePlaces state_places(const ServingConfig& config) {
  const KvLayout& layout = config.kv_layout;
  if (layout.states_kept == StateKeeping::None) return {};
  return {.page = layout.state_page(config.block_size.value_or(16)),
          .within_chunks = layout.states_kept == StateKeeping::WithinChunks};
}

std::unique_ptr<Scheduler> scheduler(const ServingConfig& config) {
  return std::make_unique<VllmScheduler>(
      VllmLimits{.max_num_seqs = max_num_seqs_of(config),
                 .max_num_batched_tokens = max_num_batched_tokens_of(config),
                 .long_prefill_token_threshold = config.long_prefill_token_threshold,
                 .enable_chunked_prefill = config.enable_chunked_prefill.value_or(kChunksPrompts),
                 .reserve_full_prompt = config.scheduler_reserve_full_isl,
                 .by_priority = orders_by_priority(config),
                 .images_wait_apart = config.images_wait_apart,
                 .states = state_places(config)});
}

// Parallelism: data_parallel_size groups of tensor_parallel_size GPUs

ServingConfig with_attention_ranks(ServingConfig config, const ModelArchitecture& model) {
  if (!config.enable_dp_attention) return config;
  const std::int64_t groups = config.data_parallel_size;
  return group_attention(std::move(config), model, groups);
}

ServingConfig ask_for_ranks(ServingConfig config, std::int64_t groups) {
  config.data_parallel_size = groups;
  return config;
}

// model_executor/layers/fused_moe/deep_gemm_mega_moe.py, and moe_backend of config/kernel.py.
constexpr std::string_view kMegaMoeBackend = "deep_gemm_mega_moe";

// One kind of DeepEP's kernels for all steps.
bool ask_for_exchange(MoeExchange exchange, ServingConfig& config) {
  if (exchange == MoeExchange::DeepEpNormal) config.all2all_backend = "deepep_high_throughput";
  if (exchange == MoeExchange::DeepEpLowLatency) config.all2all_backend = "deepep_low_latency";
  if (exchange == MoeExchange::MegaMoe) config.moe_backend = kMegaMoeBackend;
  return exchange != MoeExchange::DeepEp;
}

ExpertTransport reach_experts(const ServingConfig& config, const Sharding& sharding, bool) {
  if (config.moe_backend == kMegaMoeBackend) {
    if (!spreads_experts(sharding))
      throw Unsupported(
          "moe_backend deep_gemm_mega_moe is modelled with data-parallel attention and experts spread whole, "
          "expected enable_expert_parallel and data_parallel_size above 1");
    return ExpertTransport::MegaMoe;
  }
  if (!spreads_experts(sharding)) return ExpertTransport::Collectives;  // ranks then hold the same tokens
  if (config.all2all_backend == "deepep_high_throughput") return ExpertTransport::DeepEpNormal;
  if (config.all2all_backend == "deepep_low_latency") return ExpertTransport::DeepEpLowLatency;
  return ExpertTransport::Collectives;
}

// The graph of a step

// Whether topkGating runs before the measured call: FlashInfer's fused kernels choose inside theirs, and rows
// of experts in mxfp4 were measured with it.
bool chooses_experts_apart(const EngineLaunch& launch) {
  return !has_tensor_memory(launch.gpu) &&
         std::none_of(launch.model.layers.begin(), launch.model.layers.end(), [](const LayerGroup& group) {
           return group.schemes.experts == MatmulScheme::MxFp4A16 ||
                  group.schemes.experts == MatmulScheme::MxFp4A8;
         });
}

void fuse(GraphOptions& graph, const EngineLaunch& launch, std::string_view) {
  graph.join_qk_norms = true;  // Inductor writes one reduction for both
  graph.choose_experts = chooses_experts_apart(launch);
  graph.gathers_by_rank = true;  // a broadcast of each rank (all_gatherv in pynccl.py)
}

// Windowed layers of every model are kept apart.
WindowedCache windowed_cache(const ModelArchitecture&, const Sharding&) { return WindowedCache::Released; }

// Kernels

// What was measured.
constexpr std::array<MoeKernel, 21> kMoeKernels{{
    {MatmulScheme::Bf16, "triton", "vllm_fused_moe", Generation::Ampere},
    {MatmulScheme::Bf16, "triton", "vllm_fused_moe", Generation::Blackwell},
    {MatmulScheme::Bf16, "triton", "vllm_unquantizedfusedmoe_triton_tritonexperts"},
    {MatmulScheme::Bf16, "flashinfer_cutlass",
     "vllm_unquantizedfusedmoe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Bf16, "flashinfer_trtllm", "vllm_unquantizedfusedmoe_flashinfer_trtllm_trtllmbf16experts",
     Generation::Blackwell},
    {MatmulScheme::Fp8, "triton", "vllm_modeloptfp8moe_triton_tritonexperts"},
    {MatmulScheme::Fp8, "flashinfer_cutlass", "vllm_modeloptfp8moe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Fp8, "flashinfer_trtllm",
     "vllm_modeloptfp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic", Generation::Blackwell},
    {MatmulScheme::Fp8Block, "triton", "vllm_fused_moe", Generation::Blackwell},
    {MatmulScheme::Fp8Block, "triton", "vllm_fp8moe_triton_tritonexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_cutlass", "vllm_fp8moe_flashinfer_cutlass_flashinferexperts"},
    {MatmulScheme::Fp8Block, "flashinfer_trtllm", "vllm_fp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic"},
    {MatmulScheme::NvFp4, "flashinfer_cutlass",
     "vllm_compressedtensorsw4a4nvfp4moe_flashinfer_cutlass_flashinferexperts", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_trtllm",
     "vllm_compressedtensorsw4a4nvfp4moe_flashinfer_trtllm_trtllmnvfp4expertsmonolithic",
     Generation::Blackwell},
    {MatmulScheme::Int4WeightOnly, "marlin", "vllm_compressedtensorswna16marlinmoe_marlin_marlinexperts"},
    {MatmulScheme::MxFp4A16, "triton", "vllm_gptossmxfp4moe_triton_oaitritonmxfp4expertsmonolithic"},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts_situ_as_silu",
     Generation::Hopper},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts",
     Generation::Blackwell},
    {MatmulScheme::MxFp4A16, "marlin", "vllm_gptossmxfp4moe_marlin_marlinexperts"},
    {MatmulScheme::MxFp4A16, "flashinfer_trtllm",
     "vllm_gptossmxfp4moe_flashinfer_trtllm_mxfp4_bf16_trtllmmxfp4expertsmonolithic", Generation::Blackwell},
    {MatmulScheme::MxFp4A8, "flashinfer_trtllm",
     "vllm_mxfp4moe_flashinfer_trtllm_mxfp4_mxfp8_trtllmmxfp4expertsmodular"},
}};

// Its order (vllm/model_executor/layers/fused_moe/oracle/fp8.py): block-scaled fp8 runs in Triton on Hopper,
// in FlashInfer's CUTLASS kernel there when experts are spread over GPUs, and in FlashInfer's TensorRT-LLM
// kernel on data-centre Blackwell. Empty: whatever was measured as the default.
std::string_view automatic_backend(const FusedMoe& op, const GpuSpec& gpu) {
  if (op.scheme != MatmulScheme::Fp8Block) return {};
  if (has_wgmma(gpu)) return op.expert_parallel > 1 ? "flashinfer_cutlass" : "triton";
  return has_tensor_memory(gpu) ? "flashinfer_trtllm" : "";
}

std::string_view moe_kernel(std::string_view backend, const FusedMoe& op, const GpuSpec& gpu) {
  const bool automatic = backend == "auto";
  const std::string_view kernel =
      measured_kernel(kMoeKernels, automatic ? automatic_backend(op, gpu) : backend, op, gpu);
  if (kernel.empty() && !automatic) throw_unmeasured("moe_backend", backend, op, gpu);
  return kernel;
}

// Products in block-scaled fp8 on Hopper and data-centre Blackwell since 0.22.0
// (model_executor/kernels/linear/scaled_mm, its order): DeepGEMM where n and k fill its tiles, on Hopper
// FlashInfer's kernel with swapped operands below 32 rows, CUTLASS for other widths. Empty: the default.
std::string_view block_fp8_kernel(const Gemm& op, std::string_view version, const GpuSpec& gpu) {
  constexpr std::string_view kSince = "0.22.0";
  constexpr std::int64_t kTileN = 64, kTileK = 128, kFewRows = 32;
  if (op.scheme != MatmulScheme::Fp8Block || op.batch > 1) return {};
  if (!has_wgmma(gpu) && !has_tensor_memory(gpu)) return {};
  if (is_release(version) && compare_versions(version, kSince) < 0) return {};
  if (op.n % kTileN != 0 || op.k % kTileK != 0) return "CutlassFp8BlockScaledMMKernel";
  return has_wgmma(gpu) && op.m < kFewRows ? "FlashInferFp8BlockScaledMMKernel"
                                           : "DeepGemmFp8BlockScaledMMKernel";
}

KernelContext kernel(const KernelNames& names, const Operator& op, const GpuSpec& gpu) {
  KernelContext context = names.default_kernel();
  if (const auto* product = std::get_if<Gemm>(&op))
    context.kernel = block_fp8_kernel(*product, names.version, gpu);
  if (const auto* experts = std::get_if<FusedMoe>(&op))
    context.kernel = moe_kernel(names.moe_backend, *experts, gpu);
  if (const auto* scan = std::get_if<LinearAttention>(&op); scan != nullptr && is_delta_net_scan(*scan))
    context = delta_net_kernel(names, *scan, gpu);
  if (const auto* collective = std::get_if<Collective>(&op);
      collective != nullptr && reduces_in_own_kernel(*collective, gpu))
    context.kernel = "vLLM_custom_graph";
  return context;
}

// The host

LaunchedLayers launched_layers(const ModelArchitecture& model, const GpuSpec& gpu) {
  // FlashInfer's fused kernel; Triton's takes several launches.
  return launched_layers_of(model, has_tensor_memory(gpu));
}

}  // namespace vllm

extern constinit const EngineSpec kVllmEngine{.name = vllm::kName,
                                              .framework = vllm::kName,
                                              .flags = {},  // the fields have its names
                                              .command_line = {.programs = vllm::kPrograms,
                                                               .example = "vllm serve MODEL",
                                                               .json_flags = vllm::kJsonFlags,
                                                               .file_flags = vllm::kFileFlags},
                                              .manifests = vllm::kManifests,
                                              .block_size = 16,
                                              .chunks_prompts = vllm::kChunksPrompts,
                                              .memory_share = MemoryShare::Engine,
                                              .defaults = vllm::defaults,
                                              .version_row = vllm::version_row,
                                              .check = vllm::check,
                                              .scheduler = vllm::scheduler,
                                              .orders_by_priority = vllm::orders_by_priority,
                                              .may_stop_requests = vllm::may_stop_requests,
                                              .decoder_gives_first_token = true,
                                              .cuts_at_images = true,
                                              // v1/engine/core_client.py, DPLBAsyncMPClient; the counts that
                                              // it reads are at most 0.1 s old, here they are of the moment.
                                              .balance = RoutingPolicy::WaitingFirst,
                                              .spread_attention = vllm::with_attention_ranks,
                                              .ask_for_groups = vllm::ask_for_ranks,
                                              .expert_transport = vllm::reach_experts,
                                              .ask_for_exchange = vllm::ask_for_exchange,
                                              .graphs_prompts = true,
                                              .fuse = vllm::fuse,
                                              .windowed_cache = vllm::windowed_cache,
                                              .kept_states = vllm_kept_states,
                                              .kernel = vllm::kernel,
                                              .launched_layers = vllm::launched_layers};

}  // namespace warploom
