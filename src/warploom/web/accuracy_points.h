// How right predictions were, as the page shows it: data/web/accuracy.json.
#pragma once

#include <string_view>

namespace warploom {

// JSON, see docs/formats.md.
std::string_view accuracy_points_text();

}  // namespace warploom
