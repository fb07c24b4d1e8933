#include "warploom/models/plan_builders.h"
#include "warploom/models/rank_placement.h"

namespace warploom {
namespace {

void add_query_key_norms(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  if (model.qk_norm == QueryKeyNorm::None || !group.rotary) return;
  if (context.options.fuse_qk_norm_rope && model.rotary_dim > 0) return;
  const bool per_head = model.qk_norm == QueryKeyNorm::PerHead;
  const auto add = [&](std::string_view label, std::int64_t heads) {
    const std::int64_t width = per_head ? model.head_dim : heads * model.head_dim;
    plan.add(label, group.count, RmsNorm{.type = model.dtype, .width = width},
             {.factor = per_head ? heads : 1});
  };
  if (per_head && context.options.join_qk_norms) {
    add("qk_norm", context.local.heads + context.local.kv_heads);
    return;
  }
  add("q_norm", context.local.heads);
  add("k_norm", context.local.kv_heads);
}

void add_standard_projections(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const std::int64_t heads = context.local.heads, kv_heads = context.local.kv_heads;
  const std::int64_t query_width = heads * model.head_dim;
  add_linear(plan, context, "qkv_proj", group.count, group.schemes.attention_input,
             (model.output_gate ? 2 : 1) * query_width + 2 * kv_heads * model.head_dim, model.hidden);
  add_query_key_norms(plan, context, group);
  if (group.rotary && model.rotary_dim > 0) {
    plan.add("rope", group.count,
             Rope{.type = model.dtype, .heads = heads, .kv_heads = kv_heads, .head_dim = model.rotary_dim});
  }
  plan.add("kv_write", group.count,
           KvWrite{.type = model.dtype,
                   .kv_cache = context.kv_cache,
                   .kv_heads = kv_heads,
                   .head_dim = model.head_dim});
  if (model.output_gate) {
    plan.add("output_gate", group.count,
             Elementwise{.kind = ElementwiseKind::Multiply, .type = model.dtype, .width = query_width});
  }
  add_linear(plan, context, "o_proj", group.count, group.schemes.attention_output, model.hidden, query_width);
}

// The low-rank projections of queries and keys are whole on every rank, as is the cached latent.
void add_latent_projections(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const MlaShape& shape = model.latent->shape;
  const std::int64_t heads = context.local.latent_heads;
  const std::int64_t query_rank = model.latent->q_lora_rank;
  const std::int64_t latent = shape.kv_lora_rank + shape.rope_head_dim;
  const std::int64_t query_width = heads * (shape.nope_head_dim + shape.rope_head_dim);
  const MatmulScheme scheme = group.schemes.attention_input;
  if (query_rank > 0) {
    add_linear(plan, context, "qkv_a_proj", group.count, scheme, query_rank + latent, model.hidden);
    plan.add("q_norm", group.count, RmsNorm{.type = model.dtype, .width = query_rank});
    add_linear(plan, context, "q_b_proj", group.count, scheme, query_width, query_rank);
  } else {
    add_linear(plan, context, "q_proj", group.count, scheme, query_width, model.hidden);
    add_linear(plan, context, "qkv_a_proj", group.count, scheme, latent, model.hidden);
  }
  constexpr std::int64_t kGraphTokens = 512;  // more are not captured: no second stream
  plan.add("k_norm", group.count, RmsNorm{.type = model.dtype, .width = shape.kv_lora_rank},
           {.above = context.options.parallel_latent_norms && query_rank > 0 ? kGraphTokens : 0});
  plan.add("rope", group.count,
           Rope{.type = model.dtype, .heads = heads, .kv_heads = 1, .head_dim = shape.rope_head_dim});
  // KvWrite counts keys and values, so half the latent stands for each.
  plan.add("kv_write", group.count,
           KvWrite{.type = model.dtype, .kv_cache = context.kv_cache, .kv_heads = 1, .head_dim = latent / 2});
  add_linear(plan, context, "o_proj", group.count, group.schemes.attention_output, model.hidden,
             heads * shape.value_head_dim);
}

void add_linear_attention_projections(ScaledOperators& plan, const PlanContext& context,
                                      const LayerGroup& group) {
  const ModelArchitecture& model = context.model;
  const LinearAttentionShape& shape = *model.linear;
  const std::int64_t keys = context.local.linear_key_heads * shape.key_dim;
  const std::int64_t value_heads = context.local.linear_value_heads;
  const std::int64_t values = value_heads * shape.value_dim;
  // q, k, v and the output gate z; then the write strength and the decay of each value head.
  add_linear(plan, context, "linear_in_proj", group.count, group.schemes.attention_input,
             2 * keys + 2 * values, model.hidden);
  plan.add("linear_gates_proj", group.count,
           Gemm{.scheme = plain_scheme(model.dtype), .n = 2 * value_heads, .k = model.hidden});
  plan.add("gated_norm", group.count,
           RmsNorm{.type = model.dtype, .width = shape.value_dim, .residual = true}, {.factor = value_heads});
  add_linear(plan, context, "o_proj", group.count, group.schemes.attention_output, model.hidden, values);
}

void add_standard_attention(RequestOperators& plan, const PlanContext& context, const LayerGroup& group,
                            bool decode) {
  const ModelArchitecture& model = context.model;
  const std::int64_t window = group.attention == AttentionKind::SlidingWindow ? model.sliding_window : 0;
  const std::int64_t chunk = group.attention == AttentionKind::Chunked ? model.sliding_window : 0;
  if (decode) {
    AttentionDecode op;
    op.compute = model.dtype;
    op.kv_cache = context.kv_cache;
    op.heads = context.local.heads * context.sharding.decode_context_parallel;
    op.kv_heads = context.local.kv_heads;
    op.head_dim = model.head_dim;
    op.window = window;
    plan.add("attention_decode", group.count, std::move(op),
             {.chunk = chunk, .context_ranks = context.sharding.context_ranks()});
  } else {
    AttentionPrefill op;
    op.compute = model.dtype;
    op.kv_cache = context.kv_cache;
    op.heads = context.local.heads;
    op.kv_heads = context.local.kv_heads;
    op.head_dim = model.head_dim;
    op.window = window;
    plan.add("attention_prefill", group.count, std::move(op),
             {.chunk = chunk, .query_ranks = context.sharding.prefill_context_parallel});
  }
}

void add_latent_attention(RequestOperators& plan, const PlanContext& context, const LayerGroup& group,
                          bool decode) {
  const ModelArchitecture& model = context.model;
  MlaShape shape = model.latent->shape;
  shape.heads = context.local.latent_heads;
  MlaShape gathered = shape;  // of all ranks that share out the cached tokens
  gathered.heads *= context.sharding.decode_context_parallel;
  const MatmulScheme plain = plain_scheme(model.dtype);
  if (decode) {
    plan.add("q_absorb", group.count,
             Gemm{.scheme = plain, .n = shape.kv_lora_rank, .k = shape.nope_head_dim, .batch = shape.heads});
    plan.add(
        "mla_decode", group.count,
        MlaDecode{.compute = model.dtype, .kv_cache = context.kv_cache, .shape = gathered, .requests = {}},
        {.context_ranks = context.sharding.context_ranks()});
    plan.add("v_absorb", group.count,
             Gemm{.scheme = plain, .n = shape.value_head_dim, .k = shape.kv_lora_rank, .batch = shape.heads});
  } else {
    plan.add("kv_b_proj", group.count,
             Gemm{.scheme = group.schemes.attention_input,
                  .n = shape.heads * (shape.nope_head_dim + shape.value_head_dim),
                  .k = shape.kv_lora_rank});
    plan.add("mla_prefill", group.count,
             MlaPrefill{.compute = model.dtype, .kv_cache = context.kv_cache, .shape = shape, .requests = {}},
             {.query_ranks = context.sharding.prefill_context_parallel});
  }
}

void add_linear_attention(RequestOperators& plan, const PlanContext& context, const LayerGroup& group,
                          bool decode) {
  const LinearAttentionShape& shape = *context.model.linear;
  LinearAttention op;
  op.kind = LinearAttentionKind::GatedDeltaNet;
  op.stage = LinearAttentionStage::Convolution;
  op.key_heads = context.local.linear_key_heads;
  op.key_dim = shape.key_dim;
  op.value_heads = context.local.linear_value_heads;
  op.value_dim = shape.value_dim;
  op.convolution_width = shape.convolution_width;
  plan.add("linear_convolution", group.count, op);
  op.stage = decode ? LinearAttentionStage::StateUpdate : LinearAttentionStage::Scan;
  plan.add(decode ? "linear_state_update" : "linear_scan", group.count, op);
}

// What context parallelism exchanges around attention: queries to those that hold other tokens, their results
// with the logarithms of their sums back (vLLM's cp_lse_ag_out_rs), or keys and values where there are more
// queries than those.
class ContextExchange {
 public:
  ContextExchange(RequestOperators& plan, const PlanContext& context, const LayerGroup& group)
      : plan_(plan),
        context_(context),
        count_(group.count),
        latent_(group.attention == AttentionKind::Latent) {}

  void decode() { share_queries(RequestRows::NewTokens); }
  void prefill() {
    if (pcp() > 1) gather_kv(pcp(), RequestRows::NewTokens);
    if (latent_ || pcp() > 1)
      gather_kv(dcp() * pcp(), RequestRows::ContextTokens);
    else
      share_queries(RequestRows::TokensAfterContext);
  }

 private:
  std::int64_t dcp() const { return context_.sharding.decode_context_parallel; }
  std::int64_t pcp() const { return context_.sharding.prefill_context_parallel; }
  void add(std::string_view label, CollectiveKind kind, std::int64_t ranks, double values, double bytes,
           RequestRows rows) {
    if (ranks == 1) return;
    Collective op{.kind = kind, .size = Bytes(0), .ranks = ranks};
    place_ranks(op, context_.options);
    plan_.add(label, count_, std::move(op), {.bytes_per_row = values * bytes, .rows = rows});
  }
  void share_queries(RequestRows rows) {
    const ModelArchitecture& model = context_.model;
    const double bytes = context_.activation_bytes();
    const std::int64_t own = latent_ ? context_.local.latent_heads : context_.local.heads;
    const auto heads = static_cast<double>(own * dcp());
    const MlaShape* shape = latent_ ? &model.latent->shape : nullptr;
    const auto query =
        static_cast<double>(latent_ ? shape->kv_lora_rank + shape->rope_head_dim : model.head_dim);
    const auto output = static_cast<double>(latent_ ? shape->kv_lora_rank : model.head_dim);
    constexpr double kFloat = 4;
    const std::int64_t ranks = dcp() * pcp();
    add("cp_query_allgather", CollectiveKind::AllGather, dcp(), heads * query, bytes, rows);
    add("cp_lse_allgather", CollectiveKind::AllGather, ranks, heads * static_cast<double>(ranks), kFloat,
        rows);
    add("cp_output_reduce_scatter", CollectiveKind::ReduceScatter, dcp(), heads * output, bytes, rows);
    add("cp_output_allreduce", CollectiveKind::AllReduce, pcp(), static_cast<double>(own) * output, bytes,
        rows);
  }
  void gather_kv(std::int64_t ranks, RequestRows rows) {
    const ModelArchitecture& model = context_.model;
    const auto values =
        static_cast<double>(latent_ ? model.latent->shape.kv_lora_rank + model.latent->shape.rope_head_dim
                                    : 2 * context_.local.kv_heads * model.head_dim);
    add("cp_kv_allgather", CollectiveKind::AllGather, ranks, values,
        rows == RequestRows::ContextTokens ? bytes_per_element(context_.kv_cache)
                                           : context_.activation_bytes(),
        rows);
  }

  RequestOperators& plan_;
  const PlanContext& context_;
  std::int64_t count_;
  bool latent_;
};

void add_context_exchange(RequestOperators& plan, const PlanContext& context, const LayerGroup& group,
                          bool decode) {
  if (context.sharding.context_ranks() == 1) return;
  ContextExchange exchange(plan, context, group);
  decode ? exchange.decode() : exchange.prefill();
}

// Layers that differ only in what attention does not see share one node.
std::vector<LayerGroup> attention_groups(const PlanContext& context) {
  std::vector<LayerGroup> groups;
  for (LayerGroup group : context.layers) {
    group.mixture = false;
    group.rotary = true;
    if (group.attention != AttentionKind::Latent) group.schemes = {};
    group.schemes = LayerSchemes{.attention_input = group.schemes.attention_input};
    bool joined = false;
    for (LayerGroup& known : groups) {
      if (!known.alike(group)) continue;
      known.count += group.count;
      joined = true;
      break;
    }
    if (!joined) groups.push_back(group);
  }
  return groups;
}

}  // namespace

void add_attention_projections(ScaledOperators& plan, const PlanContext& context, const LayerGroup& group) {
  switch (group.attention) {
    case AttentionKind::Latent:
      return add_latent_projections(plan, context, group);
    case AttentionKind::Linear:
      return add_linear_attention_projections(plan, context, group);
    default:
      return add_standard_projections(plan, context, group);
  }
}

RequestOperators attention_plan(const PlanContext& context) {
  RequestOperators plan;
  for (const bool decode : {false, true}) {
    for (const LayerGroup& group : attention_groups(context)) {
      switch (group.attention) {
        case AttentionKind::Latent:
          add_latent_attention(plan, context, group, decode);
          break;
        case AttentionKind::Linear:
          add_linear_attention(plan, context, group, decode);
          break;
        default:
          add_standard_attention(plan, context, group, decode);
          break;
      }
      add_context_exchange(plan, context, group, decode);
    }
    if (!decode) plan.decode_begin = plan.nodes.size();
  }
  return plan;
}

}  // namespace warploom
