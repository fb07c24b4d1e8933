// The encoder of a multimodal model: a vision transformer over the patches of an image, and the projection of
// merged patches into the language model's width. It runs in the step that first takes a request's prompt, or
// on GPUs of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"

namespace warploom {

// Whose rules say how a picture becomes patches and what attends to what (image_shape.h).
enum class VisionFamily { Qwen, MoonVit, Gemma4, Llama4 };
template <>
struct EnumNames<VisionFamily> {
  static constexpr std::array<std::pair<VisionFamily, std::string_view>, 4> kNames{
      {{VisionFamily::Qwen, "qwen"},
       {VisionFamily::MoonVit, "moonvit"},
       {VisionFamily::Gemma4, "gemma4"},
       {VisionFamily::Llama4, "llama4"}}};
};

// Sizes count elements of the whole encoder. The defaults are those of a `vision_config` of Qwen-VL.
struct VisionEncoder {
  VisionFamily family = VisionFamily::Qwen;
  std::int64_t depth = 27;
  std::int64_t hidden = 1152;
  std::int64_t heads = 16;
  std::int64_t attention_width = 0;  // of all heads; 0: as wide as `hidden`
  std::int64_t intermediate = 4304;
  std::int64_t patch = 16;  // pixels
  std::int64_t merge = 2;   // patches a side that become one token
  std::int64_t channels = 3;
  std::int64_t frames = 2;  // of a patch: images are doubled, as Qwen-VL does
  std::int64_t out_hidden = 4096;
  std::int64_t position_rows = 0;  // of the table of learned positions
  std::int64_t deepstack = 0;      // further projections, of layers in between
  std::int64_t adapter_width = 0;  // of a projection in three products; 0: in two
  std::int64_t tile = 0;           // pixels of a side of the tiles that a picture is cut into; 0: it is whole
  std::int64_t most_tiles = 0;
  std::int64_t norms_per_layer = 2;  // of the hidden state
  bool head_norms = false;           // of queries, keys and values too
  bool gated = false;                // the MLP
  bool rms_norm = false;             // in place of LayerNorm
  bool pooled = false;               // patches are averaged into a token, which one product projects
  bool split = true;                 // over the GPUs of a replica, where heads divide
  bool splits_projection = true;     // so is the projection

  std::int64_t width_of_heads() const { return attention_width > 0 ? attention_width : hidden; }
  std::int64_t patches_of(std::int64_t tokens) const { return tokens * merge * merge; }
  // Elements of a token's embedding on its way to the language model.
  std::int64_t embedding_width() const { return out_hidden * (1 + deepstack); }
  static FieldTable describe();
};

// What a model's config.json says of its encoder of images.
struct VisionPart {
  std::optional<VisionEncoder> encoder;
  std::string refusal;  // why there is none, of a multimodal model; empty: it reads text alone
};

}  // namespace warploom
