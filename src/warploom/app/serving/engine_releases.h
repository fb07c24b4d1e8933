// The releases of engines that the package index has: data/engines/releases.json.
#pragma once

#include <string_view>

namespace warploom {

// Throws NotFound, with the nearest release, on a plain version ("0.24.7", "v0.24.7") of a known engine that
// was never released: one between two of its releases. Newer ones than the list has are let through, as are
// older ones, candidates and nightly builds, and a version that begins a release ("0.24"). O(releases).
void check_release(std::string_view engine, std::string_view version, std::string_view where);

}  // namespace warploom
