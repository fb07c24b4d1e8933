#include "warploom/models/image_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/divide_up.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

// preprocessor_config.json and video_preprocessor_config.json of Qwen/Qwen3-VL-8B-Instruct, Qwen/Qwen3.5-27B
// and Qwen/Qwen3.6-27B.
constexpr double kQwenLeastPixels = 65536, kQwenMostPixels = 16777216;
constexpr double kQwenLeastVideoPixels = 4096, kQwenMostVideoPixels = 25165824;
constexpr double kQwenMostRatio = 200;  // of the sides
// transformers' image_processing_kimi_k25.py and video_processing_kimi_k25.py.
constexpr double kMoonVitMostPatches = 16384, kMoonVitMostVideoPatches = 4096;
constexpr std::int64_t kMoonVitMostSide = 512;   // patches
constexpr std::int64_t kMoonVitChunkFrames = 4;  // that become the tokens of one
// image_processing_gemma4.py and video_processing_gemma4.py; vLLM's gemma4_mm.py counts 8 words with a frame.
constexpr std::int64_t kGemma4Tokens = 280, kGemma4FrameTokens = 70;
constexpr std::int64_t kGemma4Frames = 32, kGemma4FrameWords = 8;
constexpr std::int64_t kMostSide = 100'000;  // pixels, and frames

// Python's round(): halves go to the even neighbour.
std::int64_t round_half_even(double value) { return std::int64_t(std::nearbyint(value)); }

struct Sides {
  std::int64_t height = 0, width = 0;
};

// What smart_resize of qwen2_vl and qwen3_vl takes: `padded` frames count against the limits.
struct QwenPicture {
  double height = 1, width = 1, frames = 1, padded = 1;
  double factor = 32;          // both sides become multiples of it
  double least = 0, most = 0;  // pixels of all frames together
};

Sides qwen_resize(const QwenPicture& picture) {
  const double factor = picture.factor;
  const auto times = [factor](double value) { return std::int64_t(value) * std::int64_t(factor); };
  const auto nearest = [&](double side) { return times(double(round_half_even(side / factor))); };
  const Sides sides{nearest(picture.height), nearest(picture.width)};
  const double pixels = picture.padded * double(sides.height) * double(sides.width);
  const double area = picture.frames * picture.height * picture.width;
  if (pixels > picture.most) {
    const double beta = std::sqrt(area / picture.most);
    const auto down = [&](double side) {
      return std::max(std::int64_t(factor), times(std::floor(side / beta / factor)));
    };
    return {down(picture.height), down(picture.width)};
  }
  if (pixels < picture.least) {
    const double beta = std::sqrt(picture.least / area);
    const auto up = [&](double side) { return times(std::ceil(side * beta / factor)); };
    return {up(picture.height), up(picture.width)};
  }
  return sides;
}

ImageShape qwen_shape(const VisionEncoder& encoder, const ImageSize& size) {
  const auto factor = double(encoder.patch * encoder.merge);
  auto height = double(size.height), width = double(size.width);
  const bool video = size.frames > 1;
  if (video && (height < factor || width < factor)) {
    const double scale = std::max(factor / height, factor / width);
    height = std::floor(height * scale);
    width = std::floor(width * scale);
  }
  if (std::max(height, width) / std::min(height, width) > kQwenMostRatio)
    throw InvalidInput(
        fmt::format("image_size: {}x{}, expected sides of which one is at most {} times the other",
                    size.width, size.height, kQwenMostRatio));
  const std::int64_t steps = video ? divide_up(size.frames, encoder.frames) : 1;
  QwenPicture picture{.height = height, .width = width, .factor = factor};
  if (video) {
    picture.frames = double(size.frames);
    picture.padded = double(round_half_even(picture.frames / double(encoder.frames)) * encoder.frames);
  }
  picture.least = video ? kQwenLeastVideoPixels : kQwenLeastPixels;
  picture.most = video ? kQwenMostVideoPixels : kQwenMostPixels;
  const Sides sides = qwen_resize(picture);
  const std::int64_t patches = sides.height / encoder.patch * (sides.width / encoder.patch);
  return {.tokens = steps * patches / (encoder.merge * encoder.merge), .runs = {{steps, patches}}};
}

// navit_resize: never larger, padded to whole tokens.
std::int64_t moonvit_patches(const VisionEncoder& encoder, const ImageSize& size, double most) {
  const auto patch = double(encoder.patch);
  const auto across = [&](std::int64_t side) { return std::max(1.0, std::floor(double(side) / patch)); };
  const double limit = double(kMoonVitMostSide) * patch;
  const double scale = std::min({1.0, std::sqrt(most / (across(size.height) * across(size.width))),
                                 limit / double(size.height), limit / double(size.width)});
  const auto side = [&](std::int64_t pixels) {
    const std::int64_t scaled =
        std::clamp<std::int64_t>(std::int64_t(double(pixels) * scale), 1, kMoonVitMostSide * encoder.patch);
    return divide_up(scaled, encoder.merge * encoder.patch) * encoder.merge;
  };
  return side(size.height) * side(size.width);
}

ImageShape moonvit_shape(const VisionEncoder& encoder, const ImageSize& size) {
  const bool video = size.frames > 1;
  const std::int64_t patches =
      moonvit_patches(encoder, size, video ? kMoonVitMostVideoPatches : kMoonVitMostPatches);
  const std::int64_t tokens = patches / (encoder.merge * encoder.merge);
  if (!video) return {.tokens = tokens, .runs = {{1, patches}}};
  ImageShape shape;
  shape.tokens = divide_up(size.frames, kMoonVitChunkFrames) * tokens;
  const std::int64_t whole = size.frames / kMoonVitChunkFrames, rest = size.frames % kMoonVitChunkFrames;
  if (whole > 0) shape.runs.push_back({whole, kMoonVitChunkFrames * patches});
  if (rest > 0) shape.runs.push_back({1, rest * patches});
  return shape;
}

// get_aspect_ratio_preserving_size: as large as the patches allow; what is missing to them is padding, which
// is worked through too.
ImageShape gemma4_shape(const VisionEncoder& encoder, const ImageSize& size) {
  const bool video = size.frames > 1;
  const std::int64_t most = (video ? kGemma4FrameTokens : kGemma4Tokens) * encoder.merge * encoder.merge;
  const double target = double(most) * double(encoder.patch * encoder.patch);
  const double factor = std::sqrt(target / (double(size.height) * double(size.width)));
  const auto side = double(encoder.merge * encoder.patch);
  auto rows = std::int64_t(std::floor(factor * double(size.height) / side));
  auto columns = std::int64_t(std::floor(factor * double(size.width) / side));
  const std::int64_t longest = most / (encoder.merge * encoder.merge);
  if (rows == 0) {
    rows = 1;
    columns = std::min(size.width / size.height, longest);
  } else if (columns == 0) {
    columns = 1;
    rows = std::min(size.height / size.width, longest);
  }
  return {.tokens = size.frames * rows * columns, .runs = {{size.frames, most}}};
}

// Tokens of a tile, and patches with that of its class.
std::int64_t tile_tokens(const VisionEncoder& encoder) {
  const std::int64_t side = encoder.tile / encoder.patch;
  return side * side / (encoder.merge * encoder.merge);
}

ImageShape tiled_shape(const VisionEncoder& encoder, std::int64_t tiles) {
  const std::int64_t side = encoder.tile / encoder.patch;
  return {.tokens = tiles * tile_tokens(encoder), .runs = {{tiles, side * side + 1}}};
}

// get_best_fit: the canvas of tiles that enlarges the picture least, else that shrinks it least; of several
// the smallest. A picture of several tiles is seen whole in a further one. Its ratios are of 32 bits.
ImageShape llama4_shape(const VisionEncoder& encoder, const ImageSize& size) {
  if (size.frames > 1)
    throw InvalidInput(
        fmt::format("image_size: {} frames, expected 1: Llama 4 reads no videos", size.frames));
  float larger = 0, smaller = 0;
  std::int64_t tiles_larger = 0, tiles_smaller = 0;
  for (std::int64_t rows = 1; rows <= encoder.most_tiles; ++rows)
    for (std::int64_t columns = 1; rows * columns <= encoder.most_tiles; ++columns) {
      const float scale = std::min(float(rows * encoder.tile) / float(size.height),
                                   float(columns * encoder.tile) / float(size.width));
      const std::int64_t tiles = rows * columns;
      if (scale >= 1 && (tiles_larger == 0 || scale < larger || (scale == larger && tiles < tiles_larger))) {
        larger = scale;
        tiles_larger = tiles;
      }
      if (scale < 1 &&
          (tiles_smaller == 0 || scale > smaller || (scale == smaller && tiles < tiles_smaller))) {
        smaller = scale;
        tiles_smaller = tiles;
      }
    }
  const std::int64_t tiles = tiles_larger > 0 ? tiles_larger : tiles_smaller;
  return tiled_shape(encoder, tiles > 1 ? tiles + 1 : tiles);
}

}  // namespace

std::int64_t ImageShape::patches() const {
  std::int64_t sum = 0;
  for (const PatchRun& run : runs) sum += run.count * run.patches;
  return sum;
}

ImageShape image_shape(const VisionEncoder& encoder, const ImageSize& size) {
  for (const std::int64_t each : {size.width, size.height, size.frames})
    if (each < 1 || each > kMostSide)
      throw InvalidInput(fmt::format("image_size: {}x{} of {} frames, expected each from 1 to {}", size.width,
                                     size.height, size.frames, kMostSide));
  switch (encoder.family) {
    case VisionFamily::MoonVit:
      return moonvit_shape(encoder, size);
    case VisionFamily::Gemma4:
      return gemma4_shape(encoder, size);
    case VisionFamily::Llama4:
      return llama4_shape(encoder, size);
    case VisionFamily::Qwen:
      break;
  }
  return qwen_shape(encoder, size);
}

ImageShape image_of_tokens(const VisionEncoder& encoder, std::int64_t tokens) {
  if (encoder.tile > 0) {
    ImageShape shape = tiled_shape(encoder, divide_up(tokens, tile_tokens(encoder)));
    shape.tokens = tokens;
    return shape;
  }
  return {.tokens = tokens, .runs = {{1, encoder.patches_of(tokens)}}};
}

std::int64_t most_tokens_of_image(const VisionEncoder& encoder) {
  const std::int64_t merged = encoder.merge * encoder.merge;
  switch (encoder.family) {
    case VisionFamily::MoonVit:
      return std::int64_t(kMoonVitMostPatches) / merged;
    case VisionFamily::Gemma4:
      return kGemma4Frames * (kGemma4FrameTokens + kGemma4FrameWords);
    case VisionFamily::Llama4:
      return tiled_shape(encoder, encoder.most_tiles + 1).tokens;
    case VisionFamily::Qwen:
      break;
  }
  return std::int64_t(kQwenMostPixels) / (encoder.patch * encoder.patch * merged);
}

}  // namespace warploom
