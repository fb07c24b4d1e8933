// Which encoder reads a run's images.
#pragma once

#include <string>

#include "warploom/base/file_scope.h"
#include "warploom/models/architecture.h"

namespace warploom {

// The one that is asked for, as load_vision_encoder takes it, else the model's. Throws Unsupported where the
// model has none, or one that is not modelled; what load_vision_encoder throws.
VisionEncoder vision_of(const std::string& asked, const FileScope& files, const ModelArchitecture& model);

}  // namespace warploom
