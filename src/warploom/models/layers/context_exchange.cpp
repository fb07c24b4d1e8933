#include "warploom/models/layers/context_exchange.h"

#include "warploom/models/rank_placement.h"

namespace warploom {
namespace {

class ContextExchange {
 public:
  ContextExchange(RequestOperators& plan, const LaunchedLayer& layer, const ExchangedSizes& sizes)
      : plan_(plan), layer_(layer), sizes_(sizes) {}

  void decode() {
    gather_kv(pcp(), RequestRows::NewTokens);
    share_queries(RequestRows::NewTokens);
  }
  void prefill() {
    gather_kv(pcp(), RequestRows::NewTokens);
    if (sizes_.prompts_gather_kv)
      gather_kv(dcp(), RequestRows::ContextTokens);
    else
      share_queries(sizes_.chosen > 0 ? RequestRows::NewTokens : RequestRows::TokensAfterContext);
  }

 private:
  std::int64_t dcp() const { return layer_.sharding.decode_context_parallel; }
  std::int64_t pcp() const { return layer_.sharding.prefill_context_parallel; }
  void add(std::string_view label, CollectiveKind kind, std::int64_t ranks, double values, double bytes,
           RequestRows rows) {
    if (ranks == 1 || values == 0) return;
    Collective op{.kind = kind, .size = Bytes(0), .ranks = ranks};
    place_ranks(op, layer_.options);
    plan_.add(label, layer_.count, op, {.bytes_per_row = values * bytes, .rows = rows});
  }
  void share_queries(RequestRows rows) {
    const double bytes = bytes_per_element(layer_.dtype);
    const auto heads = static_cast<double>(sizes_.heads * dcp());
    constexpr double kFloat = 4, kCandidate = 8;  // a score and a place
    add("cp_topk_allgather", CollectiveKind::AllGather, dcp(), static_cast<double>(sizes_.chosen * dcp()),
        kCandidate, rows);
    add("cp_query_allgather", CollectiveKind::AllGather, dcp(), heads * sizes_.query, bytes, rows);
    add("cp_lse_allgather", CollectiveKind::AllGather, dcp(), heads * static_cast<double>(dcp()), kFloat,
        rows);
    add("cp_output_reduce_scatter", CollectiveKind::ReduceScatter, dcp(), heads * sizes_.output, bytes, rows);
  }
  void gather_kv(std::int64_t ranks, RequestRows rows) {
    const DataType type = rows == RequestRows::ContextTokens ? layer_.kv_cache : layer_.dtype;
    add("cp_kv_allgather", CollectiveKind::AllGather, ranks, sizes_.keys_and_values, bytes_per_element(type),
        rows);
  }

  RequestOperators& plan_;
  const LaunchedLayer& layer_;
  const ExchangedSizes& sizes_;
};

}  // namespace

void add_context_exchange(RequestOperators& plan, const LaunchedLayer& layer, const ExchangedSizes& sizes,
                          bool decode) {
  if (!layer.sharding.splits_context()) return;
  ContextExchange exchange(plan, layer, sizes);
  decode ? exchange.decode() : exchange.prefill();
}

}  // namespace warploom
