// The GPUs that a predictor was trained without, as a note in its folder: what else the program knows of
// their steps (rules of data/steps) is hidden with their tables, so that a judge sees an unknown GPU.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/whole_folder.h"

namespace warploom {

inline constexpr std::string_view kExcludedGpusName = "excluded_gpus.json";

// Canonical names, sorted; none where the folder has no note. Throws InvalidInput on a note that is none, or
// that is not the one of the folder's manifest, NotFound on a GPU that the catalog lacks, IoError where the
// manifest has a note that is not there.
std::vector<std::string> excluded_gpus_of(const std::filesystem::path& folder);

FolderFile excluded_gpus_note(std::vector<std::string> gpus);

}  // namespace warploom
