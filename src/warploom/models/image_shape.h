// What a picture or a video becomes before an encoder sees it: patches that attend to each other, and tokens
// of the prompt. Each family of models has its own rule, that of its image processor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/models/vision_encoder.h"

namespace warploom {

// In pixels. A video has more than one frame, as they are sampled and given to the processor.
struct ImageSize {
  std::int64_t width = 0, height = 0, frames = 1;
  bool operator==(const ImageSize&) const = default;
};

// `count` times, `patches` patches that attend to each other.
struct PatchRun {
  std::int64_t count = 1, patches = 1;
  bool operator==(const PatchRun&) const = default;
};

struct ImageShape {
  std::int64_t tokens = 0;  // of the prompt; words around them (start, end, time stamps) are text
  std::vector<PatchRun> runs;
  std::int64_t patches() const;
  bool operator==(const ImageShape&) const = default;
};

// By the defaults of the family's processor: transformers' qwen2_vl and qwen3_vl with the limits that the
// checkpoints of Qwen3-VL, 3.5 and 3.6 ship, kimi_k25, gemma4 and llama4. O(1). Throws InvalidInput on sizes
// below 1 or above 1e5, on sides that the processor refuses, on videos of fewer frames than a patch has, and
// on videos where the model reads none.
ImageShape image_shape(const VisionEncoder& encoder, const ImageSize& size);

// A picture of which only the tokens are known: its patches attend to each other.
ImageShape image_of_tokens(const VisionEncoder& encoder, std::int64_t tokens);

// Tokens of the largest picture or video that the processor makes, as vLLM sizes its encoder's budget.
std::int64_t most_tokens_of_image(const VisionEncoder& encoder);

}  // namespace warploom
