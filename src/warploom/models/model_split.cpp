#include "warploom/models/model_split.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kVocabularyPadding = 64;

void check_layers(const SplitCheck& check, const ModelArchitecture& model, const Sharding& sharding) {
  const auto mixer_splits = [&](const auto& mixer) { mixer.check_split(check, sharding.tensor_parallel); };
  const auto part_splits = [&](const auto& part) { part.check_split(check, sharding); };
  for (const LayerGroup& group : model.layers) std::visit(mixer_splits, group.mixer);
  for (const LayerGroup& group : model.layers) std::visit(part_splits, group.feed_forward);
}

void check_expert_ranks(const SplitCheck& check, const ModelArchitecture& model, const Sharding& sharding) {
  if (model.mixture() != nullptr) return;
  if (sharding.expert_parallel != 1)
    check.refuse(
        fmt::format("expert_parallel={} of a model without experts, expected 1", sharding.expert_parallel));
  if (sharding.attention_data_parallel != 1)
    check.refuse(
        fmt::format("attention_data_parallel={} of a model without experts, expected 1 (replicas of a dense "
                    "model are data_parallel)",
                    sharding.attention_data_parallel));
}

// What all layers let be shared out; of what does not, the first name.
struct ModelContextSplit {
  std::int64_t copies = 0;                   // of the same cached tokens
  std::string_view not_cached, not_prompts;  // empty: they may be
};

ModelContextSplit context_split_of(const ModelArchitecture& model, std::int64_t ranks) {
  ModelContextSplit split{.copies = ranks};
  for (const LayerGroup& group : model.layers) {
    std::visit(
        [&](const auto& mixer) {
          const ContextSplit own = mixer.context_split();
          split.copies = std::min(split.copies, mixer.cache_copies(ranks));
          if (!own.cached && split.not_cached.empty()) split.not_cached = own.name;
          if (!own.prompts && split.not_prompts.empty()) split.not_prompts = own.name;
        },
        group.mixer);
  }
  return split;
}

// Which engines run: DCP over full attention and recurrent states (vLLM 0.33,
// v1/core/kv_cache_coordinator.py), PCP of latent attention alone (v1/worker/gpu/pcp_manager.py).
void check_context_split(const SplitCheck& check, const ModelArchitecture& model, const Sharding& sharding) {
  const std::int64_t size = sharding.decode_context_parallel, groups = sharding.prefill_context_parallel;
  if (size == 1 && groups == 1) return;
  const ModelContextSplit split = context_split_of(model, sharding.tensor_parallel);
  if (size > split.copies || split.copies % size != 0)
    check.refuse(
        fmt::format("`decode_context_parallel_size` {} does not divide the {} copies of each KV head under "
                    "`tensor_parallel_size` {}, expected a divisor of {}",
                    size, split.copies, sharding.tensor_parallel, split.copies));
  const auto refuse = [&](std::string_view what, std::string_view mechanism, std::string_view expected) {
    throw Unsupported(fmt::format("{} of {}: it has {}, expected {}", what, model.name, mechanism, expected));
  };
  if (size > 1 && !split.not_cached.empty())
    refuse("decode context parallelism", split.not_cached,
           "layers that keep every token, or recurrent states beside them; decode_context_parallel 1");
  if (groups > 1 && !split.not_prompts.empty())
    refuse("prefill context parallelism", split.not_prompts,
           "latent attention alone; prefill_context_parallel 1");
  if (groups > 1 && size > 1)
    throw Unsupported(
        fmt::format("prefill and decode context parallelism of {} at once are not modelled, expected one of "
                    "prefill_context_parallel and decode_context_parallel to be 1",
                    model.name));
}

}  // namespace

void check_sharding(const ModelArchitecture& model, const Sharding& sharding, std::string_view where) {
  check(sharding, where);
  const SplitCheck splits(model.name, where);
  check_layers(splits, model, sharding);
  check_expert_ranks(splits, model, sharding);
  check_context_split(splits, model, sharding);
  if (sharding.pipeline_parallel > model.layer_count())
    splits.refuse(fmt::format("`pipeline_parallel_size` {} exceeds {} layers", sharding.pipeline_parallel,
                              model.layer_count()));
}

std::int64_t local_vocabulary(const ModelArchitecture& model, const Sharding& sharding) {
  const std::int64_t padded = divide_up(model.vocabulary, kVocabularyPadding) * kVocabularyPadding;
  return divide_up(padded, sharding.tensor_parallel);
}

}  // namespace warploom
