// One form for every softmax attention kernel: plain, grouped, latent; prefill and decode.
#pragma once

#include <optional>
#include <span>

#include "warploom/kernels/operator.h"

namespace warploom {

// Does not own the requests: valid while the operator lives. Counts are per GPU.
struct AttentionView {
  DataType compute = DataType::Bf16, kv_cache = DataType::Bf16;
  std::int64_t kv_heads = 1;
  std::int64_t group = 1;  // query heads of one KV head
  std::int64_t key_dim = 128, value_dim = 128;
  bool value_in_key = false;  // values are a part of the keys (absorbed latent attention)
  std::int64_t window = 0;
  bool causal = true;
  bool decode = false;
  std::span<const RequestGroup> requests;

  std::int64_t heads() const { return kv_heads * group; }
  // Elements of the cache per token.
  double cache_width() const { return double(kv_heads) * double(key_dim + (value_in_key ? 0 : value_dim)); }
};

// The view of an attention or MLA kernel, or of the attention inside an MlaModule; nothing for other
// operators.
std::optional<AttentionView> attention_view(const Operator& op);
AttentionView view_of(const AttentionPrefill& op);
AttentionView view_of(const AttentionDecode& op);
AttentionView view_of(const MlaPrefill& op);
AttentionView view_of(const MlaDecode& op);
AttentionView view_of(const MlaModule& op);

// Pairs of one request of a group.
double attended_pairs(const AttentionView& view,
                      const RequestGroup& group);                          // (query, key) pairs of one head
double needed_keys(const AttentionView& view, const RequestGroup& group);  // cache tokens that must be read

// Sums over all requests. O(groups).
struct AttentionTotals {
  double pairs = 0;  // of one head
  double queries = 0;
  double keys = 0;
  double requests = 0;
};
AttentionTotals attention_totals(const AttentionView& view);

}  // namespace warploom
