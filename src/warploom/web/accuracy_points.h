// How right predictions were, as the page shows it: data/web/accuracy.json, data/web/leaderboard.json.
#pragma once

#include <string_view>

namespace warploom {

// JSON, see docs/formats.md.
std::string_view accuracy_points_text();
std::string_view leaderboard_text();

}  // namespace warploom
