// The tuned files of an engine for people and programs.
#pragma once

#include <string>

#include "warploom/app/tune/tuned_files.h"
#include "warploom/base/json.h"

namespace warploom {

// Per file: whether it ships, or what was predicted and how sure that is, and when the engine opens it.
std::string tuned_files_text(const TunedFilesResult& result);
// {"engine", "engine_version", "model", "gpu", "tp", "ep", "files": [{"kernel", "name", "package_folder",
// "variable", "user_folder", "opened", "state": "ships" | "predicted" | "timed" | "missing",
// "tier", "not_timed", ...}]}; rows of predicted and timed files by tokens.
Json tuned_files_json(const TunedFilesResult& result);

}  // namespace warploom
