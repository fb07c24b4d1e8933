#include <algorithm>

#include "warploom/models/plan_builders.h"
#include "warploom/models/rank_placement.h"

namespace warploom {
namespace {

class CollectiveList {
 public:
  explicit CollectiveList(const PlanContext& context) : context_(context) {}

  void add(std::string_view label, std::int64_t count, CollectiveKind kind, std::int64_t ranks,
           double bytes_per_row, RowSource source = RowSource::Tokens, std::int64_t stride = 1) {
    add(label, count, {.kind = kind, .size = Bytes(0), .ranks = ranks}, bytes_per_row, source, stride);
  }
  // `stride`: as place_ranks has it.
  void add(std::string_view label, std::int64_t count, Collective op, double bytes_per_row, RowSource source,
           std::int64_t stride = 1) {
    if (count == 0) return;
    place_ranks(op, context_.options, stride);
    plan_.add(label, count, op, {.source = source, .factor = 1, .bytes_per_row = bytes_per_row});
  }

  ScaledOperators take() { return std::move(plan_); }

 private:
  const PlanContext& context_;
  ScaledOperators plan_;
};

std::int64_t count_mixture(const PlanContext& context) {
  std::int64_t total = 0;
  for (const LayerGroup& group : context.layers) total += group.mixture() != nullptr ? group.count : 0;
  return total;
}

// All-reduces of hidden states. Feed-forward ranks share none.
std::int64_t count_reductions(const PlanContext& context) {
  const auto reductions = [](const auto& part) { return part.reductions(); };
  const bool whole = context.options.side == LayerSide::Both;
  std::int64_t total = 0;
  for (const LayerGroup& group : context.layers) {
    const bool here = whole || (group.mixture() == nullptr && !context.gate_apart());
    total += group.count *
             (std::visit(reductions, group.mixer) + (here ? std::visit(reductions, group.feed_forward) : 0));
  }
  return total;
}

std::int64_t count_norm_reductions(const PlanContext& context) {
  std::int64_t total = 0;
  for (const LayerGroup& group : context.layers)
    total +=
        std::visit([](const auto& mixer) { return mixer.reduces_norms(); }, group.mixer) ? group.count : 0;
  return total;
}

// Bytes of a value that is sent to experts, with the scales of its block.
double sent_element(const ModelArchitecture& model, MatmulScheme experts, const GraphOptions& options) {
  if (experts == MatmulScheme::NvFp4 && options.nvfp4_dispatch) return bytes_per_element(DataType::NvFp4);
  return experts == MatmulScheme::Fp8Block ? 1.0 : bytes_per_element(model.dtype);
}

// Data-parallel attention: tokens travel to the ranks that hold their experts and back.
void add_expert_exchange(CollectiveList& list, const PlanContext& context, std::int64_t layers) {
  if (context.options.expert_exchange == ExpertExchange::WithExperts) return;
  const Sharding& sharding = context.sharding;
  const MixtureOfExperts& mixture = *context.model.mixture();
  if (context.options.expert_exchange == ExpertExchange::DispatchCombine) {
    const std::int64_t ranks = sharding.moe_ranks();
    const auto exchange = [&](std::string_view label, CollectiveKind kind) {
      const Collective op =
          expert_message(kind, context.model, context.layers.back().schemes.experts, context.options, ranks);
      const double sent = op.token_bytes.value() * static_cast<double>(op.top_k);
      list.add(label, layers, op, sent / static_cast<double>(ranks), RowSource::GroupTokens);
    };
    exchange("moe_dispatch", CollectiveKind::Dispatch);
    exchange("moe_combine", CollectiveKind::Combine);
    return;
  }
  // What experts work in is what travels: the latent, where they have one.
  const auto hidden = static_cast<double>(mixture.latent > 0 ? mixture.latent : context.model.hidden);
  const double bytes = context.activation_bytes();
  // The router's logits travel with the tokens.
  const double gathered = (hidden + static_cast<double>(mixture.experts)) * bytes;
  const std::int64_t groups = sharding.expert_groups(), apart = sharding.tensor_parallel;
  list.add("moe_allgather", layers, CollectiveKind::AllGather, groups, gathered, RowSource::GroupTokens,
           apart);
  list.add("moe_reduce_scatter", layers, CollectiveKind::ReduceScatter, groups, hidden * bytes,
           RowSource::GroupTokens, apart);
}

// From stage to stage, inside a link domain or out of it.
struct StageSends {
  std::int64_t within = 0, across = 0;
};

StageSends sends_of(const PlanContext& context) {
  const Sharding& sharding = context.sharding;
  const std::int64_t gpus = sharding.attention_ranks() * sharding.prefill_context_parallel;
  if (const auto stage = context.options.pipeline_stage) {
    if (context.last_stage) return {};
    return crosses_behind(context.options, *stage, gpus) ? StageSends{.across = 1} : StageSends{.within = 1};
  }
  const std::int64_t across = crossings_between(context.options, sharding.pipeline_parallel, gpus);
  return {sharding.pipeline_parallel - 1 - across, across};
}

void add_sends(CollectiveList& list, const PlanContext& context) {
  const Sharding& sharding = context.sharding;
  const std::int64_t ranks = sharding.tensor_parallel;
  const StageSends sends = sends_of(context);
  // Hidden state and residual; each rank sends its share, and the receivers gather the whole.
  // With streams all of them travel, and what the last part added.
  const double rows = 1.0 + static_cast<double>(context.model.residual.streams);
  const double bytes = rows * static_cast<double>(context.model.hidden) * context.activation_bytes();
  const double share = bytes / static_cast<double>(ranks);
  list.add("pipeline_send", sends.within, CollectiveKind::SendRecv, 2, share);
  list.add("pipeline_send_across", sends.across, CollectiveKind::SendRecv, 2, share, RowSource::Tokens,
           std::max(context.options.ranks_per_node, std::int64_t(1)));
  if (ranks > 1)
    list.add("pipeline_allgather", sends.within + sends.across, CollectiveKind::AllGather, ranks, bytes);
}

}  // namespace

Collective expert_message(CollectiveKind kind, const ModelArchitecture& model, MatmulScheme experts,
                          const GraphOptions& options, std::int64_t ranks) {
  const MixtureOfExperts& mixture = *model.mixture();
  const double width = double(mixture.latent > 0 ? mixture.latent : model.hidden);
  const double element = kind == CollectiveKind::Dispatch ? sent_element(model, experts, options)
                                                          : bytes_per_element(model.dtype);
  return {.kind = kind,
          .size = Bytes(0),
          .ranks = ranks,
          .top_k = mixture.top_k,
          .token_bytes = Bytes(width * element)};
}

ScaledOperators collective_plan(const PlanContext& context) {
  const Sharding& sharding = context.sharding;
  const ModelArchitecture& model = context.model;
  const double hidden_bytes = static_cast<double>(model.hidden) * context.activation_bytes();
  const std::int64_t ranks = sharding.tensor_parallel;
  CollectiveList list(context);
  const LayerSide side = context.options.side;
  const std::int64_t groups = sharding.expert_groups();
  if (side == LayerSide::FeedForward) {
    // Where attention chooses the experts, tokens come to their ranks directly (afd_plan.h).
    if (context.gate_apart() && groups > 1) add_expert_exchange(list, context, count_mixture(context));
    return list.take();
  }
  if (ranks > 1) {
    if (context.first_stage)
      list.add("embedding_allreduce", 1, CollectiveKind::AllReduce, ranks, hidden_bytes);
    list.add("allreduce", count_reductions(context), CollectiveKind::AllReduce, ranks, hidden_bytes);
    constexpr double kVarianceBytes = 2 * 4.0;  // one fp32 sum of squares each for queries and keys
    list.add("qk_norm_allreduce", count_norm_reductions(context), CollectiveKind::AllReduce, ranks,
             kVarianceBytes);
  }
  if (side == LayerSide::Both && groups > 1 && model.mixture() != nullptr)
    add_expert_exchange(list, context, count_mixture(context));
  // Each group of prompts' tokens ends with what all of them made (pcp_manager.py, all_gather of hidden
  // states).
  if (sharding.prefill_context_parallel > 1 && context.last_stage)
    list.add("cp_hidden_allgather", 1, CollectiveKind::AllGather, sharding.prefill_context_parallel,
             hidden_bytes * double(sharding.prefill_context_parallel), RowSource::Tokens, ranks);
  add_sends(list, context);
  if (ranks > 1 && context.last_stage) {
    const double logits_bytes = static_cast<double>(context.vocabulary * ranks) * context.activation_bytes();
    list.add("logits_allgather", 1, CollectiveKind::AllGather, ranks, logits_bytes, RowSource::LogitsRows);
  }
  return list.take();
}

}  // namespace warploom
