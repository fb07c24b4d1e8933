// The encoder of images in a multimodal model's config.json, by the model's class.
#pragma once

#include <string_view>

#include "warploom/base/json.h"
#include "warploom/models/hf/config_values.h"
#include "warploom/models/vision_encoder.h"

namespace warploom {

// What `config` says of the encoder of a model of that class; a class that is not known and sizes out of
// range are a refusal, no error.
VisionPart vision_part(const ConfigValues& config, std::string_view architecture);

// A `vision_config` in Qwen-VL's spelling. Throws InvalidInput.
VisionEncoder qwen_vision(const Json& vision_config, std::string_view where);

}  // namespace warploom
