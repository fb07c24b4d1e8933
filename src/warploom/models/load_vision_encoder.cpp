#include "warploom/models/load_vision_encoder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/models/hf/config_values.h"
#include "warploom/models/hf/vision_config.h"

namespace warploom {

VisionEncoder load_vision_encoder(const std::string& text, const FileScope& files) {
  const bool inline_json = text.find('{') != std::string::npos;
  const std::string where = inline_json ? std::string("vision_config") : text;
  if (!inline_json && !files.holds(text))
    throw Unsupported(
        fmt::format("vision_encoder: '{}' is no vision_config as JSON, and no file is read here", text));
  Json document = parse_json(inline_json ? text : read_file(text), where);
  if (document.is_object() && document.contains("vision_config")) {
    const ConfigValues config(document, where);
    const std::vector<std::string> classes = config.texts("architectures");
    if (const auto known = vision_part(config, classes.empty() ? "" : classes.front()).encoder) return *known;
    document = Json(document["vision_config"]);
  }
  if (!document.is_object())
    throw InvalidInput(
        fmt::format("{}: expected a JSON object with depth, hidden_size, num_heads ...", where));
  return qwen_vision(document, where);
}

}  // namespace warploom
