// YAML files as JSON.
#pragma once

#include <filesystem>

#include "warploom/base/json.h"

namespace warploom {

// Scalars without quotes that are JSON numbers, true, false or null are those; others are texts. Throws
// IoError when the file cannot be read, InvalidInput "<path>: line N: ..." when it is no YAML.
Json read_yaml_file(const std::filesystem::path& path);

}  // namespace warploom
