#include "warploom/serving/kv/prefix_hash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace warploom {
namespace {

std::vector<std::uint64_t> hashes_of(std::span<const ContentSegment> content, std::int64_t unit_tokens,
                                     std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  PrefixHasher(content, unit_tokens).next(hashes);
  return hashes;
}

// A prompt goes on from another with that one's last content: what both have is hashed alike.
TEST(PrefixHasher, GoesOnWhereAnAnswerEnded) {
  const std::vector<ContentSegment> first = {{1, 100}, {2, 50}};
  const std::vector<ContentSegment> second = {{1, 100}, {2, 170}, {3, 40}};
  const auto before = hashes_of(first, 16, 16), after = hashes_of(second, 16, 19);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_EQ(std::set(after.begin(), after.end()).size(), after.size());
}

// Contents and where they begin make up a token, lengths of stretches apart from the last included: equal
// hashes where all up to the end of a unit is equal, and only there.
RC_GTEST_PROP(PrefixHasher, EqualWhereEveryTokenIs, ()) {
  const auto unit = *rc::gen::inRange<std::int64_t>(1, 20);
  std::vector<std::vector<ContentSegment>> prompts(2);
  for (auto& content : prompts)
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
      content.push_back({*rc::gen::inRange<std::uint64_t>(1, 3), std::int32_t(10 * *rc::gen::inRange(1, 6))});
  constexpr std::size_t kUnits = 20;
  std::vector<std::vector<std::uint64_t>> hashes;
  std::vector<std::vector<std::pair<std::uint64_t, std::int64_t>>> tokens;  // content, place in its stretch
  for (const auto& content : prompts) {
    hashes.push_back(hashes_of(content, unit, kUnits));
    auto& own = tokens.emplace_back();
    for (std::size_t i = 0; i < content.size(); ++i) {
      const std::int64_t end = i + 1 < content.size() ? content[i].tokens : std::int64_t(kUnits) * unit;
      for (std::int64_t at = 0; at < end; ++at) own.emplace_back(content[i].content, at);
    }
  }
  for (std::size_t i = 0; i < kUnits; ++i) {
    const auto end = std::ptrdiff_t(i + 1) * std::ptrdiff_t(unit);
    const bool equal = std::equal(tokens[0].begin(), tokens[0].begin() + end, tokens[1].begin());
    RC_ASSERT((hashes[0][i] == hashes[1][i]) == equal);
  }
}

// Asked in parts or at once: the same.
RC_GTEST_PROP(PrefixHasher, GoesOnInParts, ()) {
  const std::vector<ContentSegment> content = {{1, 100}, {2, 7}, {3, 170}, {4, 40}};
  const auto unit = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto whole = hashes_of(content, unit, 40);
  const auto cut = *rc::gen::inRange<std::size_t>(0, 41);
  std::vector<std::uint64_t> parts(40);
  PrefixHasher hasher(content, unit);
  hasher.next(std::span(parts).first(cut));
  hasher.next(std::span(parts).subspan(cut));
  RC_ASSERT(parts == whole);
}

}  // namespace
}  // namespace warploom
