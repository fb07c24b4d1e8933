#include "warploom/manifests/lines/misspelt.h"

#include <algorithm>

#include "warploom/base/edit_distance.h"

namespace warploom {
namespace {

constexpr std::size_t kShortest = 6, kLettersOfAnEdit = 8, kCutLetters = 3;

}  // namespace

bool looks_misspelt(std::string_view name, std::span<const std::string> known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& each) {
    if (std::min(name.size(), each.size()) < kShortest) return false;
    const bool cut = each.starts_with(name) && each.size() <= name.size() + kCutLetters;
    return cut || edit_distance(name, each) <= std::max<std::size_t>(1, each.size() / kLettersOfAnEdit);
  });
}

}  // namespace warploom
