// What a transformer language model is: sizes, kinds of layers and quantisation, independent of how it is
// sharded. Sizes are those of the whole model and count elements, heads or layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/kernels/data_type.h"
#include "warploom/kernels/operator.h"

namespace warploom {

// How the tokens of one layer see each other. Chunked: a token sees its own aligned chunk only (Llama 4).
enum class AttentionKind { Full, SlidingWindow, Chunked, Latent, Linear };
template <>
struct EnumNames<AttentionKind> {
  static constexpr std::array<std::pair<AttentionKind, std::string_view>, 5> kNames{
      {{AttentionKind::Full, "full"},
       {AttentionKind::SlidingWindow, "sliding_window"},
       {AttentionKind::Chunked, "chunked"},
       {AttentionKind::Latent, "mla"},
       {AttentionKind::Linear, "linear"}}};
};

// Normalisation of queries and keys before attention. PerHead: each head alone (Qwen3); FullWidth: all heads
// of a token together, which tensor parallelism must reduce over (MiniMax-M2).
enum class QueryKeyNorm { None, PerHead, FullWidth };
template <>
struct EnumNames<QueryKeyNorm> {
  static constexpr std::array<std::pair<QueryKeyNorm, std::string_view>, 3> kNames{
      {{QueryKeyNorm::None, "none"},
       {QueryKeyNorm::PerHead, "per_head"},
       {QueryKeyNorm::FullWidth, "full_width"}}};
};

// How each group of matrices of a layer is stored and multiplied. Routers, embeddings, lm_head and norms keep
// the model's own type.
struct LayerSchemes {
  MatmulScheme attention_input = MatmulScheme::Bf16;   // q, k, v or the low-rank MLA projections
  MatmulScheme attention_output = MatmulScheme::Bf16;  // o_proj
  MatmulScheme mlp = MatmulScheme::Bf16;               // dense gate, up and down
  MatmulScheme experts = MatmulScheme::Bf16;           // routed experts
  MatmulScheme shared_experts = MatmulScheme::Bf16;
  bool operator==(const LayerSchemes&) const = default;
  static FieldTable describe();
};

// `count` consecutive layers that are alike.
struct LayerGroup {
  std::int64_t count = 1;
  AttentionKind attention = AttentionKind::Full;
  bool mixture = false;  // mixture of experts in place of the dense MLP
  bool rotary = true;    // rotary positions are applied (not on Llama 4's global layers)
  LayerSchemes schemes;
  bool alike(const LayerGroup& other) const;  // equal but for the count
  static FieldTable describe();
};

struct MixtureOfExperts {
  std::int64_t experts = 0, top_k = 0;
  std::int64_t intermediate = 0;         // width of one routed expert
  std::int64_t shared_intermediate = 0;  // width of all shared experts together; 0 = none
  bool shared_gate = false;              // a learned gate scales the shared output (Qwen2-MoE kinds)
  bool gated = true;                     // gate and up projections
  static FieldTable describe();
};

// shape.heads is the model's whole number of heads. q_lora_rank 0: queries are projected directly.
struct LatentAttention {
  std::int64_t q_lora_rank = 0;
  MlaShape shape;
  static FieldTable describe();
};

// Gated delta net layers (Qwen3-Next kinds).
struct LinearAttentionShape {
  std::int64_t key_heads = 0, key_dim = 0, value_heads = 0, value_dim = 0;
  std::int64_t convolution_width = 4;
  static FieldTable describe();
};

struct QuantizationFacts {
  std::string method;                      // as the checkpoint names it; empty = none
  std::int64_t group_size = 0;             // elements sharing a scale, where the scheme has groups
  DataType kv_cache = DataType::Bf16;      // what the checkpoint asks for
  std::vector<std::string> not_converted;  // module patterns kept in the model's own type
  static FieldTable describe();
};

struct ModelArchitecture {
  std::string name;                 // canonical id, for example "meta-llama/Llama-3.1-8B"
  std::string architecture;         // the class name in config.json
  DataType dtype = DataType::Bf16;  // of weights that are not quantised, and of activations
  std::int64_t hidden = 0;
  std::int64_t heads = 0, kv_heads = 0;  // standard attention
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;    // elements of a head that rotate
  std::int64_t intermediate = 0;  // width of the dense MLP; 0 when every layer is a mixture
  std::int64_t vocabulary = 0;
  std::int64_t max_positions = 0;
  std::int64_t sliding_window = 0;  // tokens a SlidingWindow layer sees, or the chunk of a Chunked layer
  std::vector<LayerGroup> layers;   // in order
  std::optional<MixtureOfExperts> mixture;
  std::optional<LatentAttention> latent;
  std::optional<LinearAttentionShape> linear;
  QueryKeyNorm qk_norm = QueryKeyNorm::None;
  bool qk_norm_weights = true;  // false: normalised without learned scales (Llama 4)
  bool qkv_bias = false;
  bool output_gate = false;  // attention output times a gate projected with the queries (Qwen3-Next)
  bool gated_mlp = true;     // gate and up projections
  bool layer_norm = false;   // LayerNorm in place of RMSNorm
  std::int64_t norms_per_layer = 2;
  bool tie_embeddings = false;
  std::int64_t mtp_layers = 0;  // extra layers for multi-token prediction; loaded only for speculation
  QuantizationFacts quantization;
  std::vector<std::string> notes;  // what the record leaves out, for people

  std::int64_t layer_count() const;
  std::int64_t layers_with(AttentionKind kind) const;
  std::int64_t mixture_layers() const;
  static FieldTable describe();
};

// The scheme of matrices kept in the model's own type.
MatmulScheme plain_scheme(DataType dtype);

// Adds one layer, joined to the last group when alike.
void append_layer(std::vector<LayerGroup>& groups, const LayerGroup& layer);

// Alike layers of [first, last) joined wherever they stand, in order of first appearance.
std::vector<LayerGroup> merged_layers(const ModelArchitecture& model, std::int64_t first, std::int64_t last);

// The same model with every linear group of its layers in `scheme`, as an engine's --quantization flag makes
// it. Throws InvalidInput when the checkpoint is already quantised another way.
ModelArchitecture quantize_linears(const ModelArchitecture& model, MatmulScheme scheme);

// Throws InvalidInput "<where>: ..." on sizes that are not positive or do not agree.
void check_architecture(const ModelArchitecture& model, std::string_view where);

}  // namespace warploom
