#include "warploom/models/layers/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "warploom/models/layers/linear_layer.h"

namespace warploom {

Attention Attention::on(std::int64_t ranks) const {
  Attention local = *this;
  local.heads = heads / ranks;
  local.kv_heads = std::max<std::int64_t>(1, kv_heads / ranks);
  return local;
}

void Attention::check(std::string_view where) const {
  const auto require = [where](bool holds, std::string_view message) {
    if (!holds) throw InvalidInput(fmt::format("{}: {}", where, message));
  };
  require(heads > 0 && kv_heads > 0 && head_dim > 0 && value_head_dim > 0,
          "heads, kv_heads, head_dim and value_head_dim must be positive");
  if (heads % kv_heads != 0)
    throw InvalidInput(fmt::format("{}: {} heads are not a multiple of {} kv_heads", where, heads, kv_heads));
  require((head_dim + value_head_dim) % 2 == 0, "head_dim and value_head_dim must add up to an even number");
  require(!windowed() || window > 0, "sliding_window must be positive for windowed layers");
}

void Attention::check_split(const SplitCheck& check, std::int64_t ranks) const {
  check.divides("attention heads", heads, "`tensor_parallel_size`", ranks);
  if (kv_heads % ranks != 0 && ranks % kv_heads != 0)
    check.refuse(fmt::format("{} KV heads neither split nor replicate evenly over `tensor_parallel_size` {}",
                             kv_heads, ranks));
}

void Attention::count(LayerParameters& layer, const LayerPlace& place) const {
  const Attention local = on(place.sharding.tensor_parallel);
  const std::int64_t queries = local.heads * head_dim, outputs = local.heads * value_head_dim;
  const std::int64_t keys = local.kv_heads * head_dim, values = local.kv_heads * value_head_dim;
  layer.attention_input = element_count(
      input_width(place.hidden), (output_gate ? 2 : 1) * queries + keys + (keys_are_values ? 0 : values));
  if (keys_are_values) layer.repeated = element_count(input_width(place.hidden), values);
  layer.attention_output = element_count(place.hidden, outputs);
  if (qkv_bias) layer.plain += static_cast<double>(queries + keys + values);
  if (sinks) layer.plain += static_cast<double>(local.heads);
  if (head_gate) layer.plain += element_count(place.hidden, local.heads);
  if (!qk_norm_weights) return;
  if (qk_norm == QueryKeyNorm::PerHead) layer.plain += static_cast<double>(2 * head_dim);
  if (qk_norm == QueryKeyNorm::FullWidth) layer.plain += static_cast<double>(queries + keys);
}

LayerCache Attention::cache(const LayerPlace& place) const {
  const Attention local = on(place.sharding.tensor_parallel);
  return {.per_token = static_cast<double>(local.kv_heads * (head_dim + value_head_dim)),
          .window = windowed() ? window : 0};
}

double Attention::widest_outputs(const LayerPlace& place) const {
  const Attention local = on(place.sharding.tensor_parallel);
  return static_cast<double>((local.heads + local.kv_heads) * (head_dim + value_head_dim));
}

LayerModules Attention::modules() const {
  LayerModules modules{{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"}, "self_attn.o_proj"};
  if (keys_are_values) modules.input.pop_back();
  return modules;
}

bool Attention::add_adapters(std::vector<AdaptedProduct>& products, const LayerPlace& place) const {
  const Attention local = on(place.sharding.tensor_parallel);
  const std::int64_t queries = local.heads * head_dim;
  const std::int64_t keys_and_values = local.kv_heads * (head_dim + value_head_dim);
  products.push_back({"lora_shrink_qkv", "lora_expand_qkv", place.hidden, queries + keys_and_values, 3, 1});
  products.push_back({"lora_shrink_o", "lora_expand_o", local.heads * value_head_dim, place.hidden, 1, 1});
  return true;
}

void Attention::add_norms(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const Attention local = on(layer.sharding.tensor_parallel);
  const auto add = [&](std::string_view label, std::int64_t norm_heads, bool per_head) {
    const std::int64_t width = per_head ? head_dim : norm_heads * head_dim;
    plan.add(label, layer.count, RmsNorm{.type = layer.dtype, .width = width},
             {.factor = per_head ? norm_heads : 1});
  };
  const bool apart = qk_norm != QueryKeyNorm::None && !(layer.options.fuse_qk_norm_rope && rotary_dim > 0);
  const bool per_head = qk_norm == QueryKeyNorm::PerHead;
  if (apart && per_head && layer.options.join_qk_norms) {
    return add("qk_norm", local.heads + (value_norm ? 2 : 1) * local.kv_heads, true);
  }
  if (apart) {
    add("q_norm", local.heads, per_head);
    add("k_norm", local.kv_heads, per_head);
  }
  if (value_norm) add("v_norm", local.kv_heads, true);
}

void Attention::add_projections(ScaledOperators& plan, const LaunchedLayer& layer) const {
  const Attention local = on(layer.sharding.tensor_parallel);
  const std::int64_t queries = local.heads * head_dim, outputs = local.heads * value_head_dim;
  const std::int64_t values = local.kv_heads * value_head_dim;
  add_linear(plan, layer, "qkv_proj", layer.schemes.attention_input,
             (output_gate ? 2 : 1) * queries + local.kv_heads * head_dim + values, input_width(layer.hidden));
  add_norms(plan, layer);
  if (rotary_dim > 0) {
    plan.add(
        "rope", layer.count,
        Rope{.type = layer.dtype, .heads = local.heads, .kv_heads = local.kv_heads, .head_dim = rotary_dim});
  }
  if (scales_values) {
    plan.add(
        "value_scale", layer.count,
        Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = values, .inputs = 1});
  }
  plan.add("kv_write", layer.count,
           KvWrite{.type = layer.dtype,
                   .kv_cache = layer.kv_cache,
                   .kv_heads = local.kv_heads,
                   .head_dim = mean_head_dim()});
  if (head_gate) {
    plan.add("head_gate_proj", layer.count,
             Gemm{.scheme = plain_scheme(layer.dtype), .n = local.heads, .k = layer.hidden});
  }
  if (output_gate && layer.options.copy_output_gates) {
    // A copy moves as much as a product with a number.
    plan.add(
        "output_gate_copy", layer.count,
        Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = queries, .inputs = 1});
    plan.add(
        "output_gate_copy", layer.count,
        Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = outputs, .inputs = 1});
    plan.add("output_gate", layer.count,
             Elementwise{.kind = ElementwiseKind::Tanh, .type = layer.dtype, .width = outputs, .inputs = 1});
  }
  if (output_gate || head_gate) {
    plan.add("output_gate", layer.count,
             Elementwise{.kind = ElementwiseKind::Multiply, .type = layer.dtype, .width = outputs});
  }
  add_linear(plan, layer, "o_proj", layer.schemes.attention_output, layer.hidden, outputs);
}

bool Attention::attends_like(const Attention& other) const {
  return reach == other.reach && window == other.window && heads == other.heads &&
         kv_heads == other.kv_heads && head_dim == other.head_dim && value_head_dim == other.value_head_dim;
}

void Attention::add_attention(RequestOperators& plan, const LaunchedLayer& layer, bool decode) const {
  const Attention local = on(layer.sharding.tensor_parallel);
  const std::int64_t seen = reach == AttentionReach::SlidingWindow ? window : 0;
  const std::int64_t chunk = reach == AttentionReach::Chunked ? window : 0;
  if (decode) {
    AttentionDecode op;
    op.compute = layer.dtype;
    op.kv_cache = layer.kv_cache;
    op.heads = local.heads * layer.sharding.decode_context_parallel;
    op.kv_heads = local.kv_heads;
    op.head_dim = mean_head_dim();
    op.window = seen;
    plan.add("attention_decode", layer.count, std::move(op),
             {.chunk = chunk, .context_ranks = layer.sharding.decode_context_parallel});
  } else {
    AttentionPrefill op;
    op.compute = layer.dtype;
    op.kv_cache = layer.kv_cache;
    op.heads = local.heads;
    op.kv_heads = local.kv_heads;
    op.head_dim = mean_head_dim();
    op.window = seen;
    plan.add("attention_prefill", layer.count, std::move(op), {.chunk = chunk});
  }
  add_context_exchange(plan, layer,
                       {.heads = local.heads,
                        .query = static_cast<double>(head_dim),
                        .output = static_cast<double>(value_head_dim),
                        .keys_and_values = static_cast<double>(local.kv_heads * (head_dim + value_head_dim))},
                       decode);
}

FieldTable Attention::describe() {
  return FieldList<Attention>("attention")
      .add("reach", &Attention::reach, {.doc = "which tokens are seen"})
      .add("window", &Attention::window, {.doc = "window or chunk in tokens", .min = 0})
      .add("heads", &Attention::heads, {.min = 0, .max = kMostHeadWidth})
      .add("kv_heads", &Attention::kv_heads, {.min = 0, .max = kMostHeadWidth})
      .add("head_dim", &Attention::head_dim, {.doc = "of queries and keys", .min = 0, .max = kMostHeadWidth})
      .add("value_head_dim", &Attention::value_head_dim,
           {.doc = "of values", .min = 0, .max = kMostHeadWidth})
      .add("rotary_dim", &Attention::rotary_dim,
           {.doc = "elements of a head that rotate", .min = 0, .max = kMostHeadWidth})
      .add("qk_norm", &Attention::qk_norm, {.doc = "norm of queries and keys"})
      .add("qk_norm_weights", &Attention::qk_norm_weights, {.doc = "that norm has learned scales"})
      .add("value_norm", &Attention::value_norm, {.doc = "values are normalised, without scales"})
      .add("qkv_bias", &Attention::qkv_bias, {.doc = "q, k and v have biases"})
      .add("output_gate", &Attention::output_gate, {.doc = "a gate scales the output"})
      .add("head_gate", &Attention::head_gate, {.doc = "one number scales the output of a head"})
      .add("keys_are_values", &Attention::keys_are_values, {.doc = "one projection serves both"})
      .add("scales_values", &Attention::scales_values, {.doc = "values times a constant"})
      .add("sinks", &Attention::sinks, {.doc = "a learned logit of each head"})
      .add("reads_embeddings", &Attention::reads_embeddings, {.doc = "q, k and v read embeddings too"})
      .table();
}

}  // namespace warploom
