// What pictures and videos a run's requests have, and the encoder that reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/simulate_request.h"
#include "warploom/models/image_shape.h"

namespace warploom {

struct ImageSizeShare {
  ImageSize size;
  double share = 1;
};

// "1280x720", "1280x720:0.7,640x480x16:0.3" (width, height, frames, share), or buckets as
// `vllm bench serve --random-mm-bucket-config` takes them: "{(720, 1280, 1): 0.7}" (height, width, frames);
// those of share 0 are left out. Throws InvalidInput.
std::vector<ImageSizeShare> parse_image_sizes(std::string_view text);

// The encoder of a request with images, in words.
std::string vision_words(const SimulateRequest& request);

// The shapes that a request's images are drawn from; empty where none are asked for. Throws InvalidInput on
// fields that go without images, and what vision_of and parse_image_sizes throw.
std::vector<ImageDraw> image_draws_of(const SimulateRequest& request);

}  // namespace warploom
