#include "warploom/app/serving/mega_moe_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "warploom/base/error.h"
#include "warploom/kernels/moe/mega_moe.h"
#include "warploom/models/mega_moe_buffer.h"
#include "warploom/models/operator_graph.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// Where SGLang says which kernel, and the tokens of a rank that its buffer holds unless its environment says
// otherwise (environ.py of 0.5.23, SGLANG_OPT_DEEPGEMM_MEGA_MOE_NUM_MAX_TOKENS_PER_RANK), with the SMs that
// the kernel leaves (SGLANG_OPT_DEEPGEMM_MEGA_MOE_RESERVED_SMS). vLLM's holds its largest step.
constexpr std::string_view kExchangeField = "moe_a2a_backend", kExpertsField = "moe_backend";
constexpr std::int64_t kSglangTokens = 8192, kSglangReservedSms = 2;

bool is_sglang(const EngineLaunch& launch) {
  return engine_named(launch.config.engine).memory_share == MemoryShare::StaticPart;
}

std::string asked_by(const EngineLaunch& launch) {
  const ServingConfig& config = launch.config;
  return config.moe_a2a_backend == "none" ? fmt::format("{} {}", kExpertsField, config.moe_backend)
                                          : fmt::format("{} {}", kExchangeField, config.moe_a2a_backend);
}

void check_budget(const EngineLaunch& launch) {
  if (!is_sglang(launch)) return;
  const std::int64_t chunk = launch.config.chunked_prefill_size.value_or(0);
  const std::int64_t groups = std::max<std::int64_t>(1, launch.sharding.attention_data_parallel);
  if (chunk <= 0)
    throw InvalidInput(fmt::format(
        "chunked_prefill_size is {}: {} bounds the tokens of a rank by it, expected one from {} to {}", chunk,
        asked_by(launch), groups, groups * kSglangTokens));
  if (chunk / groups > kSglangTokens)
    throw InvalidInput(fmt::format(
        "chunked_prefill_size is {}: {} holds up to {} tokens of each of {} ranks, expected up to {}", chunk,
        asked_by(launch), kSglangTokens, groups, groups * kSglangTokens));
}

}  // namespace

void exchange_within_experts(const EngineLaunch& launch, GraphOptions& graph) {
  const std::string asked = asked_by(launch);
  if (launch.sharding.apart())
    throw Unsupported(
        fmt::format("{}: experts apart from attention are not modelled with it, expected no "
                    "num_ffn_ranks or another exchange",
                    asked));
  if (const std::int64_t joined = graph.ranks_per_node;
      joined > 0 && launch.sharding.expert_parallel > joined)
    throw Unsupported(
        fmt::format("{}: reads the memory of other GPUs over their links, which join {} of {}; "
                    "expected experts over no more than that instead of {}",
                    asked, joined, launch.gpu.name, launch.sharding.expert_parallel));
  graph.expert_exchange = ExpertExchange::WithExperts;
  graph.choose_experts = true;  // its rows hold neither the gate nor the choice
  check_budget(launch);
  constexpr std::int64_t kSomeTokens = 64;  // the experts' shape does not depend on them
  for (const OperatorNode& node :
       build_operator_graph(launch.model, launch.sharding, StepShape::whole_prompts(1, kSomeTokens), graph))
    if (const auto* experts = std::get_if<FusedMoe>(&node.op))
      shipped_mega_moe().check(*experts, launch.gpu, asked);
}

Bytes mega_moe_memory(const EngineLaunch& launch) {
  const MixtureOfExperts& mixture = *launch.model.mixture();
  const std::int64_t step = launch.config.max_num_batched_tokens.value_or(kSglangTokens);
  const Bytes buffer =
      mega_moe_buffer({.ranks = launch.sharding.expert_parallel,
                       .experts = mixture.experts + launch.sharding.redundant_experts,
                       .top_k = mixture.top_k,
                       .hidden = mixture.latent > 0 ? mixture.latent : launch.model.hidden,
                       .intermediate = mixture.intermediate,
                       .shared_experts = mixture.shared_intermediate / mixture.intermediate,
                       .tokens = is_sglang(launch) ? kSglangTokens : step,
                       .sms = launch.gpu.sm_count - (is_sglang(launch) ? kSglangReservedSms : 0)});
  if (!is_sglang(launch)) return buffer;
  const double left = 1 - *launch.config.gpu_memory_utilization;
  if (const Bytes outside = launch.gpu.memory_capacity * left; buffer > outside)
    throw InvalidInput(fmt::format(
        "mem_fraction_static leaves {:.1f} GiB of a GPU, and {} takes {:.1f} GiB to exchange tokens through; "
        "expected a share of at most {:.2f}",
        to_gibibytes(outside), asked_by(launch), to_gibibytes(buffer),
        1 - buffer / launch.gpu.memory_capacity));
  return Bytes(0);  // beside the share that weights and KV cache have
}

}  // namespace warploom
