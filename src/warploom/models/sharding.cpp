#include "warploom/models/sharding.h"

#include <fmt/format.h>

#include <algorithm>

namespace warploom {
namespace {

constexpr std::int64_t kVocabularyPadding = 64;

class Checker {
 public:
  Checker(const ModelArchitecture& model, std::string_view where) : model_(model), where_(where) {}

  void require(bool holds, std::string_view message) const {
    if (!holds) throw InvalidInput(fmt::format("{}: {}: {}", where_, model_.name, message));
  }

  void divides(std::string_view what, std::int64_t size, std::string_view by, std::int64_t ranks) const {
    require(size % ranks == 0,
            fmt::format("{} {} cannot be split by {}={}, expected a divisor", size, what, by, ranks));
  }

 private:
  const ModelArchitecture& model_;
  std::string_view where_;
};

bool has_standard_attention(const ModelArchitecture& model) {
  return model.layers_with(AttentionKind::Latent) + model.layers_with(AttentionKind::Linear) <
         model.layer_count();
}

void check_attention_split(const Checker& checker, const ModelArchitecture& model, std::int64_t ranks) {
  if (has_standard_attention(model)) {
    checker.divides("attention heads", model.heads, "tensor_parallel", ranks);
    checker.require(model.kv_heads % ranks == 0 || ranks % model.kv_heads == 0,
                    fmt::format("{} KV heads neither split nor replicate evenly over tensor_parallel={}",
                                model.kv_heads, ranks));
  }
  if (model.latent) checker.divides("attention heads", model.latent->shape.heads, "tensor_parallel", ranks);
  if (model.linear) {
    checker.divides("linear-attention key heads", model.linear->key_heads, "tensor_parallel", ranks);
    checker.divides("linear-attention value heads", model.linear->value_heads, "tensor_parallel", ranks);
  }
}

void check_mixture_split(const Checker& checker, const ModelArchitecture& model, const Sharding& sharding) {
  if (!model.mixture) {
    checker.require(
        sharding.expert_parallel == 1,
        fmt::format("expert_parallel={} of a model without experts, expected 1", sharding.expert_parallel));
    checker.require(
        sharding.attention_data_parallel == 1,
        fmt::format("attention_data_parallel={} of a model without experts, expected 1 (replicas of a dense "
                    "model are data_parallel)",
                    sharding.attention_data_parallel));
    return;
  }
  checker.require(
      sharding.moe_ranks() % sharding.expert_parallel == 0,
      fmt::format("expert_parallel={} does not divide tensor_parallel x attention_data_parallel = {}",
                  sharding.expert_parallel, sharding.moe_ranks()));
  checker.require(
      sharding.expert_parallel <= model.mixture->experts,
      fmt::format("expert_parallel={} exceeds {} experts", sharding.expert_parallel, model.mixture->experts));
  checker.divides("experts", model.mixture->experts, "expert_parallel", sharding.expert_parallel);
  checker.divides("columns of an expert", model.mixture->intermediate,
                  "tensor_parallel x attention_data_parallel / expert_parallel",
                  sharding.moe_tensor_parallel());
  if (model.mixture->shared_intermediate > 0) {
    checker.divides("columns of the shared experts", model.mixture->shared_intermediate, "tensor_parallel",
                    sharding.tensor_parallel);
  }
}

void check_context_split(const Checker& checker, const ModelArchitecture& model, const Sharding& sharding) {
  if (sharding.context_ranks() == 1) return;
  const std::int64_t ranks = sharding.tensor_parallel, size = sharding.decode_context_parallel;
  const std::int64_t copies = has_standard_attention(model)
                                  ? std::max<std::int64_t>(1, ranks / model.kv_heads)
                                  : ranks;  // the latent is whole on every rank
  checker.require(
      size <= copies && copies % size == 0,
      fmt::format("decode_context_parallel={} does not divide the {} copies of each KV head under "
                  "tensor_parallel={}, expected a divisor of {}",
                  size, copies, ranks, copies));
  if (model.layers_with(AttentionKind::SlidingWindow) + model.layers_with(AttentionKind::Chunked) +
          model.layers_with(AttentionKind::Linear) >
      0)
    throw Unsupported(
        fmt::format("context parallelism of {}: only full attention is modelled, expected "
                    "decode_context_parallel 1 and prefill_context_parallel 1",
                    model.name));
  if (model.mixture && sharding.prefill_context_parallel > 1)
    throw Unsupported(fmt::format(
        "prefill_context_parallel of {}: a mixture of experts is not modelled, expected 1", model.name));
}

}  // namespace

void check_sharding(const ModelArchitecture& model, const Sharding& sharding, std::string_view where) {
  check(sharding, where);
  const Checker checker(model, where);
  check_attention_split(checker, model, sharding.tensor_parallel);
  if (model.mixture_layers() < model.layer_count()) {
    checker.divides("MLP columns", model.intermediate, "tensor_parallel", sharding.tensor_parallel);
  }
  check_mixture_split(checker, model, sharding);
  check_context_split(checker, model, sharding);
  checker.require(
      sharding.pipeline_parallel <= model.layer_count(),
      fmt::format("pipeline_parallel={} exceeds {} layers", sharding.pipeline_parallel, model.layer_count()));
}

LayerRange stage_layers(std::int64_t layers, std::int64_t pipeline_parallel, std::int64_t stage) {
  WARPLOOM_ASSERT(stage >= 0 && stage < pipeline_parallel);
  const std::int64_t each = layers / pipeline_parallel;
  const std::int64_t left_over = layers % pipeline_parallel;
  const std::int64_t first_longer = pipeline_parallel - 1 - left_over;  // the last stage also holds lm_head
  LayerRange range;
  range.first = stage * each + std::max<std::int64_t>(0, std::min(stage - first_longer, left_over));
  range.last = range.first + each + (stage >= first_longer && stage < pipeline_parallel - 1 ? 1 : 0);
  return range;
}

LocalShape local_shape(const ModelArchitecture& model, const Sharding& sharding) {
  const std::int64_t ranks = sharding.tensor_parallel;
  LocalShape local;
  local.heads = model.heads / ranks;
  local.kv_heads = std::max<std::int64_t>(1, model.kv_heads / ranks);
  local.intermediate = model.intermediate / ranks;
  const std::int64_t padded =
      (model.vocabulary + kVocabularyPadding - 1) / kVocabularyPadding * kVocabularyPadding;
  local.vocabulary = (padded + ranks - 1) / ranks;
  if (model.latent) local.latent_heads = model.latent->shape.heads / ranks;
  if (model.linear) {
    local.linear_key_heads = model.linear->key_heads / ranks;
    local.linear_value_heads = model.linear->value_heads / ranks;
  }
  if (model.mixture) {
    local.shared_intermediate = model.mixture->shared_intermediate / ranks;
    local.experts = model.mixture->experts / sharding.expert_parallel;
    local.expert_intermediate = model.mixture->intermediate / sharding.moe_tensor_parallel();
  }
  return local;
}

FieldTable Sharding::describe() {
  constexpr double kMost = 65536;
  return FieldList<Sharding>("sharding")
      .add("tensor_parallel", &Sharding::tensor_parallel,
           {.doc = "ranks that split each matrix", .min = 1, .max = kMost})
      .add("pipeline_parallel", &Sharding::pipeline_parallel,
           {.doc = "stages of layers", .min = 1, .max = kMost})
      .add("data_parallel", &Sharding::data_parallel, {.doc = "independent replicas", .min = 1, .max = kMost})
      .add("expert_parallel", &Sharding::expert_parallel,
           {.doc = "ranks that split the experts", .min = 1, .max = kMost})
      .add("attention_data_parallel", &Sharding::attention_data_parallel,
           {.doc = "groups with their own requests that share the experts", .min = 1, .max = kMost})
      .add("decode_context_parallel", &Sharding::decode_context_parallel,
           {.doc = "ranks that share out the cached tokens of a request", .min = 1, .max = kMost})
      .add("prefill_context_parallel", &Sharding::prefill_context_parallel,
           {.doc = "groups that share out the new tokens of a prompt", .min = 1, .max = kMost})
      .table();
}

}  // namespace warploom
