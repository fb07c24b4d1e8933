#include "warploom/models/afd_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"
#include "warploom/models/plan_builders.h"
#include "warploom/models/rank_placement.h"

namespace warploom {
namespace {

GraphOptions of_side(GraphOptions options, LayerSide side) {
  options.side = side;
  return options;
}

// Layers whose feed-forward lies apart.
std::int64_t layers_apart(const ModelArchitecture& model, const Sharding& sharding) {
  std::int64_t layers = 0;
  for (const LayerGroup& group : model.layers) {
    const bool empty = std::holds_alternative<NoFeedForward>(group.feed_forward);
    const bool apart = group.mixture() != nullptr || (!sharding.gate_on_attention && !empty);
    layers += apart ? group.count : 0;
  }
  return layers;
}

const ModelArchitecture& checked(const ModelArchitecture& model, const Sharding& sharding) {
  check_apart(model, sharding);
  return model;
}

// One way between the sides, in all layers: hidden states to one rank, or a copy to each rank of an expert.
ScaledOperators one_way(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options,
                        std::int64_t layers, bool there) {
  const double hidden = double(model.hidden) * bytes_per_element(model.dtype);
  ScaledOperators plan;
  const std::int64_t ranks = sharding.feed_forward_ranks;
  // Sides that do not share a link domain lie in nodes of their own.
  const std::int64_t stride = std::max<std::int64_t>(options.ranks_per_node, 1);
  const auto send = [&](double bytes) {
    Collective op{.kind = CollectiveKind::SendRecv, .size = Bytes(0), .ranks = 2};
    place_ranks(op, options, stride);
    plan.add(there ? "a2f_send" : "f2a_send", layers, op, {.factor = 1, .bytes_per_row = bytes});
    return plan;
  };
  if (!sharding.gate_on_attention || ranks == 1) return send(hidden);
  const Collective op = expert_message(there ? CollectiveKind::Dispatch : CollectiveKind::Combine, model,
                                       model.layers.back().schemes.experts, options, ranks);
  const double token = op.token_bytes.value();
  // No kernel was measured whose two sides lie in different domains: each copy leaves its node by itself.
  if (options.ranks_per_node > 0) return send(token * double(std::min(op.top_k, ranks)));
  plan.add(there ? "a2f_dispatch" : "f2a_combine", layers, op,
           {.factor = 1, .bytes_per_row = token * double(op.top_k)});
  return plan;
}

}  // namespace

AfdSizes afd_sizes(const Sharding& sharding, std::int64_t tokens, std::int64_t group_tokens,
                   std::int64_t micro_batches) {
  AfdSizes sizes;
  sizes.micro_batches = std::min(micro_batches, tokens);
  sizes.tokens = divide_up(tokens, sizes.micro_batches);
  sizes.group_tokens = std::max(sizes.tokens, divide_up(group_tokens, sizes.micro_batches));
  // The ranks of a group hold the same tokens and send a part of them each.
  const std::int64_t each = divide_up(sizes.tokens, sharding.tensor_parallel);
  const std::int64_t block = divide_up(sharding.attention_ranks(), sharding.feed_forward_ranks);
  sizes.feed_forward_tokens = sharding.gate_on_attention || block == 1
                                  ? divide_up(sizes.group_tokens, sharding.feed_forward_ranks)
                                  : std::min(sizes.group_tokens, block * each);
  sizes.sent_tokens = std::max(each, sizes.feed_forward_tokens);
  return sizes;
}

StepShape micro_batch_of(const StepShape& step, std::int64_t micro_batches) {
  if (micro_batches == 1) return step;
  constexpr std::int64_t kLeast = 2;  // tokens of a chunk
  StepShape part = step;
  for (RequestGroup& group : part.decode) group.count = divide_up(group.count, micro_batches);
  for (RequestGroup& group : part.prefill) {
    const std::int64_t tokens = std::max(kLeast, divide_up(group.query_tokens, micro_batches));
    group.context_tokens += std::max<std::int64_t>(0, group.query_tokens - tokens) / 2;
    group.query_tokens = tokens;
  }
  return part;
}

void check_apart(const ModelArchitecture& model, const Sharding& sharding) {
  WARPLOOM_ASSERT(sharding.apart());
  if (model.mixture() == nullptr)
    throw InvalidInput(fmt::format(
        "num_ffn_ranks: {} has no experts to hold apart, expected a mixture-of-experts model", model.name));
  if (sharding.pipeline_parallel > 1 || sharding.splits_context())
    throw Unsupported(
        "num_ffn_ranks: attention and feed-forward apart are not modelled with pipeline stages or context "
        "parallelism, expected sizes of 1");
}

AfdPlan::AfdPlan(const ModelArchitecture& model, const Sharding& sharding, const GraphOptions& options)
    : sharding_(sharding),
      attention_(checked(model, sharding), sharding, of_side(options, LayerSide::Attention)),
      feed_forward_(model, sharding.feed_forward_side(), of_side(options, LayerSide::FeedForward)),
      layers_(layers_apart(model, sharding)) {
  to_ = one_way(model, sharding, options, layers_, true);
  from_ = one_way(model, sharding, options, layers_, false);
}

std::span<const OperatorNode> AfdPlan::to_experts(std::int64_t sent_tokens) {
  return to_.scale(sent_tokens, sent_tokens, 0);
}

std::span<const OperatorNode> AfdPlan::from_experts(std::int64_t sent_tokens) {
  return from_.scale(sent_tokens, sent_tokens, 0);
}

}  // namespace warploom
