#include "warploom/kernels/attention_view.h"

#include <algorithm>

namespace warploom {
namespace {

template <class Op>
AttentionView grouped_view(const Op& op, bool causal, bool decode) {
  return {.compute = op.compute,
          .kv_cache = op.kv_cache,
          .kv_heads = op.kv_heads,
          .group = op.heads / op.kv_heads,
          .key_dim = op.head_dim,
          .value_dim = op.head_dim,
          .window = op.window,
          .causal = causal,
          .decode = decode,
          .requests = op.requests};
}

template <class Op>
AttentionView expanded_view(const Op& op) {
  return {.compute = op.compute,
          .kv_cache = op.kv_cache,
          .kv_heads = op.shape.heads,
          .group = 1,
          .key_dim = op.shape.nope_head_dim + op.shape.rope_head_dim,
          .value_dim = op.shape.value_head_dim,
          .requests = op.requests};
}

template <class Op>
AttentionView absorbed_view(const Op& op) {
  return {.compute = op.compute,
          .kv_cache = op.kv_cache,
          .kv_heads = 1,
          .group = op.shape.heads,
          .key_dim = op.shape.kv_lora_rank + op.shape.rope_head_dim,
          .value_dim = op.shape.kv_lora_rank,
          .value_in_key = true,
          .decode = true,
          .requests = op.requests};
}

}  // namespace

AttentionView view_of(const AttentionPrefill& op) { return grouped_view(op, op.causal, false); }
AttentionView view_of(const AttentionDecode& op) { return grouped_view(op, true, true); }
AttentionView view_of(const MlaPrefill& op) { return expanded_view(op); }
AttentionView view_of(const MlaDecode& op) { return absorbed_view(op); }
AttentionView view_of(const MlaModule& op) { return op.decode ? absorbed_view(op) : expanded_view(op); }

std::optional<AttentionView> attention_view(const Operator& op) {
  return std::visit(
      [](const auto& alternative) -> std::optional<AttentionView> {
        if constexpr (requires { view_of(alternative); })
          return view_of(alternative);
        else
          return std::nullopt;
      },
      op);
}

double attended_pairs(const AttentionView& view, const RequestGroup& group) {
  const double queries = double(group.query_tokens), context = double(group.context_tokens);
  if (!view.causal) return queries * (context + queries);
  if (view.window == 0) return queries * context + queries * (queries + 1) / 2;
  const double window = double(view.window);
  const double growing = std::clamp(window - context - 1, 0.0, queries);
  return growing * context + growing * (growing + 1) / 2 + (queries - growing) * window;
}

double needed_keys(const AttentionView& view, const RequestGroup& group) {
  const double keys = double(group.kv_tokens());
  if (view.window == 0 || !view.causal) return keys;
  return std::min(keys, double(group.query_tokens) - 1 + double(view.window));
}

AttentionTotals attention_totals(const AttentionView& view) {
  AttentionTotals totals;
  for (const RequestGroup& group : view.requests) {
    const double count = double(group.count);
    totals.pairs += count * attended_pairs(view, group);
    totals.queries += count * double(group.query_tokens);
    totals.keys += count * needed_keys(view, group);
    totals.requests += count;
  }
  return totals;
}

}  // namespace warploom
