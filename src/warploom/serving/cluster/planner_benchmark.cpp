#include "warploom/serving/cluster/planner_benchmark.h"

#include <algorithm>
#include <array>

namespace warploom {
namespace {

constexpr std::int64_t kPromptSizes = 16, kLengths = 6, kBatches = 6;
constexpr std::int64_t kLongest = 8192;  // tokens of a request where the model says none

Seconds time_of(StepPricer& pricer, StepBatch batch) {
  const auto ranks = std::int64_t(pricer.coupled_replicas());
  batch.group_tokens = batch.tokens() * ranks;
  batch.widest_rank_tokens = batch.narrowest_rank_tokens = batch.tokens();
  return pricer.price(batch).p50;
}

EngineLoad prompt_of(StepPricer& pricer, std::int64_t tokens) {
  const std::array<PrefillChunk, 1> chunk{{{.tokens = std::int32_t(tokens), .context = 0}}};
  StepBatch batch{.chunks = chunk, .chunk_tokens = tokens, .emitting = 1, .logits_rows = 1};
  return {.prompt_tokens = tokens, .prompts = 1, .step = time_of(pricer, batch)};
}

EngineLoad decoding_of(StepPricer& pricer, std::int64_t requests, std::int64_t length) {
  StepBatch batch{.decode_requests = requests,
                  .decode_context_sum = requests * length,
                  .decode_context_max = std::int32_t(length),
                  .emitting = requests,
                  .logits_rows = requests};
  return {.decode_tokens = requests * length, .decoding = requests, .step = time_of(pricer, batch)};
}

}  // namespace

PoolLoad benchmark_of(const PoolPlan& plan, PoolRole role) {
  PoolLoad look{.instances = 1, .starting = 1, .role = role};  // an engine that starts: nothing is decided
  const ServingConfig& config = plan.config;
  const std::unique_ptr<StepPricer> pricer = plan.pricer->clone();
  const std::int64_t longest = config.max_model_len.value_or(kLongest);
  const std::int64_t step = std::min(max_num_batched_tokens_of(config), longest);
  for (std::int64_t i = 1; role != PoolRole::Decode && i <= kPromptSizes; ++i)
    look.engines.push_back(prompt_of(*pricer, std::max<std::int64_t>(1, step * i / kPromptSizes)));
  if (role == PoolRole::Prefill) return look;
  const std::int64_t tokens = config.kv_layout.most_tokens(config.num_gpu_blocks_override.value_or(longest),
                                                           config.block_size.value_or(1));
  for (std::int64_t i = 1; i <= kLengths; ++i) {
    const std::int64_t length = std::max<std::int64_t>(1, (longest - 1) * i / kLengths);
    const std::int64_t most = std::clamp<std::int64_t>(tokens / length, 1, max_num_seqs_of(config));
    for (std::int64_t j = 1; j <= kBatches; ++j)
      look.engines.push_back(decoding_of(*pricer, std::max<std::int64_t>(1, most * j / kBatches), length));
  }
  return look;
}

}  // namespace warploom
