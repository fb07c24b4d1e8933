#include "warploom/base/nearest_name.h"

#include <algorithm>
#include <cctype>

#include "warploom/base/edit_distance.h"

namespace warploom {
namespace {

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ' || c == '/' || c == '.') continue;
    result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return result;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> candidates,
                                       std::size_t count) {
  const std::string wanted = folded(name);
  if (wanted.empty()) return {};
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string candidate = folded(candidates[i]);
    if (candidate.empty()) continue;
    const std::size_t most = std::max(wanted.size(), candidate.size());
    const std::size_t more = most - std::min(wanted.size(), candidate.size());
    const bool contained =
        candidate.find(wanted) != std::string::npos || wanted.find(candidate) != std::string::npos;
    // A text inside another is as far from it as that is longer; any two are at least as far.
    if (!contained && 2 * more > most) continue;
    const double edits = double(contained ? more : edit_distance(wanted, candidate));
    const double distance = edits / double(most) * (contained ? 0.5 : 1.0);
    if (distance <= 0.5) ranked.emplace_back(distance, i);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
    result.push_back(candidates[ranked[i].second]);
  return result;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> nearest = nearest_names(name, candidates);
  if (nearest.empty()) return {};
  std::string text = " (did you mean ";
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    if (i > 0) text += i + 1 == nearest.size() ? " or " : ", ";
    text += "'" + nearest[i] + "'";
  }
  return text + "?)";
}

}  // namespace warploom
