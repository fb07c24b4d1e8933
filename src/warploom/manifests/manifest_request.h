// The door: a request whose `manifest` names a file that deploys engines, as a request without one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/file_scope.h"
#include "warploom/base/json.h"

namespace warploom {

// What a manifest says of its engines, for who must know it before the request is read.
struct ManifestOutline {
  std::string engine;
  std::string model, gpu;  // empty: not said, or not of every pool
  bool has_pools = false;  // for prompts and for tokens
};

// Puts what manifests start into `request`, the fields of `table` (nested): wherever a setup names one as
// `manifest`. Fields that are given beside it rule; of a manifest with pools they do in both, and what is
// given of one pool in that pool. Says what was left out as without effect on time. Throws Unsupported where
// the scope does not hold the file or the request has no pools; what reading the file throws.
std::vector<std::string> take_manifests(Json& request, const FieldTable& table, SetupUse use,
                                        const FileScope& files);

ManifestOutline manifest_outline(const std::string& path, SetupUse use);

// What a pasted manifest asks of `simulate`, flat: {"asked": {...}, "ignored": [...]}. Throws Unsupported on
// pools.
Json pasted_manifest(std::string_view text);

}  // namespace warploom
