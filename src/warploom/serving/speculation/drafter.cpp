#include "warploom/serving/speculation/drafter.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_split.h"

namespace warploom {
namespace {

// A drafter attends: its layer keeps something of each token.
bool drafts_with(const ModelArchitecture& target, const LayerGroup& group) {
  const Sharding whole;
  const LayerPlace place = place_of(target, whole);
  return std::visit(
      [&](const auto& mixer) {
        const LayerCache cache = mixer.cache(place);
        return cache.per_token + cache.bytes_per_token > 0;
      },
      group.mixer);
}

// Layers that draft see a window alone where the target compresses (DeepSeek-V4's last entries of
// compress_ratios).
void see_the_window_alone(Mixer& mixer) {
  auto* compressed = std::get_if<CompressedLatent>(&mixer);
  if (compressed == nullptr) return;
  compressed->compress_ratio = compressed->top_k = compressed->candidates = 0;
  compressed->compressor = compressed->indexer = compressed->index_keys = false;
}

// Rows of a pass that are requests: a block has several of each.
RowRule once_a_request(std::int64_t queries) { return {.divisor = queries}; }

// Keys and values of the context for every layer, from the fused states of the step's tokens: one product
// over all layers, one norm of keys, one rotation (of keys alone, which the operator counts with heads of
// queries), a write for each (qwen3_dflash.py).
void add_context_keys(ScaledOperators& plan, const Attention& attention, const LayerGroup& group,
                      const LayerPlace& place) {
  const std::int64_t ranks = place.sharding.tensor_parallel, layers = group.count;
  const std::int64_t heads = std::max<std::int64_t>(1, attention.kv_heads / ranks);
  const DataType dtype = place.dtype;
  plan.add("draft context keys", 1,
           Gemm{.scheme = group.schemes.attention_input,
                .n = layers * heads * (attention.head_dim + attention.value_head_dim),
                .k = place.hidden});
  if (attention.qk_norm != QueryKeyNorm::None)
    plan.add("draft k_norm", 1, RmsNorm{.type = dtype, .width = attention.head_dim},
             {.factor = layers * heads});
  if (attention.rotary_dim > 0)
    plan.add("draft rope", 1,
             Rope{.type = dtype,
                  .heads = std::max<std::int64_t>(1, layers * heads - 1),
                  .kv_heads = 1,
                  .head_dim = attention.rotary_dim});
  plan.add("draft kv_write", layers,
           KvWrite{.type = dtype,
                   .kv_cache = place.kv_cache,
                   .kv_heads = heads,
                   .head_dim = (attention.head_dim + attention.value_head_dim) / 2});
}

// The same of a latent that is whole on every GPU: the projection to queries runs with it, for nothing
// (deepseek_v41/nvidia/dspark.py).
void add_context_latent(ScaledOperators& plan, const CompressedLatent& latent, const LayerGroup& group,
                        const LayerPlace& place) {
  const DataType dtype = place.dtype;
  plan.add("draft context keys", group.count,
           Gemm{.scheme = group.schemes.attention_input,
                .n = latent.q_lora_rank + latent.head_dim,
                .k = place.hidden});
  plan.add("draft k_norm", group.count, RmsNorm{.type = dtype, .width = latent.head_dim});
  plan.add("draft kv_write", group.count,
           KvWrite{.type = dtype, .kv_cache = place.kv_cache, .kv_heads = 1, .head_dim = latent.head_dim});
}

void add_context(ScaledOperators& plan, const Drafter& drafter, const Sharding& sharding, DataType kv_cache) {
  const ModelArchitecture& model = drafter.model;
  const LayerPlace place{
      .hidden = model.hidden, .dtype = model.dtype, .sharding = sharding, .kv_cache = kv_cache};
  plan.add("draft norm", 1, RmsNorm{.type = model.dtype, .width = model.hidden});
  for (const LayerGroup& group : model.layers) {
    if (const auto* attention = std::get_if<Attention>(&group.mixer))
      add_context_keys(plan, *attention, group, place);
    if (const auto* latent = std::get_if<CompressedLatent>(&group.mixer))
      add_context_latent(plan, *latent, group, place);
  }
}

// One token after another: the bias by the token before over the whole vocabulary, which every GPU holds, its
// sum with the logits, and the choice (qwen3_dspark.py).
void add_markov_head(ScaledOperators& plan, const Drafter& drafter, std::int64_t steps) {
  const ModelArchitecture& model = drafter.model;
  const std::int64_t rank = drafter.block->markov_rank, vocabulary = model.vocabulary;
  const RowRule rule = once_a_request(drafter.block->queries(steps));
  plan.add("markov embedding", steps,
           Embedding{.type = model.dtype, .hidden = rank, .vocabulary = drafter.read_vocabulary}, rule);
  plan.add("markov bias", steps, Gemm{.scheme = plain_scheme(model.dtype), .n = vocabulary, .k = rank}, rule);
  plan.add("markov sum", steps,
           Elementwise{.kind = ElementwiseKind::Add, .type = model.dtype, .width = vocabulary}, rule);
  plan.add("markov sampling", steps, Sampling{.vocabulary = vocabulary}, rule);
}

}  // namespace

DraftOperators draft_operators(const Drafter& drafter, const Sharding& sharding, const GraphOptions& options,
                               std::int64_t steps) {
  DraftOperators operators;
  const ModelArchitecture& model = drafter.model;
  const Gemm product{.scheme = plain_scheme(model.dtype),
                     .n = model.hidden,
                     .k = std::max<std::int64_t>(1, drafter.fusion.width)};
  if (drafter.fusion.width > 0 && drafter.fusion.every_pass)
    operators.each_pass.add("fusion", 1, product);
  else if (drafter.fusion.width > 0)
    operators.each_step.add("draft fusion", 1, product);
  if (!drafter.block) return operators;
  const DataType asked = model.quantization.kv_cache;
  const DataType cache = options.kv_cache.value_or(asked == DataType::Bf16 ? model.dtype : asked);
  add_context(operators.each_step, drafter, sharding, cache);
  if (drafter.block->markov_rank > 0) add_markov_head(operators.each_pass, drafter, steps);
  return operators;
}

Bytes draft_weights(const Drafter& drafter, const Sharding& sharding) {
  const ModelArchitecture& model = drafter.model;
  Bytes weights = weight_bytes_per_gpu(model, sharding);
  if (drafter.whole) return weights;
  weights -= weight_footprint(model, sharding).embeddings;
  const auto rows = [&](std::int64_t vocabulary) {
    ModelArchitecture table = model;
    table.vocabulary = vocabulary;
    return double(local_vocabulary(table, sharding));
  };
  double elements = double(drafter.fusion.width) * double(model.hidden);
  if (drafter.own_embeddings) elements += rows(drafter.read_vocabulary) * double(model.hidden);
  if (drafter.own_lm_head) elements += rows(model.vocabulary) * double(model.hidden);
  if (drafter.block) {
    const double rank = double(drafter.block->markov_rank);
    elements += rank * double(drafter.read_vocabulary + model.vocabulary);
    if (drafter.block->confidence) elements += double(model.hidden) + rank;
  }
  return (weights + Bytes(elements * bytes_per_element(model.dtype))) * double(drafter.modules);
}

DenseMlp dense_beside_experts(const ModelArchitecture& target) {
  constexpr std::int64_t kUsualRatio = 4;  // of the MLP to the hidden state
  DenseMlp mlp{.intermediate = kUsualRatio * target.hidden};
  for (const LayerGroup& group : target.layers)
    if (const auto* dense = std::get_if<DenseMlp>(&group.feed_forward))
      mlp.intermediate = std::max(mlp.intermediate, dense->intermediate);
  return mlp;
}

LayerGroup dense_last_layer(const ModelArchitecture& target) {
  LayerGroup layer = target.layers.back();
  if (layer.mixture() != nullptr) layer.feed_forward = dense_beside_experts(target);
  layer.schemes = {};
  return layer;
}

Drafter one_layer_of(const ModelArchitecture& target, std::string_view method, const LayerGroup& layer) {
  Drafter drafter{.model = target};
  drafter.model.name = fmt::format("{} of {}", method, target.name);
  LayerGroup drawn = layer;
  drawn.count = 1;
  if (!drafts_with(target, drawn)) {
    const auto other = std::find_if(target.layers.begin(), target.layers.end(),
                                    [&](const LayerGroup& group) { return drafts_with(target, group); });
    if (other != target.layers.end()) drawn.mixer = other->mixer;
  }
  see_the_window_alone(drawn.mixer);
  drawn.lookup = NoLookup{};
  drafter.model.layers = {drawn};
  drafter.model.mtp_layers = 0;
  drafter.model.residual.block = 0;
  drafter.read_vocabulary = target.vocabulary;
  return drafter;
}

Drafter drafter_of(const DraftConfig& own, const ModelArchitecture& target, std::int64_t states) {
  Drafter drafter{.model = own.model};
  drafter.model.name = fmt::format("{} of {}", own.name, target.name);
  drafter.model.tie_embeddings = false;
  drafter.model.mtp_layers = 0;
  drafter.read_vocabulary = own.read_vocabulary;
  drafter.fusion.width = states * (own.target_hidden > 0 ? own.target_hidden : target.hidden);
  drafter.own_embeddings = own.model.hidden != target.hidden || own.read_vocabulary > target.vocabulary;
  drafter.own_lm_head = own.model.hidden != target.hidden || own.model.vocabulary != target.vocabulary;
  return drafter;
}

}  // namespace warploom
