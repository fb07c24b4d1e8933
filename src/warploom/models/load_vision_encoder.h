// An encoder of images that is given by itself, in place of the one in a model's own config.json.
#pragma once

#include <string>

#include "warploom/base/file_scope.h"
#include "warploom/models/vision_encoder.h"

namespace warploom {

// Reads a JSON object or the file at such a path, where `files` holds it; of a whole config.json its
// "vision_config". Other keys of it are skipped. Throws IoError, Unsupported (another path), InvalidInput (no
// such object, sizes out of range, heads that do not divide).
VisionEncoder load_vision_encoder(const std::string& json_or_path, const FileScope& files = {});

}  // namespace warploom
