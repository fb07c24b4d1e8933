#include "warploom/models/layers/latent_attention.h"

#include <fmt/format.h>

#include <utility>

#include "warploom/models/layers/linear_layer.h"

namespace warploom {

bool LatentAttention::operator==(const LatentAttention& other) const {
  const auto sizes = [](const LatentAttention& a) {
    return std::array{a.q_lora_rank,
                      a.shape.heads,
                      a.shape.kv_lora_rank,
                      a.shape.rope_head_dim,
                      a.shape.nope_head_dim,
                      a.shape.value_head_dim,
                      std::int64_t(a.output_gate),
                      std::int64_t(a.rotates),
                      std::int64_t(a.reads_embeddings)};
  };
  return sizes(*this) == sizes(other);
}

MlaShape LatentAttention::on(std::int64_t ranks) const {
  MlaShape local = shape;
  local.heads = shape.heads / ranks;
  return local;
}

void LatentAttention::check(std::string_view where) const {
  for (const std::int64_t size :
       {shape.heads, shape.kv_lora_rank, shape.rope_head_dim, shape.nope_head_dim, shape.value_head_dim})
    if (double(size) > kMostHeadWidth)
      throw InvalidInput(
          fmt::format("{}: a size of MLA is {}, expected at most {:g}", where, size, kMostHeadWidth));
}

void LatentAttention::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("attention heads", shape.heads, "`tensor_parallel_size`", ranks);
}

void LatentAttention::count(LayerParameters& layer, const LayerPlace& place) const {
  const std::int64_t inputs = input_width(place.hidden);
  const MlaShape local = on(place.sharding.tensor_parallel);
  const std::int64_t queries = local.heads * (shape.nope_head_dim + shape.rope_head_dim);
  const double query_parameters =
      q_lora_rank > 0 ? element_count(inputs, q_lora_rank) + element_count(q_lora_rank, queries)
                      : element_count(inputs, queries);
  const double expansion =
      element_count(shape.kv_lora_rank, local.heads, shape.nope_head_dim + shape.value_head_dim);
  layer.attention_input =
      query_parameters + element_count(inputs, shape.kv_lora_rank + shape.rope_head_dim) + expansion;
  if (output_gate) layer.attention_input += element_count(place.hidden, local.heads, shape.value_head_dim);
  layer.attention_output = element_count(place.hidden, local.heads, shape.value_head_dim);
  layer.plain += static_cast<double>(q_lora_rank + shape.kv_lora_rank);
  layer.absorbed = expansion;
}

LayerCache LatentAttention::cache(const LayerPlace&) const {
  return {.per_token = static_cast<double>(shape.kv_lora_rank + shape.rope_head_dim)};
}

double LatentAttention::widest_outputs(const LayerPlace& place) const {
  const std::int64_t per_head = shape.nope_head_dim * 2 + shape.rope_head_dim + shape.value_head_dim * 2;
  return static_cast<double>(on(place.sharding.tensor_parallel).heads * per_head + q_lora_rank);
}

// The low-rank projections of queries and keys are whole on every rank, as is the cached latent.
void LatentAttention::add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const std::int64_t heads = on(layer.sharding.tensor_parallel).heads;
  const std::int64_t latent = shape.kv_lora_rank + shape.rope_head_dim;
  const std::int64_t query_width = heads * (shape.nope_head_dim + shape.rope_head_dim);
  const std::int64_t inputs = input_width(layer.hidden);
  const MatmulScheme scheme = layer.schemes.attention_input;
  if (q_lora_rank > 0) {
    add_linear(plan, layer, "qkv_a_proj", scheme, q_lora_rank + latent, inputs);
    plan.add("q_norm", layer.count, RmsNorm{.type = layer.dtype, .width = q_lora_rank});
    add_linear(plan, layer, "q_b_proj", scheme, query_width, q_lora_rank);
  } else {
    add_linear(plan, layer, "q_proj", scheme, query_width, inputs);
    add_linear(plan, layer, "qkv_a_proj", scheme, latent, inputs);
  }
  constexpr std::int64_t kGraphTokens = 512;  // more are not captured: no second stream
  plan.add("k_norm", layer.count, RmsNorm{.type = layer.dtype, .width = shape.kv_lora_rank},
           {.above = layer.options.parallel_latent_norms && q_lora_rank > 0 ? kGraphTokens : 0});
  if (rotates)
    plan.add("rope", layer.count,
             Rope{.type = layer.dtype, .heads = heads, .kv_heads = 1, .head_dim = shape.rope_head_dim});
  // KvWrite counts keys and values, so half the latent stands for each.
  plan.add("kv_write", layer.count,
           KvWrite{.type = layer.dtype, .kv_cache = layer.kv_cache, .kv_heads = 1, .head_dim = latent / 2});
  const std::int64_t values = heads * shape.value_head_dim;
  if (output_gate) {
    add_linear(plan, layer, "gate_proj", scheme, values, layer.hidden);
    plan.add("output_gate", layer.count,
             Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = values});
  }
  add_linear(plan, layer, "o_proj", layer.schemes.attention_output, layer.hidden, values);
}

void LatentAttention::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const MlaShape local = on(layer.sharding.tensor_parallel);
  MlaShape gathered = local;  // of all ranks that share out the cached tokens
  gathered.heads *= layer.sharding.decode_context_parallel;
  const MatmulScheme plain = plain_scheme(layer.dtype);
  if (decode) {
    const RequestRule own{.request_ranks = layer.sharding.prefill_context_parallel};
    plan.add("q_absorb", layer.count,
             Gemm{.scheme = plain, .n = shape.kv_lora_rank, .k = shape.nope_head_dim, .batch = local.heads},
             own);
    plan.add("mla_decode", layer.count,
             MlaDecode{.compute = layer.dtype, .kv_cache = layer.kv_cache, .shape = gathered, .requests = {}},
             {.context_ranks = layer.sharding.decode_context_parallel, .request_ranks = own.request_ranks});
    plan.add("v_absorb", layer.count,
             Gemm{.scheme = plain, .n = shape.value_head_dim, .k = shape.kv_lora_rank, .batch = local.heads},
             own);
  } else {
    plan.add("kv_b_proj", layer.count,
             Gemm{.scheme = layer.schemes.attention_input,
                  .n = local.heads * (shape.nope_head_dim + shape.value_head_dim),
                  .k = shape.kv_lora_rank});
    plan.add("mla_prefill", layer.count,
             MlaPrefill{.compute = layer.dtype, .kv_cache = layer.kv_cache, .shape = local, .requests = {}},
             {.query_ranks = layer.sharding.prefill_context_parallel});
  }
  const auto latent = static_cast<double>(shape.kv_lora_rank + shape.rope_head_dim);
  add_context_exchange(plan, layer,
                       {.heads = local.heads,
                        .query = latent,
                        .output = static_cast<double>(shape.kv_lora_rank),
                        .keys_and_values = latent,
                        .prompts_gather_kv = true},
                       decode);
}

FieldTable LatentAttention::describe() {
  return FieldList<LatentAttention>("latent_attention")
      .add("q_lora_rank", &LatentAttention::q_lora_rank,
           {.doc = "query rank, 0 = direct", .min = 0, .max = kMostHeadWidth})
      .add("shape", &LatentAttention::shape, {.doc = "heads and widths"})
      .add("output_gate", &LatentAttention::output_gate, {.doc = "a gate scales the output"})
      .add("rotates", &LatentAttention::rotates, {.doc = "false: no positions"})
      .add("reads_embeddings", &LatentAttention::reads_embeddings,
           {.doc = "the first products read embeddings too"})
      .table();
}

}  // namespace warploom
