#include "warploom/models/vision_encoder.h"

namespace warploom {

FieldTable VisionEncoder::describe() {
  using V = VisionEncoder;
  const auto size = [](std::string_view doc) { return FieldOptions{.doc = doc, .min = 1, .max = 1e6}; };
  return FieldList<V>("vision_encoder")
      .add("depth", &V::depth, {.doc = "layers", .min = 1, .max = 1e4, .required = true})
      .add("hidden_size", &V::hidden, {.doc = "width", .min = 1, .max = 1e6, .required = true})
      .add("num_heads", &V::heads, {.doc = "attention heads", .min = 1, .max = 1e4, .required = true})
      .add("intermediate_size", &V::intermediate,
           {.doc = "width of the MLP", .min = 1, .max = 1e6, .required = true})
      .add("patch_size", &V::patch, size("pixels a side of a patch"))
      .add("spatial_merge_size", &V::merge, size("patches a side of a token"))
      .add("in_channels", &V::channels, size("colours"))
      .add("temporal_patch_size", &V::frames, size("frames of a patch"))
      .add("out_hidden_size", &V::out_hidden, size("width of the language model"))
      .add("num_position_embeddings", &V::position_rows,
           {.doc = "rows of the table of positions", .min = 0, .max = 1e6})
      .table();
}

}  // namespace warploom
