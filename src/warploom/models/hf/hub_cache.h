// Configurations of models that Hugging Face's own tools have downloaded to this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace warploom {

// Where they lie: HF_HUB_CACHE, else `hub` of HF_HOME, else of XDG_CACHE_HOME/huggingface, else of
// HOME/.cache/huggingface. Empty: nowhere.
std::filesystem::path hub_cache();

// The config.json of the repository `id` ("owner/name") in such a folder: of the snapshot that `main` names,
// else of the first that has one. Nothing where it is not there, and for any other text.
std::optional<std::filesystem::path> cached_config(const std::filesystem::path& cache, std::string_view id);

}  // namespace warploom
