// The registry: every kind of layer that is modelled. A kind is one file pair of this folder; what it must
// answer is named here, and nothing else in the program lists kinds.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "warploom/models/layers/absent_part.h"
#include "warploom/models/layers/attention.h"
#include "warploom/models/layers/block_sparse.h"
#include "warploom/models/layers/compressed_latent.h"
#include "warploom/models/layers/dense_mlp.h"
#include "warploom/models/layers/gated_delta_net.h"
#include "warploom/models/layers/kimi_delta.h"
#include "warploom/models/layers/latent_attention.h"
#include "warploom/models/layers/mamba2.h"
#include "warploom/models/layers/mixture_of_experts.h"
#include "warploom/models/layers/ngram_lookup.h"
#include "warploom/models/layers/sparse_latent_attention.h"

namespace warploom {

// How the tokens of a layer learn of each other.
using Mixer = std::variant<Attention, LatentAttention, SparseLatentAttention, CompressedLatent, BlockSparse,
                           GatedDeltaNet, KimiDelta, Mamba2, NoMixer>;
// What happens to each token for itself.
using FeedForward = std::variant<DenseMlp, MixtureOfExperts, NoFeedForward>;

// Sizes that all kinds have: checks, elements and widths on one GPU, products that adapters may add to.
template <class Kind>
concept SizedKind = Described<Kind> && std::equality_comparable<Kind> &&
    requires(const Kind& kind, LayerParameters& parameters, const LayerPlace& place,
             std::vector<AdaptedProduct>& products) {
  { Kind::kName } -> std::convertible_to<std::string_view>;
  kind.check(std::string_view());
  kind.count(parameters, place);
  { kind.widest_outputs(place) } -> std::same_as<double>;
  { kind.reductions() } -> std::same_as<std::int64_t>;
  kind.add_adapters(products, place);
};

template <class Kind>
concept MixerKind = SizedKind<Kind> &&
    requires(const Kind& kind, const SplitCheck& check, const LayerPlace& place, const LaunchedLayer& layer,
             ScaledOperators& plan, RequestOperators& requests) {
  kind.check_split(check, std::int64_t(1));
  { kind.cache_copies(std::int64_t(1)) } -> std::same_as<std::int64_t>;
  { kind.context_split() } -> std::same_as<ContextSplit>;
  { kind.cache(place) } -> std::same_as<LayerCache>;
  { kind.reduces_norms() } -> std::same_as<bool>;
  { kind.modules() } -> std::same_as<LayerModules>;
  { kind.attends_like(kind) } -> std::same_as<bool>;
  { Kind::kAttentionMultipliesWeights } -> std::convertible_to<bool>;
  kind.add_projections(plan, layer);
  kind.add_attention(requests, layer, true);
};

template <class Kind>
concept FeedForwardKind = SizedKind<Kind> &&
    requires(const Kind& kind, const SplitCheck& check, const Sharding& sharding, const LaunchedLayer& layer,
             ScaledOperators& plan) {
  kind.check_split(check, sharding);
  kind.add_operators(plan, layer);
};

static_assert(MixerKind<Attention> && MixerKind<LatentAttention> && MixerKind<SparseLatentAttention> &&
              MixerKind<CompressedLatent> && MixerKind<BlockSparse> && MixerKind<GatedDeltaNet> &&
              MixerKind<KimiDelta> && MixerKind<Mamba2> && MixerKind<NoMixer>);
static_assert(FeedForwardKind<DenseMlp> && FeedForwardKind<MixtureOfExperts> &&
              FeedForwardKind<NoFeedForward>);

// Fields of a variant of described kinds: one optional object under the name of each kind, of which the held
// one is there. `member` is a Mixer or FeedForward of T.
template <class T, class Variant>
void add_kinds(FieldTable& table, Variant T::*member) {
  const auto add = [&table, member]<class Kind>(std::type_identity<Kind>) {
    Field field;
    field.name = Kind::kName;
    field.kind = FieldKind::Object;
    field.optional = true;
    field.nested = std::make_shared<const FieldTable>(Kind::describe());
    field.size = [member](const void* object) {
      return std::size_t(std::holds_alternative<Kind>(static_cast<const T*>(object)->*member) ? 1 : 0);
    };
    field.resize = [member](void* object, std::size_t size) {
      Variant& held = static_cast<T*>(object)->*member;
      if (size == 1 && !std::holds_alternative<Kind>(held)) held = Kind{};
    };
    field.element = [member](void* object, std::size_t) -> void* {
      return &std::get<Kind>(static_cast<T*>(object)->*member);
    };
    table.fields.push_back(std::move(field));
  };
  const auto each = [&add]<class... Kinds>(std::type_identity<std::variant<Kinds...>>) {
    (add(std::type_identity<Kinds>{}), ...);
  };
  each(std::type_identity<Variant>{});
}

}  // namespace warploom
