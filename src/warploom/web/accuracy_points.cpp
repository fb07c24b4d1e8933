#include "warploom/web/accuracy_points.h"

#include "warploom/base/embedded_file.h"
#include "warploom_embedded/web_accuracy.h"
#include "warploom_embedded/web_leaderboard.h"

namespace warploom {

std::string_view accuracy_points_text() { return embedded::web_accuracy().front().contents; }

std::string_view leaderboard_text() { return embedded::web_leaderboard().front().contents; }

}  // namespace warploom
