// A file that says how engines are deployed, as others have it: objects of Kubernetes (Deployment,
// StatefulSet, LeaderWorkerSet, DynamoGraphDeployment), values of the charts of llm-d and of vLLM's
// production stack, and scripts of a shell or of Slurm.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/manifests/files/manifest.h"

namespace warploom {

// Throws IoError; InvalidInput and Unsupported with the place: text that cannot be read, unknown kinds and
// fields (with the nearest name), what changes times and is not modelled, no engine at all.
Manifest read_manifest(const std::filesystem::path& path);
// The same of its text; `where` stands for the path.
Manifest parse_manifest(std::string_view text, const std::string& where);

// Whether a pasted text is such a file, and no line of a shell.
bool looks_like_manifest(std::string_view text);

}  // namespace warploom
