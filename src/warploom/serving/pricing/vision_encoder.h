// The encoder of a multimodal model: a vision transformer over the patches of an image, and the projection of
// merged patches into the language model's width. It runs in the step that first takes a request's prompt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/base/units.h"
#include "warploom/models/operator_graph.h"

namespace warploom {

// The keys of a Hugging Face `vision_config` (Qwen-VL's spelling). Sizes count elements of the whole encoder.
struct VisionEncoder {
  std::int64_t depth = 27;
  std::int64_t hidden = 1152;
  std::int64_t heads = 16;
  std::int64_t intermediate = 4304;
  std::int64_t patch = 16;  // pixels
  std::int64_t merge = 2;   // patches a side that become one token
  std::int64_t channels = 3;
  std::int64_t frames = 2;  // of a patch: images are doubled, as Qwen-VL does
  std::int64_t out_hidden = 4096;

  std::int64_t patches_of(std::int64_t tokens) const { return tokens * merge * merge; }
  static FieldTable describe();
};

// Reads a JSON object or the file at such a path, where `files` holds it; of a whole config.json its
// "vision_config". Other keys of it are skipped. Throws IoError, Unsupported (another path), InvalidInput (no
// such object, sizes out of range, heads that do not divide).
VisionEncoder load_vision_encoder(const std::string& json_or_path, const FileScope& files = {});

// One pass over `images` images of `tokens` tokens each (after merging), on one of `tensor_parallel` GPUs.
// Heads and the MLP are split when they divide, else every rank computes everything.
OperatorGraph vision_operators(const VisionEncoder& encoder, std::int64_t images, std::int64_t tokens,
                               std::int64_t tensor_parallel);

// Weights on one GPU, in bf16.
Bytes vision_weights(const VisionEncoder& encoder, std::int64_t tensor_parallel);

}  // namespace warploom
