// TensorRT-LLM. Paths are of its repository.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/kernels/kernel_hints.h"
#include "warploom/models/rank_placement.h"
#include "warploom/serving/batching/trtllm_scheduler.h"
#include "warploom/serving/engines/attention_groups.h"
#include "warploom/serving/engines/engine_spec.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace trtllm {  // named: engines call their functions alike and are compiled as one

constexpr std::string_view kName = name_of(Engine::TensorRtLlm);

// The command that starts it

// tensorrt_llm/commands/serve.py
constexpr std::array<EngineFlag, 11> kFlags{{
    {"max_batch_size", "max_num_seqs", "requests in a batch"},
    {"max_num_tokens", "max_num_batched_tokens", "tokens in a step"},
    {"max_seq_len", "max_model_len", "longest prompt plus output, in tokens"},
    {"kv_cache_free_gpu_memory_fraction", "gpu_memory_utilization",
     "share of the memory that the model leaves, for the KV cache"},
    {"tokens_per_block", "block_size", "tokens in a KV block"},
    {"tp_size", "tensor_parallel_size", "GPUs that share each layer"},
    {"ep_size", "enable_expert_parallel", "GPUs that hold experts whole", false, true},
    {"pp_size", "pipeline_parallel_size", "GPUs that share the layers out"},
    {"cuda_graph_max_batch_size", "max_cudagraph_capture_size",
     "requests of the largest step captured as a CUDA graph"},
    {"cuda_graph_batch_sizes", "cudagraph_capture_sizes", "requests of every step captured as a CUDA graph"},
    {"enable_attention_dp", "enable_dp_attention", "data-parallel attention", false, false, true},
}};
constexpr std::array<LaunchWord, 1> kPrograms{{{"trtllm-serve", false}}};
constexpr std::array<std::string_view, 2> kFileFlags{"config", "extra_llm_api_options"};
// Dynamo's worker spells them otherwise (components/src/dynamo/trtllm/backend_args.py).
constexpr std::array<RenamedFlag, 8> kDynamoFlags{
    {{"--max_batch_size", "--max-batch-size"},
     {"--max_num_tokens", "--max-num-tokens"},
     {"--max_seq_len", "--max-seq-len"},
     {"--kv_cache_free_gpu_memory_fraction", "--free-gpu-memory-fraction"},
     {"--tp_size", "--tensor-parallel-size"},
     {"--ep_size", "--expert-parallel-size"},
     {"--pp_size", "--pipeline-parallel-size"},
     {"--enable_attention_dp", "--enable-attention-dp"}}};
// Pools apart are started from a file of `trtllm-serve disaggregated`; Dynamo: examples/backends/trtllm,
// deploy and engine_configs. A worker without cache_transceiver_config answers no request of a pool, and one
// of prompts alone runs without the overlap scheduler.
constexpr EngineManifests kManifests{.image = "nvcr.io/nvidia/tensorrt-llm/release",
                                     .prefill_flags = {},
                                     .decode_flags = {},
                                     .dynamo_image = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime",
                                     .dynamo_module = "dynamo.trtllm",
                                     .dynamo_model_flag = "--model-path",
                                     .dynamo_prefill_flags =
                                         "--disaggregation-mode prefill --override-engine-args "
                                         R"({"cache_transceiver_config":{"backend":"DEFAULT"},)"
                                         R"("disable_overlap_scheduler":true})",
                                     .dynamo_decode_flags =
                                         "--disaggregation-mode decode --override-engine-args "
                                         R"({"cache_transceiver_config":{"backend":"DEFAULT"}})",
                                     .dynamo_flags = kDynamoFlags,
                                     .underscored_flags = true};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string lower_case(const Json& value, const std::string&) {
  std::string text = text_of(value);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

std::string moe_backend(const Json& value, const std::string&) {
  return text_of(value) == "TRTLLM" ? "flashinfer_trtllm" : "auto";
}

std::string listed_sizes(const Json& value, const std::string& where) {
  const auto whole = [](const Json& size) { return size.is_number_integer(); };
  if (!value.is_array() || value.empty() || !std::all_of(value.begin(), value.end(), whole))
    throw InvalidInput(fmt::format("{} is {}, expected a list of numbers", where, value.dump()));
  return fmt::format("{}", fmt::join(value.get<std::vector<std::int64_t>>(), ","));
}

// In the terms of vLLM's --speculative-config.
std::string speculation(const Json& value, const std::string& where) {
  const auto require = [&](bool holds, std::string_view expected) {
    if (!holds) throw InvalidInput(fmt::format("{} is {}, expected {}", where, value.dump(), expected));
  };
  require(value.is_object() && value.contains("decoding_type"), "a map with a decoding_type");
  const std::string type = text_of(value["decoding_type"]);
  Json config;
  if (type == "MTP") {
    config["method"] = "mtp";
    config["num_speculative_tokens"] = value.value("num_nextn_predict_layers", Json(1));
  } else if (type == "Eagle" || type == "Eagle3") {
    require(value.contains("max_draft_len"), "max_draft_len");
    config["method"] = "eagle3";
    config["num_speculative_tokens"] = value["max_draft_len"];
  } else {
    throw Unsupported(
        fmt::format("{}: decoding_type {} is not modelled, expected MTP or Eagle", where, type));
  }
  return config.dump();
}

// The fields of TorchLlmArgs (tensorrt_llm/llmapi/llm_args.py).
constexpr std::array<FileKey, 43> kFileKeys{{
    {"max_batch_size", FileValue::Scalar, "--max_batch_size"},
    {"max_num_tokens", FileValue::Scalar, "--max_num_tokens"},
    {"max_seq_len", FileValue::Scalar, "--max_seq_len"},
    {"tensor_parallel_size", FileValue::Scalar, "--tp_size"},
    {"pipeline_parallel_size", FileValue::Scalar, "--pp_size"},
    {"moe_expert_parallel_size", FileValue::Scalar, "--ep_size"},
    {"kv_cache_config.free_gpu_memory_fraction", FileValue::Scalar, "--kv_cache_free_gpu_memory_fraction"},
    {"kv_cache_config.dtype", FileValue::Scalar, "--kv_cache_dtype"},
    {"kv_cache_config.tokens_per_block", FileValue::Scalar, "--tokens_per_block"},
    {"cuda_graph_config.max_batch_size", FileValue::Scalar, "--cuda_graph_max_batch_size"},
    {"enable_attention_dp", FileValue::Switch, "--enable_attention_dp"},
    {"enable_chunked_prefill", FileValue::Switch, "--enable-chunked-prefill", "--no-enable-chunked-prefill"},
    {"disable_overlap_scheduler", FileValue::Switch, "--no-async-scheduling"},
    {"kv_cache_config.enable_block_reuse", FileValue::Switch, "--enable-prefix-caching",
     "--no-enable-prefix-caching"},
    {"scheduler_config.capacity_scheduler_policy", FileValue::Converted, "--capacity-scheduler-policy", "",
     lower_case},
    {"batch_wait_timeout_iters", FileValue::Scalar, "--batch-wait-timeout-iters"},
    {"batch_wait_max_tokens_ratio", FileValue::Scalar, "--batch-wait-max-tokens-ratio"},
    {"attention_dp_config.enable_balance", FileValue::Switch, "--attention-dp-balance"},
    {"attention_dp_config.timeout_iters", FileValue::Scalar, "--attention-dp-timeout-iters"},
    {"attention_dp_config.batching_wait_iters", FileValue::Scalar, "--attention-dp-batching-wait-iters"},
    {"moe_config.backend", FileValue::Converted, "--moe-backend", "", moe_backend},
    {"cuda_graph_config.batch_sizes", FileValue::Converted, "--cuda_graph_batch_sizes", "", listed_sizes},
    {"cuda_graph_config", FileValue::Nothing, "--enforce-eager"},
    {"speculative_config", FileValue::Converted, "--speculative-config", "", speculation},
    {"backend", FileValue::WithoutEffect},
    {"print_iter_log", FileValue::WithoutEffect},
    {"enable_iter_perf_stats", FileValue::WithoutEffect},
    {"enable_iter_req_stats", FileValue::WithoutEffect},
    {"stream_interval", FileValue::WithoutEffect},
    {"num_postprocess_workers", FileValue::WithoutEffect},
    {"trust_remote_code", FileValue::WithoutEffect},
    {"tokenizer", FileValue::WithoutEffect},
    {"attn_backend", FileValue::WithoutEffect},
    {"dtype", FileValue::WithoutEffect},
    {"kv_cache_config.event_buffer_max_size", FileValue::WithoutEffect},
    {"kv_cache_config.enable_partial_reuse", FileValue::WithoutEffect},
    {"kv_cache_config.copy_on_partial_reuse", FileValue::WithoutEffect},
    {"cuda_graph_config.enable_padding", FileValue::WithoutEffect},
    {"moe_config.use_low_precision_moe_combine", FileValue::WithoutEffect},
    {"torch_compile_config", FileValue::WithoutEffect},
    {"cache_transceiver_config", FileValue::WithoutEffect},
    {"return_perf_metrics", FileValue::WithoutEffect},
    {"perf_metrics_max_requests", FileValue::WithoutEffect},
}};

// Defaults (tensorrt_llm/llmapi/llm_args.py)

// CudaGraphConfig._generate_cuda_graph_batch_sizes with padding: multiples of 8 up to 128, then doubled
// (1.0 to 1.2) or 64 apart (1.3, "sliding 64"). The largest is cuda_graph_max_batch_size; without one every
// public script and AIConfigurator's own launches pass what the run needs, so it is taken to hold every
// batch. The overlap scheduler is on by itself since 1.0 (disable_overlap_scheduler). Looked through up to
// 1.3.0rc20.
struct TrtllmVersion {
  std::string_view since, released;
  std::int64_t max_num_seqs, max_num_batched_tokens;
  double gpu_memory_utilization;  // of what the model leaves
  std::span<const GraphStretch> graphs;
};
constexpr std::array<GraphStretch, 2> kDoublingGraphs{{{8, 8}, {128, 0}}};
constexpr std::array<GraphStretch, 2> kSlidingGraphs{{{8, 8}, {128, 64}}};
constexpr std::string_view kNewestTrtllm = "1.3.0rc20";
constexpr std::array<TrtllmVersion, 2> kVersions{{{"1.0.0rc0", "20250625", 2048, 8192, 0.9, kDoublingGraphs},
                                                  {"1.3.0rc0", "20260122", 2048, 8192, 0.9, kSlidingGraphs}}};

VersionRow version_row(std::string_view version) {
  return {row_of_version(kVersions, version).since, kNewestTrtllm};
}

void check_gpu(const GpuSpec& gpu) {
  if (gpu.vendor != Vendor::Nvidia)
    throw Unsupported(fmt::format(
        "{}: TensorRT-LLM is made of CUDA kernels and runs on NVIDIA's GPUs alone, expected one of "
        "them, or vllm or sglang",
        gpu.name));
}

EngineDefaults defaults(const ServingConfig&, const GpuSpec& gpu, std::string_view version) {
  check_gpu(gpu);
  const TrtllmVersion& known = row_of_version(kVersions, version);
  return {.max_num_seqs = known.max_num_seqs,
          .max_num_batched_tokens = known.max_num_batched_tokens,
          .gpu_memory_utilization = known.gpu_memory_utilization,
          .chunked_prefill_size = std::nullopt,
          .async_scheduling = true,
          .graph_sizes = {.stretches = known.graphs}};
}

void check(const ServingConfig&) {}

// Scheduling

constexpr bool kChunksPrompts = false;

bool orders_by_priority(const ServingConfig&) { return false; }

bool may_stop_requests(const ServingConfig& config) {
  return config.capacity_scheduler_policy != "guaranteed_no_evict";
}

std::unique_ptr<Scheduler> scheduler(const ServingConfig& config) {
  return std::make_unique<TrtllmScheduler>(
      TrtllmLimits{.max_num_seqs = max_num_seqs_of(config),
                   .max_num_batched_tokens = max_num_batched_tokens_of(config),
                   .enable_chunked_prefill = config.enable_chunked_prefill.value_or(kChunksPrompts),
                   .batch_wait_timeout_iters = config.batch_wait_timeout_iters,
                   .batch_wait_max_tokens_ratio = config.batch_wait_max_tokens_ratio,
                   .guaranteed_no_evict = !may_stop_requests(config)});
}

// Parallelism: with attention data parallelism one GPU a group

ServingConfig with_attention_ranks(ServingConfig config, const ModelArchitecture& model) {
  if (!config.enable_dp_attention) return config;
  const std::int64_t groups = config.tensor_parallel_size;
  return group_attention(std::move(config), model, groups);
}

ServingConfig ask_for_attention_ranks(ServingConfig config, std::int64_t groups) {
  if (config.tensor_parallel_size > 1)
    throw Unsupported(fmt::format(
        "enable_attention_dp: gives each GPU its own attention, so {} groups of {} GPUs cannot be "
        "asked for, expected tensor_parallel_sizes 1",
        groups, config.tensor_parallel_size));
  config.enable_dp_attention = true;
  config.tensor_parallel_size = groups;
  return config;
}

// It has no option for it.
bool ask_for_exchange(MoeExchange exchange, ServingConfig&) { return exchange == MoeExchange::Collectives; }

// _torch/modules/fused_moe: with attention data parallelism tokens go by NVLink's all-to-all where the
// domain spans nodes (MnnvlMemory.supports_mnnvl), else by collectives.
ExpertTransport reach_experts(const ServingConfig&, const Sharding& sharding, bool links_nodes) {
  return links_nodes && spreads_experts(sharding) ? ExpertTransport::NvLinkAllToAll
                                                  : ExpertTransport::Collectives;
}

// The graph of a step

// Whose all-reduces add the residual, normalise and, with static scales, quantise
// (_torch/models/modeling_llama.py: pre_feed_forward_fusion_op and post_feed_forward_fusion_op, from pull
// request 6205 on, which leaves small models out).
bool reduces_into_norms(const ModelArchitecture& model) {
  constexpr std::int64_t kLargestUnfusedWidth = 4096;
  return model.architecture == "LlamaForCausalLM" && model.hidden > kLargestUnfusedWidth;
}

void fuse(GraphOptions& graph, const EngineLaunch& launch, std::string_view) {
  graph.parallel_latent_norms = true;  // maybe_execute_in_parallel
  graph.fuse_qk_norm_rope = true;      // Qwen3Attention
  graph.gathers_by_rank = true;        // allgather with sizes (cpp/tensorrt_llm/thop/allgatherOp.cpp)
  graph.nvfp4_dispatch = true;         // fused_moe_cutlass.py and its like quantise before the all-to-all
  // _torch/modules/attention.py passes the output scale of o_proj on to the kernel; gated_mlp.py quantises in
  // the activation.
  graph.fuse_static_quantization = true;
  graph.fuse_allreduce_norm = graph.fuse_norm_quantization =
      reduces_into_norms(launch.model) && ranks_in_domain(graph, launch.sharding.tensor_parallel) == 0;
}

WindowedCache windowed_cache(const ModelArchitecture&, const Sharding&) { return WindowedCache::Whole; }

// Kernels

// NVIDIA's trtllm-gen experts were measured with these under SGLang's name alone.
constexpr std::array<MatmulScheme, 3> kGeneratedExperts{MatmulScheme::Bf16, MatmulScheme::Fp8Block,
                                                        MatmulScheme::NvFp4};
constexpr std::string_view kGeneratedKernel = "sglang_flashinfer_trtllm_moe";

KernelContext moe_kernel(const KernelNames& names, const FusedMoe& op, const GpuSpec& gpu) {
  if (names.moe_backend == "auto") return names.default_kernel();
  const bool generated = names.moe_backend == "flashinfer_trtllm" && has_tensor_memory(gpu);
  const bool mxfp4 = op.scheme == MatmulScheme::MxFp4A8 || op.scheme == MatmulScheme::MxFp4A16;
  if (generated && mxfp4) return names.default_kernel();  // what it takes there by itself
  const bool measured =
      std::find(kGeneratedExperts.begin(), kGeneratedExperts.end(), op.scheme) != kGeneratedExperts.end();
  if (!generated || !measured) throw_unmeasured("moe_backend", names.moe_backend, op, gpu);
  return {.framework = name_of(Engine::Sglang), .version = {}, .kernel = kGeneratedKernel};
}

KernelContext kernel(const KernelNames& names, const Operator& op, const GpuSpec& gpu) {
  check_gpu(gpu);
  const auto* experts = std::get_if<FusedMoe>(&op);
  return experts != nullptr ? moe_kernel(names, *experts, gpu) : names.default_kernel();
}

// The host

// Experts are one fused kernel, but for mxfp4 before Blackwell, which Triton runs.
LaunchedLayers launched_layers(const ModelArchitecture& model, const GpuSpec& gpu) {
  const bool triton = model.mixture() != nullptr && !has_tensor_memory(gpu) && !model.layers.empty() &&
                      model.layers.back().schemes.experts == MatmulScheme::MxFp4A16;
  return launched_layers_of(model, !triton);
}

}  // namespace trtllm

extern constinit const EngineSpec kTrtllmEngine{
    .name = trtllm::kName,
    .framework = trtllm::kName,
    .flags = trtllm::kFlags,
    .command_line = {.programs = trtllm::kPrograms,
                     .example = "trtllm-serve MODEL",
                     .file_flags = trtllm::kFileFlags,
                     .file_keys = trtllm::kFileKeys,
                     .file_rules = true,
                     .overriding_flag = "--override-engine-args",
                     .key_prefix = "--trtllm."},
    .manifests = trtllm::kManifests,
    .block_size = 32,
    .chunks_prompts = trtllm::kChunksPrompts,
    .memory_share = MemoryShare::FreePart,
    .defaults = trtllm::defaults,
    .version_row = trtllm::version_row,
    .check = trtllm::check,
    .scheduler = trtllm::scheduler,
    .orders_by_priority = trtllm::orders_by_priority,
    .may_stop_requests = trtllm::may_stop_requests,
    .decoder_gives_first_token = false,
    .cuts_at_images = false,
    .balance = RoutingPolicy::LeastLoaded,  // _torch/pyexecutor, attention data parallelism
    .spread_attention = trtllm::with_attention_ranks,
    .ask_for_groups = trtllm::ask_for_attention_ranks,
    .expert_transport = trtllm::reach_experts,
    .ask_for_exchange = trtllm::ask_for_exchange,
    .graphs_prompts = false,
    .fuse = trtllm::fuse,
    .windowed_cache = trtllm::windowed_cache,
    .kernel = trtllm::kernel,
    .launched_layers = trtllm::launched_layers};

}  // namespace warploom
