#include "warploom/app/concurrency_launch.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr double kInferenceXRatio = 0.8;

bool is_inferencex(const ConcurrencyTruth& row) {
  return row.dump.starts_with("20") || row.dump.starts_with("db-dump/") ||
         row.dump.ends_with("-gap-analysis.csv");
}

bool is_model(const ConcurrencyTruth& row, std::string_view part) {
  return row.model.find(part) != std::string::npos;
}

bool is_blackwell(const ConcurrencyTruth& row) { return row.system.find("b200") != std::string::npos; }

std::int64_t one_prompt_and_decodes(const ConcurrencyTruth& row) {
  return (*row.concurrency + row.input_tokens + 64 + 63) / 64 * 64;
}

// The first scripts for Blackwell spread the experts over the GPUs whatever they were asked for, and switched
// FlashInfer's and DeepGEMM's experts off; later ones leave both to the engine and keep an fp8 cache.
void set_minimax(const ConcurrencyTruth& row, ConcurrencyLaunch& launch) {
  ServingConfig& config = launch.config;
  const bool early = row.version == "0.16.0" || row.version == "0.17.0";
  config.gpu_memory_utilization = 0.95;
  if (is_blackwell(row)) {
    launch.experts_whole = early;
    config.max_num_seqs.reset();
    config.max_num_batched_tokens.reset();
    if (early)
      config.moe_backend = "triton";
    else
      config.kv_cache_dtype = "fp8";
    return;
  }
  config.max_num_seqs = 512;
  config.max_num_batched_tokens = *row.concurrency < 64 ? 16384 : 32768;
  config.kv_cache_dtype = "fp8";
  config.moe_backend = "triton";
}

void set_vllm(const ConcurrencyTruth& row, ConcurrencyLaunch& launch) {
  ServingConfig& config = launch.config;
  config.max_num_seqs = *row.concurrency;
  config.max_num_batched_tokens = std::max<std::int64_t>(8192, *row.concurrency);
  const bool llama = is_model(row, "Llama-3.1-70B"), gpt_oss = is_model(row, "gpt-oss");
  if (llama || (gpt_oss && is_blackwell(row))) config.kv_cache_dtype = "fp8";
  if ((llama || gpt_oss) && is_blackwell(row)) config.max_num_seqs = 512;
  if (llama && is_blackwell(row)) config.cudagraph_mode = "FULL_DECODE_ONLY";
  if (gpt_oss) config.max_cudagraph_capture_size = 2048;
  if (is_model(row, "Kimi")) config.gpu_memory_utilization = 0.95;
  if (gpt_oss && !is_blackwell(row)) config.moe_backend = "marlin";  // VLLM_MXFP4_USE_MARLIN=1
  if (is_model(row, "MiniMax")) set_minimax(row, launch);
}

void set_sglang(const ConcurrencyTruth& row, ServingConfig& config) {
  const std::int64_t chunk = is_model(row, "DeepSeek") && is_blackwell(row) && row.tp == 4 ? 8192 : 32768;
  config.max_num_batched_tokens = config.chunked_prefill_size = chunk;
  config.gpu_memory_utilization = 0.82;
  if (is_blackwell(row)) {
    config.max_num_seqs = std::max<std::int64_t>(128, *row.concurrency);
    config.scheduler_recv_interval = *row.concurrency >= 16 ? 30 : 10;
    if (row.precision != "bf16") config.kv_cache_dtype = "fp8";
    // SGLANG_ENABLE_FLASHINFER_GEMM; later scripts of Qwen3.5 leave the products to DeepGEMM.
    const bool deepseek = is_model(row, "DeepSeek") && !row.image.empty();
    if (deepseek || row.image.ends_with("v0.5.9-cu129-amd64")) config.fp8_gemm_backend = "flashinfer_trtllm";
    if (deepseek || (row.tp == 8 && row.image.ends_with("v0.5.9-cu130-amd64")))
      config.enable_flashinfer_allreduce_fusion = true;
  } else {
    config.max_num_seqs = row.input_tokens == 1024 && row.output_tokens == 1024 ? 512 : 256;
  }
  if (!is_model(row, "Qwen3.5")) return;
  config.max_num_seqs = 128;
  if (is_blackwell(row)) return;
  config.enable_flashinfer_allreduce_fusion = true;
  config.max_num_batched_tokens = config.chunked_prefill_size = 16384;
  config.gpu_memory_utilization = 0.8;
  if (row.precision != "bf16") config.kv_cache_dtype = "fp8";
}

void set_trtllm(const ConcurrencyTruth& row, ServingConfig& config) {
  const bool gpt_oss = is_model(row, "gpt-oss");
  config.max_num_seqs = std::max<std::int64_t>(512, *row.concurrency);
  // Scripts before 1.2.0rc6 leave room for one prompt alone.
  const bool early = is_model(row, "DeepSeek") && !row.version.starts_with("1.2.0rc6");
  const std::int64_t least = early ? 0 : 8192;
  config.max_num_batched_tokens = gpt_oss ? 20000 : std::max(least, one_prompt_and_decodes(row));
  config.gpu_memory_utilization = gpt_oss ? 0.85 : 0.75;
  if (!gpt_oss || is_blackwell(row)) config.kv_cache_dtype = "fp8";
  if (is_model(row, "DeepSeek") && is_blackwell(row) && row.precision != "fp4" &&
      row.version.starts_with("1.2.0rc6"))
    config.moe_backend = "flashinfer_trtllm";
}

}  // namespace

ConcurrencyLaunch launch_of(const ConcurrencyTruth& row) {
  ConcurrencyLaunch launch;
  launch.config.engine = row.backend;
  if (!is_inferencex(row)) {
    if (row.backend == "trtllm") {
      launch.config.max_num_batched_tokens = one_prompt_and_decodes(row);
      if (row.precision == "fp8") launch.config.kv_cache_dtype = "fp8";
    }
    return launch;
  }
  launch.range_ratio = kInferenceXRatio;
  if (row.backend == "vllm") set_vllm(row, launch);
  if (row.backend == "sglang") set_sglang(row, launch.config);
  if (row.backend == "trtllm") set_trtllm(row, launch.config);
  return launch;
}

}  // namespace warploom
