#include "warploom/cli/misspelt.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace warploom {
namespace {

constexpr std::size_t kShortest = 6, kLettersOfAnEdit = 8, kCutLetters = 3;

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

bool looks_misspelt(std::string_view name, std::span<const std::string> known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& each) {
    if (std::min(name.size(), each.size()) < kShortest) return false;
    const bool cut = each.starts_with(name) && each.size() <= name.size() + kCutLetters;
    return cut || edits(name, each) <= std::max<std::size_t>(1, each.size() / kLettersOfAnEdit);
  });
}

}  // namespace warploom
