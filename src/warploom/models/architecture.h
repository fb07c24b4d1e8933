// What a transformer language model is: its layers with their sizes and quantisation, independent of how it
// is sharded. Sizes are those of the whole model and count elements, heads or layers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/kernels/data_type.h"
#include "warploom/models/layers/layer_kinds.h"
#include "warploom/models/vision_encoder.h"

namespace warploom {

// `count` consecutive layers that are alike.
struct LayerGroup {
  std::int64_t count = 1;
  Mixer mixer;
  FeedForward feed_forward;
  Lookup lookup;
  LayerSchemes schemes;
  bool alike(const LayerGroup& other) const;  // equal but for the count
  // nullptr where the layer's feed-forward is another.
  const MixtureOfExperts* mixture() const { return std::get_if<MixtureOfExperts>(&feed_forward); }
  // How many of mixer and feed-forward are there: each has a residual stream's norm before it.
  std::int64_t parts() const;
  static FieldTable describe();
};

// How parts of layers take in what came before them, where it is more than one sum.
struct Residual {
  // Layers whose outputs are kept together: every part sums over the blocks before it, weighted for each
  // token (Kimi-K3's attention residuals); 0 = none.
  std::int64_t block = 0;
  // Streams that are mixed around every part (hyper-connections, DeepSeek-V4), and steps of the iteration
  // that makes the mixing weights.
  std::int64_t streams = 1, sinkhorn_iterations = 0;
  bool plain() const { return block == 0 && streams == 1; }
  // Elements of one layer's mixing.
  double parameters(std::int64_t hidden) const;
  static FieldTable describe();
};

// A drafter of whole blocks in the checkpoint itself, where its prediction layers are one (DeepSeek-V4's
// DSpark).
struct BlockDrafter {
  std::int64_t states = 0;       // layers of the model whose states it reads; 0: there is none
  std::int64_t block = 0;        // tokens that it was trained to draft at once
  std::int64_t markov_rank = 0;  // of the head that biases each token by the one before it
  std::int64_t experts = 0, experts_per_token = 0;  // of its layers; 0: the model's
  static FieldTable describe();
};

struct QuantizationFacts {
  std::string method;                      // as the checkpoint names it; empty = none
  std::int64_t group_size = 0;             // elements sharing a scale, where the scheme has groups
  double scale_bytes = 2;                  // of the scale of a group of 4-bit weights alone
  DataType kv_cache = DataType::Bf16;      // what the checkpoint asks for
  std::vector<std::string> not_converted;  // module patterns kept in the model's own type
  static FieldTable describe();
};

struct ModelArchitecture {
  std::string name;                 // canonical id, for example "meta-llama/Llama-3.1-8B"
  std::string architecture;         // the class name in config.json
  DataType dtype = DataType::Bf16;  // of weights that are not quantised, and of activations
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;
  std::vector<LayerGroup> layers;    // in order
  bool layer_norm = false;           // LayerNorm in place of RMSNorm
  std::int64_t norms_per_layer = 2;  // of a layer with a mixer and a feed-forward
  bool tie_embeddings = false;
  Residual residual;
  std::int64_t mtp_layers = 0;  // extra layers for multi-token prediction; loaded only for speculation
  BlockDrafter block_drafter;   // what those are, where they are no modules
  QuantizationFacts quantization;
  std::vector<std::string> notes;  // what the record leaves out, for people
  VisionPart vision;               // loaded and priced where requests have images; not part of describe()

  std::int64_t layer_count() const;
  // Norms of the hidden state in one layer of that group.
  std::int64_t norms_of(const LayerGroup& group) const;
  // Layers of that kind: a Mixer's or a FeedForward's alternative.
  template <class Kind>
  std::int64_t layers_of() const;
  // The first layer's with experts; nullptr where none has.
  const MixtureOfExperts* mixture() const;
  static FieldTable describe();
};

template <class Kind>
std::int64_t ModelArchitecture::layers_of() const {
  std::int64_t total = 0;
  for (const LayerGroup& group : layers) {
    if constexpr (MixerKind<Kind>)
      total += std::holds_alternative<Kind>(group.mixer) ? group.count : 0;
    else
      total += std::holds_alternative<Kind>(group.feed_forward) ? group.count : 0;
  }
  return total;
}

// Adds one layer, joined to the last group when alike.
void append_layer(std::vector<LayerGroup>& groups, const LayerGroup& layer);

// Alike layers of [first, last) joined wherever they stand, in order of first appearance.
std::vector<LayerGroup> merged_layers(const ModelArchitecture& model, std::int64_t first, std::int64_t last);

// The same model with every linear group of its layers in `scheme`, as an engine's --quantization flag makes
// it. Throws InvalidInput when the checkpoint is already quantised another way.
ModelArchitecture quantize_linears(const ModelArchitecture& model, MatmulScheme scheme);

// Throws InvalidInput "<where>: ..." on sizes that are not positive or do not agree, Unsupported on windows
// of different lengths.
void check_architecture(const ModelArchitecture& model, std::string_view where);

}  // namespace warploom
