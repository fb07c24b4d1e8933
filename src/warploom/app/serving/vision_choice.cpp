#include "warploom/app/serving/vision_choice.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/models/load_vision_encoder.h"

namespace warploom {

VisionEncoder vision_of(const std::string& asked, const FileScope& files, const ModelArchitecture& model) {
  if (!asked.empty()) return load_vision_encoder(asked, files);
  if (model.vision.encoder) return *model.vision.encoder;
  throw Unsupported(fmt::format(
      "images_per_request: {} {}; expected a model whose encoder is known (Qwen3-VL, Qwen3.5 and 3.6, "
      "Kimi-K2.5 to K3, Gemma 4, Llama 4) or `vision_encoder`, which takes a vision_config or the path of a "
      "config.json",
      model.name,
      model.vision.refusal.empty() ? "has no encoder of images in its config.json"
                                   : "cannot be asked for images, " + model.vision.refusal));
}

}  // namespace warploom
