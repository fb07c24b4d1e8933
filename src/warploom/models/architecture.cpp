#include "warploom/models/architecture.h"

#include <fmt/format.h>

#include <algorithm>

namespace warploom {

bool LayerGroup::alike(const LayerGroup& other) const {
  return attention == other.attention && mixture == other.mixture && rotary == other.rotary &&
         schemes == other.schemes;
}

std::int64_t ModelArchitecture::layer_count() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.count;
  return total;
}

std::int64_t ModelArchitecture::layers_with(AttentionKind kind) const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.attention == kind ? group.count : 0;
  return total;
}

std::int64_t ModelArchitecture::mixture_layers() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) total += group.mixture ? group.count : 0;
  return total;
}

MatmulScheme plain_scheme(DataType dtype) {
  switch (dtype) {
    case DataType::Fp32:
      return MatmulScheme::Fp32;
    case DataType::Fp16:
      return MatmulScheme::Fp16;
    default:
      return MatmulScheme::Bf16;
  }
}

void append_layer(std::vector<LayerGroup>& groups, const LayerGroup& layer) {
  if (!groups.empty() && groups.back().alike(layer)) {
    groups.back().count += layer.count;
  } else {
    groups.push_back(layer);
  }
}

std::vector<LayerGroup> merged_layers(const ModelArchitecture& model, std::int64_t first, std::int64_t last) {
  std::vector<LayerGroup> merged;
  std::int64_t begin = 0;
  for (const LayerGroup& group : model.layers) {
    const std::int64_t end = begin + group.count;
    const std::int64_t inside = std::min(end, last) - std::max(begin, first);
    begin = end;
    if (inside <= 0) continue;
    const auto known =
        std::find_if(merged.begin(), merged.end(), [&](const LayerGroup& g) { return g.alike(group); });
    if (known != merged.end()) {
      known->count += inside;
    } else {
      merged.push_back(group);
      merged.back().count = inside;
    }
  }
  return merged;
}

ModelArchitecture quantize_linears(const ModelArchitecture& model, MatmulScheme scheme) {
  if (!model.quantization.method.empty()) {
    throw InvalidInput(
        fmt::format("{}: the checkpoint is already quantised ({}), expected one in {} to quantise as {}",
                    model.name, model.quantization.method, name_of(model.dtype), name_of(scheme)));
  }
  ModelArchitecture result = model;
  if (scheme == MatmulScheme::Fp16) {
    // No quantisation: the engine casts weights, and with them everything else of 16 bits (`--dtype half`).
    result.dtype = DataType::Fp16;
    for (LayerGroup& group : result.layers) group.schemes = {scheme, scheme, scheme, scheme, scheme};
    return result;
  }
  result.quantization.method = name_of(scheme);
  for (LayerGroup& group : result.layers) group.schemes = {scheme, scheme, scheme, scheme, scheme};
  return result;
}

namespace {

// Far above any model; products of three such sizes stay below 2^63.
constexpr double kMostHeadWidth = 1e5;  // heads, widths of heads, ranks
constexpr double kMostWidth = 1e7;      // of an MLP
constexpr double kMostExperts = 65'536;

void require(bool holds, std::string_view where, std::string_view message) {
  if (!holds) throw InvalidInput(fmt::format("{}: {}", where, message));
}

void check_attention(const ModelArchitecture& model, std::string_view where) {
  const bool standard = model.layers_with(AttentionKind::Full) +
                            model.layers_with(AttentionKind::SlidingWindow) +
                            model.layers_with(AttentionKind::Chunked) >
                        0;
  if (standard) {
    require(model.heads > 0 && model.kv_heads > 0 && model.head_dim > 0, where,
            "heads, kv_heads and head_dim must be positive");
    require(model.heads % model.kv_heads == 0, where,
            fmt::format("{} heads are not a multiple of {} kv_heads", model.heads, model.kv_heads));
  }
  if (model.layers_with(AttentionKind::SlidingWindow) + model.layers_with(AttentionKind::Chunked) > 0) {
    require(model.sliding_window > 0, where, "sliding_window must be positive for windowed layers");
  }
  require(model.layers_with(AttentionKind::Latent) == 0 || model.latent.has_value(), where,
          "MLA layers need the latent shape");
  if (model.latent) {
    const MlaShape& shape = model.latent->shape;
    for (const std::int64_t size :
         {shape.heads, shape.kv_lora_rank, shape.rope_head_dim, shape.nope_head_dim, shape.value_head_dim})
      require(double(size) <= kMostHeadWidth, where,
              fmt::format("a size of MLA is {}, expected at most {:g}", size, kMostHeadWidth));
  }
  require(model.layers_with(AttentionKind::Linear) == 0 || model.linear.has_value(), where,
          "linear-attention layers need their shape");
}

}  // namespace

void check_architecture(const ModelArchitecture& model, std::string_view where) {
  check(model, where);
  require(model.layer_count() > 0, where, "has no layers");
  check_attention(model, where);
  if (model.mixture_layers() < model.layer_count()) {
    require(model.intermediate > 0, where, "dense layers need a positive intermediate size");
  }
  if (model.mixture_layers() > 0) {
    require(model.mixture.has_value(), where, "mixture layers need the number and width of experts");
    require(model.mixture->top_k <= model.mixture->experts, where,
            fmt::format("top_k {} exceeds {} experts", model.mixture->top_k, model.mixture->experts));
  }
}

FieldTable LayerSchemes::describe() {
  return FieldList<LayerSchemes>("layer_schemes")
      .add("attention_input", &LayerSchemes::attention_input, {.doc = "q, k and v projections"})
      .add("attention_output", &LayerSchemes::attention_output, {.doc = "output projection"})
      .add("mlp", &LayerSchemes::mlp, {.doc = "dense gate, up and down projections"})
      .add("experts", &LayerSchemes::experts, {.doc = "routed experts"})
      .add("shared_experts", &LayerSchemes::shared_experts, {.doc = "shared experts"})
      .table();
}

FieldTable LayerGroup::describe() {
  return FieldList<LayerGroup>("layer_group")
      .add("count", &LayerGroup::count, {.doc = "consecutive layers", .min = 1})
      .add("attention", &LayerGroup::attention, {.doc = "kind of attention"})
      .add("mixture", &LayerGroup::mixture, {.doc = "mixture of experts in place of the dense MLP"})
      .add("rotary", &LayerGroup::rotary, {.doc = "rotary positions are applied"})
      .add("schemes", &LayerGroup::schemes, {.doc = "storage of each group of matrices"})
      .table();
}

FieldTable MixtureOfExperts::describe() {
  return FieldList<MixtureOfExperts>("mixture_of_experts")
      .add("experts", &MixtureOfExperts::experts, {.doc = "routed experts", .min = 1, .max = kMostExperts})
      .add("top_k", &MixtureOfExperts::top_k, {.doc = "experts of a token", .min = 1, .max = kMostExperts})
      .add("intermediate", &MixtureOfExperts::intermediate,
           {.doc = "width of a routed expert", .min = 1, .max = kMostWidth})
      .add("shared_intermediate", &MixtureOfExperts::shared_intermediate,
           {.doc = "width of all shared experts", .min = 0, .max = kMostWidth})
      .add("shared_gate", &MixtureOfExperts::shared_gate, {.doc = "a gate scales the shared output"})
      .add("gated", &MixtureOfExperts::gated, {.doc = "gate and up projections"})
      .table();
}

FieldTable LatentAttention::describe() {
  return FieldList<LatentAttention>("latent_attention")
      .add("q_lora_rank", &LatentAttention::q_lora_rank,
           {.doc = "query rank, 0 = direct", .min = 0, .max = kMostHeadWidth})
      .add("shape", &LatentAttention::shape, {.doc = "heads and widths"})
      .table();
}

FieldTable LinearAttentionShape::describe() {
  return FieldList<LinearAttentionShape>("linear_attention_shape")
      .add("key_heads", &LinearAttentionShape::key_heads, {.min = 1, .max = kMostHeadWidth})
      .add("key_dim", &LinearAttentionShape::key_dim, {.min = 1, .max = kMostHeadWidth})
      .add("value_heads", &LinearAttentionShape::value_heads, {.min = 1, .max = kMostHeadWidth})
      .add("value_dim", &LinearAttentionShape::value_dim, {.min = 1, .max = kMostHeadWidth})
      .add("convolution_width", &LinearAttentionShape::convolution_width, {.min = 1, .max = 1024})
      .table();
}

FieldTable QuantizationFacts::describe() {
  return FieldList<QuantizationFacts>("quantization")
      .add("method", &QuantizationFacts::method, {.doc = "as the checkpoint names it"})
      .add("group_size", &QuantizationFacts::group_size, {.doc = "elements sharing a scale", .min = 0})
      .add("kv_cache", &QuantizationFacts::kv_cache,
           {.doc = "type of the KV cache that the checkpoint asks for"})
      .add("not_converted", &QuantizationFacts::not_converted,
           {.doc = "modules kept in the model's own type"})
      .table();
}

FieldTable ModelArchitecture::describe() {
  return FieldList<ModelArchitecture>("model")
      .add("name", &ModelArchitecture::name, {.required = true})
      .add("architecture", &ModelArchitecture::architecture)
      .add("dtype", &ModelArchitecture::dtype, {.doc = "of weights that are not quantised"})
      .add("hidden", &ModelArchitecture::hidden, {.min = 1, .max = 1e6})
      .add("heads", &ModelArchitecture::heads, {.min = 0, .max = kMostHeadWidth})
      .add("kv_heads", &ModelArchitecture::kv_heads, {.min = 0, .max = kMostHeadWidth})
      .add("head_dim", &ModelArchitecture::head_dim, {.min = 0, .max = kMostHeadWidth})
      .add("rotary_dim", &ModelArchitecture::rotary_dim, {.min = 0, .max = kMostHeadWidth})
      .add("intermediate", &ModelArchitecture::intermediate,
           {.doc = "dense MLP", .min = 0, .max = kMostWidth})
      .add("vocabulary", &ModelArchitecture::vocabulary, {.min = 1, .max = 1e8})
      .add("max_positions", &ModelArchitecture::max_positions, {.min = 0})
      .add("sliding_window", &ModelArchitecture::sliding_window,
           {.doc = "window or chunk in tokens", .min = 0})
      .add("layers", &ModelArchitecture::layers)
      .add("mixture", &ModelArchitecture::mixture)
      .add("latent", &ModelArchitecture::latent)
      .add("linear", &ModelArchitecture::linear)
      .add("qk_norm", &ModelArchitecture::qk_norm)
      .add("qk_norm_weights", &ModelArchitecture::qk_norm_weights)
      .add("qkv_bias", &ModelArchitecture::qkv_bias)
      .add("output_gate", &ModelArchitecture::output_gate)
      .add("gated_mlp", &ModelArchitecture::gated_mlp)
      .add("layer_norm", &ModelArchitecture::layer_norm)
      .add("norms_per_layer", &ModelArchitecture::norms_per_layer, {.min = 1, .max = 8})
      .add("tie_embeddings", &ModelArchitecture::tie_embeddings)
      .add("mtp_layers", &ModelArchitecture::mtp_layers, {.min = 0})
      .add("quantization", &ModelArchitecture::quantization)
      .add("notes", &ModelArchitecture::notes)
      .table();
}

}  // namespace warploom
