#include "warploom/app/concurrency_launch.h"

#include <algorithm>

namespace warploom {
namespace {

constexpr double kInferenceXRatio = 0.8;

bool is_inferencex(const ConcurrencyTruth& row) {
  return row.dump.starts_with("20") || row.dump.starts_with("db-dump/") ||
         row.dump.ends_with("-gap-analysis.csv");
}

std::int64_t one_prompt_and_decodes(const ConcurrencyTruth& row) {
  return (*row.concurrency + row.input_tokens + 64 + 63) / 64 * 64;
}

void set_vllm(const ConcurrencyTruth& row, ServingConfig& config) {
  config.max_num_seqs = *row.concurrency;
  config.max_num_batched_tokens = std::max<std::int64_t>(8192, *row.concurrency);
}

void set_sglang(const ConcurrencyTruth& row, ServingConfig& config) {
  config.max_num_seqs = row.input_tokens == 1024 && row.output_tokens == 1024 ? 512 : 256;
  config.max_num_batched_tokens = 32768;
  config.chunked_prefill_size = 32768;
  config.gpu_memory_utilization = 0.82;
}

void set_trtllm(const ConcurrencyTruth& row, ServingConfig& config) {
  const bool gpt_oss = row.model.find("gpt-oss") != std::string::npos;
  config.max_num_seqs = std::max<std::int64_t>(512, *row.concurrency);
  config.max_num_batched_tokens = gpt_oss ? 20000 : std::max<std::int64_t>(8192, one_prompt_and_decodes(row));
  config.gpu_memory_utilization = 0.8;
  config.kv_cache_dtype = "fp8";
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
  if (row.backend == "vllm") set_vllm(row, launch.config);
  if (row.backend == "sglang") set_sglang(row, launch.config);
  if (row.backend == "trtllm") set_trtllm(row, launch.config);
  return launch;
}

}  // namespace warploom
