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

void check_context_split(const SplitCheck& check, const ModelArchitecture& model, const Sharding& sharding) {
  if (sharding.context_ranks() == 1) return;
  const std::int64_t ranks = sharding.tensor_parallel, size = sharding.decode_context_parallel;
  std::int64_t copies = ranks;
  bool splits = true;
  for (const LayerGroup& group : model.layers) {
    std::visit(
        [&](const auto& mixer) {
          copies = std::min(copies, mixer.cache_copies(ranks));
          splits = splits && mixer.splits_context();
        },
        group.mixer);
  }
  if (size > copies || copies % size != 0)
    check.refuse(
        fmt::format("`decode_context_parallel_size` {} does not divide the {} copies of each KV head under "
                    "`tensor_parallel_size` {}, expected a divisor of {}",
                    size, copies, ranks, copies));
  if (!splits)
    throw Unsupported(
        fmt::format("context parallelism of {}: only full attention is modelled, expected "
                    "decode_context_parallel 1 and prefill_context_parallel 1",
                    model.name));
  if (model.mixture() != nullptr && sharding.prefill_context_parallel > 1)
    throw Unsupported(fmt::format(
        "prefill_context_parallel of {}: a mixture of experts is not modelled, expected 1", model.name));
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
