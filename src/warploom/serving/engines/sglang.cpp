// SGLang. Paths are of its repository, below python/sglang/srt.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/serving/batching/sglang_scheduler.h"
#include "warploom/serving/engines/attention_groups.h"
#include "warploom/serving/engines/engine_spec.h"
#include "warploom/serving/engines/kept_states.h"
#include "warploom/serving/engines/sglang_memory.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace {

constexpr std::string_view kName = name_of(Engine::Sglang);

// The command that starts it

// server_args.py; of two names of a field the first is that of today, which is written.
constexpr std::array<EngineFlag, 22> kFlags{{
    {"max_running_requests", "max_num_seqs", "requests in a batch"},
    {"max_prefill_tokens", "max_num_batched_tokens", "prompt tokens admitted into a step"},
    {"mem_fraction_static", "gpu_memory_utilization", "share of GPU memory for weights and KV cache"},
    {"page_size", "block_size", "tokens in a KV block"},
    {"context_length", "max_model_len", "longest prompt plus output, in tokens"},
    {"max_total_tokens", "num_gpu_blocks_override", "tokens in the KV cache of one replica"},
    {"max_loras_per_batch", "max_loras", "adapters in one batch"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"pp_size", "pipeline_parallel_size", "GPUs that share the layers out"},
    {"dp_size", "data_parallel_size", "replicas"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
    {"ep_num_redundant_experts", "num_redundant_experts", "replicas beyond one of each expert"},
    {"moe_runner_backend", "moe_backend", "kernels of the experts"},
    {"dcp_size", "decode_context_parallel_size", "GPUs that share out the cached tokens of a request"},
    {"cuda_graph_max_bs_decode", "max_cudagraph_capture_size",
     "requests of the largest step captured as a CUDA graph"},
    {"cuda_graph_bs_decode", "cudagraph_capture_sizes", "requests of every step captured as a CUDA graph"},
    {"cuda_graph_max_bs", "max_cudagraph_capture_size", "the same before SGLang 0.5.23"},
    {"cuda_graph_bs", "cudagraph_capture_sizes", "the same before SGLang 0.5.23"},
    {"disable_radix_cache", "enable_prefix_caching", "no reuse of equal prefixes", true},
    {"disable_overlap_schedule", "async_scheduling", "schedule between steps", true},
    {"disable_cuda_graph", "enforce_eager", "no CUDA graphs", false, false, true},
    {"mm_enable_dp_encoder", "mm_encoder_tp_mode", "each GPU encodes whole images", false, false, true,
     kWholeImages},
}};
constexpr std::array<LaunchWord, 2> kPrograms{{{"sglang.launch_server", false}, {"sglang", true}}};
constexpr std::array<std::string_view, 1> kFileFlags{"config"};

// Since 0.5.23 `--attn-dp-size N` is what `--dp-size N --enable-dp-attention` was
// (arg_groups/parallel_hook.py); it goes with no other --dp-size.
void apply_attention_groups(ServingConfig& config, std::string_view text, const std::string& where) {
  std::int64_t groups = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), groups);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || groups < 1)
    throw InvalidInput(fmt::format("{}: '{}' is no number of groups, expected 1 or more", where, text));
  if (groups == 1) return;
  if (config.data_parallel_size > 1 && config.data_parallel_size != groups)
    throw InvalidInput(fmt::format("{}: --dp-size is {}, expected --attn-dp-size {} alone", where,
                                   config.data_parallel_size, groups));
  config.data_parallel_size = groups;
  config.enable_dp_attention = true;
}
constexpr std::array<JsonFlag, 1> kSetters{{{"attn_dp_size", {}, apply_attention_groups, nullptr}}};

// docs/advanced_features/pd_disaggregation.md; Dynamo: examples/backends/sglang/deploy. Its packages bring
// NIXL, not Mooncake, which is the engine's default; and it tells decoding workers the pod's address of a
// prefilling one's bootstrap server, which listens where the engine does: on loopback alone without --host
// (managers/disagg_service.py).
constexpr EngineManifests kManifests{.image = "lmsysorg/sglang",
                                     .prefill_flags = "--disaggregation-mode prefill",
                                     .decode_flags = "--disaggregation-mode decode",
                                     .dynamo_image = "nvcr.io/nvidia/ai-dynamo/sglang-runtime",
                                     .dynamo_module = "dynamo.sglang",
                                     .dynamo_model_flag = "--model-path",
                                     .dynamo_prefill_flags =
                                         "--disaggregation-mode prefill "
                                         "--disaggregation-transfer-backend nixl "
                                         "--host 0.0.0.0",
                                     .dynamo_decode_flags =
                                         "--disaggregation-mode decode "
                                         "--disaggregation-transfer-backend nixl",
                                     .flags_are_fields = true};

// Defaults (server_args.py)

// python/sglang/srt/server_args.py, _handle_gpu_memory_settings and _generate_cuda_graph_batch_sizes: since
// 0.5.3 graphs hold up to 8 (80 from four GPUs on) requests below 35 GiB of memory, 24 (80) to 32 (160)
// below 60, 256 (512) below 160 and 512 above; before it 160 whatever the GPU. Since 0.5.20 GPUs of 20 to 35
// GiB take 4,096 tokens of prompts and graphs of up to 48 (160) requests, since 0.5.22 no graph is larger
// than max_running_requests (arg_groups/memory_hook.py). Read in the sources of 0.5.16 to 0.5.23.
//
// Steps of prompts run as graphs of parts of the model by default since 0.5.10, cut by torch.compile; since
// 0.5.15 the capture itself breaks at attention (model_executor/cuda_graph_config.py). Models that read
// images have none, but for the Qwen3.5 since 0.5.16 (configs/model_config.py). Days are PyPI's.
enum class PromptGraphs { None, Compiled, Broken, BrokenAlsoQwen35 };

struct SglangVersion {
  std::string_view since, released;
  std::int64_t max_num_seqs, max_num_batched_tokens;
  bool graphs_by_memory;
  PromptGraphs prompt_graphs;
  double draft_gib = 0;  // kept for a model that drafts
  bool more_below_35_gib = false;
  bool graphs_follow_requests = false;
};
constexpr std::string_view kNewestSglang = "0.5.23";
constexpr std::array<SglangVersion, 8> kVersions{
    {{"0.4.0", "20241203", 2048, 16384, false, PromptGraphs::None},
     {"0.5.3", "20251006", 2048, 16384, true, PromptGraphs::None, 2},
     {"0.5.10", "20260405", 2048, 16384, true, PromptGraphs::Compiled, 4},
     {"0.5.14", "20260626", 2048, 16384, true, PromptGraphs::Compiled},
     {"0.5.15", "20260710", 2048, 16384, true, PromptGraphs::Broken},
     {"0.5.16", "20260725", 2048, 16384, true, PromptGraphs::BrokenAlsoQwen35},
     {"0.5.20", "20260918", 2048, 16384, true, PromptGraphs::BrokenAlsoQwen35, 0, true},
     {"0.5.22", "20261016", 2048, 16384, true, PromptGraphs::BrokenAlsoQwen35, 0, true, true}}};

VersionRow version_row(std::string_view version) {
  return {row_of_version(kVersions, version).since, kNewestSglang};
}

constexpr std::array<std::int64_t, 5> kFewGraphs{1, 2, 4, 8, 12};
constexpr std::array<GraphStretch, 3> kGraphStretches{{{16, 8}, {272, 16}, {512, 32}}};

GraphSizes graph_sizes(const SglangVersion& version, const ServingConfig& config, const GpuSpec& gpu) {
  struct GraphsBelow {
    double memory_gib;
    std::int64_t few_gpus, four_gpus;  // requests of the largest graph
  };
  constexpr std::array<GraphsBelow, 4> kLargest{{{20, 8, 8}, {35, 24, 80}, {60, 32, 160}, {160, 256, 512}}};
  constexpr GraphsBelow kMore{35, 48, 160};
  constexpr std::int64_t kLargestOfLarge = 512, kOldLargest = 160, kManyGpus = 4;
  GraphSizes sizes{.few = kFewGraphs,
                   .stretches = kGraphStretches,
                   .largest = kLargestOfLarge,
                   .at_most_sequences = false};
  if (!version.graphs_by_memory) sizes.largest = kOldLargest;
  if (!version.graphs_by_memory) return sizes;
  for (GraphsBelow below : kLargest) {
    if (to_gibibytes(gpu.memory_capacity) >= below.memory_gib) continue;
    if (version.more_below_35_gib && below.memory_gib == kMore.memory_gib) below = kMore;
    sizes.largest = config.tensor_parallel_size < kManyGpus ? below.few_gpus : below.four_gpus;
    break;
  }
  if (version.graphs_follow_requests && config.max_num_seqs)
    sizes.largest = std::min(sizes.largest, *config.max_num_seqs);
  return sizes;
}

struct ChunkBelow {
  double memory_gib;
  std::int64_t tokens;
};
constexpr std::array<ChunkBelow, 4> kChunks{{{20, 2048}, {35, 2048}, {60, 4096}, {160, 8192}}};
constexpr std::array<ChunkBelow, 4> kNewerChunks{{{20, 2048}, {35, 4096}, {60, 4096}, {160, 8192}}};
constexpr std::int64_t kLargestChunk = 16384;

std::int64_t chunk_tokens(const SglangVersion& version, const GpuSpec& gpu) {
  for (const ChunkBelow& step : version.more_below_35_gib ? kNewerChunks : kChunks)
    if (to_gibibytes(gpu.memory_capacity) < step.memory_gib) return step.tokens;
  return kLargestChunk;
}

// GiB that are kept for a model that drafts: 2, 4 since 0.5.10; since 0.5.14 none. Before 0.5.3 not read.
// Since 0.5.15 DeepEP has 2 for its buffers.
double beside_gib(const SglangVersion& version, const ServingConfig& config) {
  constexpr double kDeepEpGib = 2;
  const std::string& algorithm = config.speculative_algorithm;
  const double drafting = algorithm.empty() || algorithm == "NGRAM" ? 0 : version.draft_gib;
  const bool broken = version.prompt_graphs >= PromptGraphs::Broken;
  return drafting + (broken && config.moe_a2a_backend == "deepep" ? kDeepEpGib : 0);
}

double static_share(const SglangVersion& version, const ServingConfig& config, const GpuSpec& gpu) {
  constexpr double kSmallGib = 60;
  constexpr std::int64_t kSmallGraph = 160, kLargeGraph = 512;
  const std::int64_t before = to_gibibytes(gpu.memory_capacity) < kSmallGib ? kSmallGraph : kLargeGraph;
  const std::int64_t graph = version.graphs_by_memory ? graph_sizes(version, config, gpu).largest : before;
  return sglang_static_share(
      {.chunk_tokens = config.chunked_prefill_size.value_or(chunk_tokens(version, gpu)),
       .largest_graph = config.enforce_eager ? 0 : graph,
       .keeps_least = version.graphs_by_memory,
       .prompt_graphs = version.prompt_graphs != PromptGraphs::None,
       .beside_gib = beside_gib(version, config)},
      config, gpu);
}

EngineDefaults defaults(const ServingConfig& config, const GpuSpec& gpu, std::string_view version) {
  const SglangVersion& known = row_of_version(kVersions, version);
  return {.max_num_seqs = known.max_num_seqs,
          .max_num_batched_tokens = known.max_num_batched_tokens,
          .gpu_memory_utilization = static_share(known, config, gpu),
          .chunked_prefill_size = chunk_tokens(known, gpu),
          .async_scheduling = true,  // the overlap scheduler, on since 0.4
          .graph_sizes = graph_sizes(known, config, gpu)};
}

// Whether the engine reads images with the model: a class named so, but for the ones it serves as text unless
// asked (configs/model_config.py, mm_disabled_models).
bool reads_images(const ModelArchitecture& model) {
  return model.architecture.ends_with("ForConditionalGeneration") &&
         model.architecture != "Gemma3ForConditionalGeneration" &&
         model.architecture != "Llama4ForConditionalGeneration";
}

// server_args.py, the two rules _disable_..._cudagraph_if_incompatible and _handle_gpu_memory_settings: up to
// a whole chunk, with latent attention 2,048 tokens where torch.compile cuts and none where capture breaks.
// Pools of their own, which have none where torch.compile cuts, are not asked about.
std::int64_t graphed_prompt_tokens(const EngineLaunch& launch, std::string_view version) {
  constexpr std::int64_t kLatentTokens = 2048;
  const ServingConfig& config = launch.config;
  const ModelArchitecture& model = launch.model;
  const PromptGraphs graphs = row_of_version(kVersions, version).prompt_graphs;
  const bool compiled = graphs == PromptGraphs::Compiled;
  const bool opted_in = graphs == PromptGraphs::BrokenAlsoQwen35 && model.architecture.starts_with("Qwen3_5");
  if (graphs == PromptGraphs::None || config.enable_dp_attention || config.enable_lora ||
      config.moe_a2a_backend != "none" || config.decode_context_parallel_size > 1 ||
      config.prefill_context_parallel_size > 1 || (reads_images(model) && !opted_in))
    return 0;
  if (compiled && (config.pipeline_parallel_size > 1 || model.architecture == "Qwen3NextForCausalLM"))
    return 0;
  if (model.layers_of<LatentAttention>() + model.layers_of<SparseLatentAttention>() == 0)
    return config.chunked_prefill_size.value_or(0);
  return compiled ? kLatentTokens : 0;
}

void check(const ServingConfig&) {}

// Scheduling

bool orders_by_priority(const ServingConfig&) { return false; }

bool may_stop_requests(const ServingConfig&) { return true; }

std::unique_ptr<Scheduler> scheduler(const ServingConfig& config) {
  return std::make_unique<SglangScheduler>(
      SglangLimits{.max_num_seqs = max_num_seqs_of(config),
                   .max_num_batched_tokens = max_num_batched_tokens_of(config),
                   .chunked_prefill_size = config.chunked_prefill_size.value_or(0),
                   .conservativeness = config.schedule_conservativeness,
                   .mix_decode = config.enable_mixed_chunk,
                   .receive_interval = config.scheduler_recv_interval,
                   .policy = parse_enum<SglangPolicy>(config.schedule_policy, "schedule_policy")});
}

// Parallelism: with --enable-dp-attention --tp N --dp D groups of N/D GPUs, without it D copies of a mixture
// of experts behind one router

ServingConfig with_attention_ranks(ServingConfig config, const ModelArchitecture& model) {
  // Tokens are exchanged where experts are spread over all ranks: ep_size becomes tp_size
  // (arg_groups/overrides.py, _a2a_ep_size).
  if (config.moe_a2a_backend != "none" && model.mixture() != nullptr) config.enable_expert_parallel = true;
  if (config.enable_dp_attention) {
    const std::int64_t groups = config.data_parallel_size;
    return group_attention(std::move(config), model, groups);
  }
  if (model.mixture() != nullptr) {
    config.instances *= config.data_parallel_size;
    config.data_parallel_size = 1;
  }
  return config;
}

ServingConfig ask_for_groups_within(ServingConfig config, std::int64_t groups) {
  config.enable_dp_attention = true;
  config.data_parallel_size = groups;
  config.tensor_parallel_size *= groups;
  return config;
}

constexpr std::string_view kMegaMoeBackend = "megamoe";

bool ask_for_exchange(MoeExchange exchange, ServingConfig& config) {
  if (exchange == MoeExchange::MegaMoe) config.moe_a2a_backend = kMegaMoeBackend;
  if (exchange == MoeExchange::MegaMoe || exchange == MoeExchange::Collectives) return true;
  config.moe_a2a_backend = "deepep";
  if (exchange == MoeExchange::DeepEpNormal) config.deepep_mode = "normal";
  if (exchange == MoeExchange::DeepEpLowLatency) config.deepep_mode = "low_latency";
  return true;
}

ExpertTransport reach_experts(const ServingConfig& config, const Sharding& sharding, bool) {
  // arg_groups/mega_moe_hook.py: the runner's name is another for the exchange's, and wins over it.
  const bool fused = config.moe_a2a_backend == kMegaMoeBackend || config.moe_backend == kMegaMoeBackend;
  if (config.moe_a2a_backend == "none" && !fused) return ExpertTransport::Collectives;
  if (!spreads_experts(sharding))
    throw Unsupported(
        fmt::format("{} {} is modelled with data-parallel attention and experts spread whole, expected "
                    "enable_dp_attention with data_parallel_size above 1 and expert parallelism",
                    config.moe_backend == kMegaMoeBackend ? "moe_runner_backend" : "moe_a2a_backend",
                    fused ? kMegaMoeBackend : std::string_view("deepep")));
  if (fused) return ExpertTransport::MegaMoe;
  if (config.deepep_mode == "normal") return ExpertTransport::DeepEpNormal;
  return config.deepep_mode == "auto" ? ExpertTransport::DeepEpAuto : ExpertTransport::DeepEpLowLatency;
}

// The graph of a step

template <std::size_t N>
bool lists(const std::array<std::string_view, N>& models, const ModelArchitecture& model) {
  return std::find(models.begin(), models.end(), model.architecture) != models.end();
}

// What changed in its Qwen3.5 (models/qwen3_5.py, layers/layernorm.py), read in the wheels of 0.5.9 and
// 0.5.10. Until 0.5.9 GemmaRMSNorm, which these models have, is part of no all-reduce, whatever the flag
// says, and a gated delta net has four input products; since 0.5.10 two, the small one beside the large one
// and a kernel behind them that splits what they write. That kernel is pull request 21019 of 20 March; of the
// norms no day is known but PyPI's. Until 0.5.13 queries and output gates are copied apart (`reshape` of
// parts of a row), and a sigmoid and a product apply the gates; since 0.5.14 a kernel does
// (fused_sigmoid_mul): read in the wheels of 0.5.9, 0.5.10, 0.5.12 to 0.5.14 and 0.5.23.
struct SglangQwen35 {
  std::string_view since, released;
  bool fuses_gemma_norms, split_delta_inputs, copy_output_gates;
};
constexpr std::array<SglangQwen35, 4> kQwen35{{{"0.4.0", "20241203", false, true, true},
                                               {"0.5.10", "20260320", false, false, true},
                                               {"0.5.10", "20260405", true, false, true},
                                               {"0.5.14", "20260626", true, false, false}}};

bool has_gemma_norms(const ModelArchitecture& model) {
  return model.architecture.starts_with("Qwen3_5") || model.architecture == "Qwen3NextForCausalLM";
}

// It switches FlashInfer's fusion on by itself (server_args.py) for these models on one node of Hopper or
// data-centre Blackwell, without data-parallel attention.
bool fuses_allreduce_norm(const GraphOptions& graph, const EngineLaunch& launch) {
  constexpr std::array<std::string_view, 8> kModels{"DeepseekV3ForCausalLM",
                                                    "GptOssForCausalLM",
                                                    "Glm4MoeForCausalLM",
                                                    "Glm4MoeLiteForCausalLM",
                                                    "Qwen3MoeForCausalLM",
                                                    "KimiK25ForConditionalGeneration",
                                                    "Qwen3_5MoeForConditionalGeneration",
                                                    "Qwen3_5ForConditionalGeneration"};
  return lists(kModels, launch.model) && graph.ranks_per_node == 0 &&
         launch.sharding.attention_data_parallel == 1 && launch.gpu.name != "h20" &&
         has_async_matrix_unit(launch.gpu);
}

void fuse(GraphOptions& graph, const EngineLaunch& launch, std::string_view version) {
  const SglangQwen35& qwen35 = row_of_version(kQwen35, version);
  graph.nvfp4_dispatch = launch.config.nvfp4_dispatch;
  graph.parallel_latent_norms = true;  // its alt_stream
  graph.split_delta_inputs = qwen35.split_delta_inputs && launch.model.architecture.starts_with("Qwen3_5");
  graph.copy_output_gates = qwen35.copy_output_gates && has_gemma_norms(launch.model);
  graph.fuse_allreduce_norm =
      launch.config.enable_flashinfer_allreduce_fusion.value_or(fuses_allreduce_norm(graph, launch)) &&
      (qwen35.fuses_gemma_norms || !has_gemma_norms(launch.model));
}

// Windowed layers lie in a pool of their own for the models of its list (configs/model_config.py,
// is_hybrid_swa_model).
WindowedCache windowed_cache(const ModelArchitecture& model, const Sharding&) {
  constexpr std::array<std::string_view, 6> kModels{"Llama4ForConditionalGeneration",
                                                    "GptOssForCausalLM",
                                                    "MiMoV2FlashForCausalLM",
                                                    "Step3p5ForCausalLM",
                                                    "Gemma4ForCausalLM",
                                                    "Gemma4ForConditionalGeneration"};
  return lists(kModels, model) ? WindowedCache::OwnPool : WindowedCache::Whole;
}

// Kernels

// What was measured.
constexpr std::array<MoeKernel, 12> kMoeKernels{{
    {MatmulScheme::Bf16, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::Bf16, "flashinfer_cutlass", "sglang_flashinfer_cutlass_moe"},
    {MatmulScheme::Bf16, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::Fp8Block, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::Fp8Block, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_cutedsl", "sglang_flashinfer_cutedsl_moe", Generation::Blackwell},
    {MatmulScheme::Int4WeightOnly, "marlin", "sglang_marlin_moe"},
    {MatmulScheme::MxFp4A16, "triton", "sglang_fused_moe_triton"},
    {MatmulScheme::MxFp4A16, "marlin", "sglang_marlin_moe"},
    {MatmulScheme::MxFp4A16, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
    {MatmulScheme::MxFp4A8, "flashinfer_trtllm", "sglang_flashinfer_trtllm_moe", Generation::Blackwell},
}};

// What was measured under TensorRT-LLM's name alone: DeepGEMM, and the CUTLASS experts that FlashInfer has
// from TensorRT-LLM.
constexpr std::array<MoeKernel, 2> kMoeKernelsOfTrtllm{{
    {MatmulScheme::Fp8Block, "deep_gemm", "deepgemm", Generation::Blackwell},
    {MatmulScheme::NvFp4, "flashinfer_cutlass", "moe_torch_flow_cutlass", Generation::Blackwell},
}};

// server_args.py, GptOssForCausalLM: the library triton_kernels for mxfp4 experts that no GPU shares out,
// FlashInfer's kernels on Blackwell. No public row is of it (predictor/answer/stand_ins.cpp).
bool takes_triton_kernels(const FusedMoe& op, const GpuSpec& gpu) {
  return op.scheme == MatmulScheme::MxFp4A16 && op.expert_parallel == 1 && gpu.vendor == Vendor::Nvidia &&
         gpu.generation != Generation::Blackwell && gpu.generation != Generation::BlackwellRtx;
}

KernelContext moe_kernel(const KernelNames& names, const FusedMoe& op, const GpuSpec& gpu) {
  constexpr std::string_view kTritonKernels = "triton_kernel";
  const bool automatic = names.moe_backend == "auto";
  if (names.moe_backend == kTritonKernels || (automatic && takes_triton_kernels(op, gpu)))
    return {.framework = kName, .version = names.version, .kernel = kTritonKernels};
  if (automatic) return names.default_kernel();
  const std::string_view shared = measured_kernel(kMoeKernelsOfTrtllm, names.moe_backend, op, gpu);
  if (!shared.empty()) return {.framework = name_of(Engine::TensorRtLlm), .version = {}, .kernel = shared};
  const std::string_view kernel = measured_kernel(kMoeKernels, names.moe_backend, op, gpu);
  if (kernel.empty()) throw_unmeasured("moe_runner_backend", names.moe_backend, op, gpu);
  return {.framework = kName, .version = {}, .kernel = kernel};
}

// Block-scaled fp8 products on data-centre Blackwell; the default is DeepGEMM after a quantisation of its
// own. FlashInfer's trtllm-gen products were never measured; TensorRT-LLM's, quantisation fused, stand for
// them.
KernelContext fp8_kernel(const KernelNames& names, const Gemm& op, const GpuSpec& gpu) {
  const std::string& backend = names.fp8_gemm_backend;
  if (backend != "flashinfer_trtllm" || op.scheme != MatmulScheme::Fp8Block) return names.default_kernel();
  if (!has_tensor_memory(gpu))
    throw Unsupported(
        fmt::format("fp8_gemm_backend '{}' is not modelled on {}: it runs on data-centre "
                    "Blackwell alone, expected auto or deep_gemm",
                    backend, gpu.name));
  return {.framework = name_of(Engine::TensorRtLlm), .version = {}, .kernel = "deepgemm"};
}

KernelContext kernel(const KernelNames& names, const Operator& op, const GpuSpec& gpu) {
  if (const auto* experts = std::get_if<FusedMoe>(&op)) return moe_kernel(names, *experts, gpu);
  if (const auto* product = std::get_if<Gemm>(&op)) return fp8_kernel(names, *product, gpu);
  KernelContext context = names.default_kernel();
  if (const auto* collective = std::get_if<Collective>(&op);
      collective != nullptr && reduces_in_own_kernel(*collective, gpu))
    context.kernel = "SGLang_CustomAllReduce_graph";
  return context;
}

// The host

LaunchedLayers launched_layers(const ModelArchitecture& model, const GpuSpec& gpu) {
  return launched_layers_of(model, has_tensor_memory(gpu));  // one kernel serves data-centre Blackwell
}

}  // namespace

extern constinit const EngineSpec kSglangEngine{
    .name = kName,
    .framework = kName,
    .flags = kFlags,
    .command_line = {.programs = kPrograms,
                     .example = "sglang serve --model-path MODEL",
                     .json_flags = kSetters,
                     .file_flags = kFileFlags},
    .manifests = kManifests,
    .block_size = 1,
    .chunks_prompts = true,
    .memory_share = MemoryShare::StaticPart,
    .defaults = defaults,
    .version_row = version_row,
    .check = check,
    .scheduler = scheduler,
    .orders_by_priority = orders_by_priority,
    .may_stop_requests = may_stop_requests,
    .decoder_gives_first_token = false,
    .cuts_at_images = false,
    .balance = RoutingPolicy::RoundRobin,  // managers/data_parallel_controller.py
    // HiCache: prefetch_threshold (mem_cache/unified_radix_cache.py of 0.5.23).
    .least_retrieved_tokens = 256,
    .store_behind_host_memory = true,
    .spread_attention = with_attention_ranks,
    .ask_for_groups = ask_for_groups_within,
    .expert_transport = reach_experts,
    .ask_for_exchange = ask_for_exchange,
    .graphs_prompts = false,
    .graphed_prompt_tokens = graphed_prompt_tokens,
    .prompt_graph_sizes = kSglangPromptGraphs,
    .fuse = fuse,
    .windowed_cache = windowed_cache,
    .state_pool = sglang_state_pool,
    .kernel = kernel,
    .launched_layers = launched_layers};

}  // namespace warploom
