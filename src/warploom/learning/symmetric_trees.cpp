#include "warploom/learning/symmetric_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/learning/deflate.h"
#include "warploom/learning/feature_row.h"

namespace warploom {
namespace {

// An ensemble that keeps the limits takes less.
constexpr std::size_t kMostBytes = 1 << 20;
// In front of LeafLayout::Reachable, where the other layout has a length that is never so large.
constexpr std::string_view kReachableMark = "\xFF\xFF\xFF\xFF";

void check_limits(const SymmetricTrees& trees, std::string_view where) {
  bool sound = trees.slots.size() == trees.cuts.size() && trees.slots.size() <= std::size_t(kMaxFeatures) &&
               trees.trees.size() <= kSymmetricTrees;
  for (const std::uint8_t slot : trees.slots) sound = sound && slot < kMaxFeatures;
  for (const std::vector<float>& cuts : trees.cuts)
    sound = sound && cuts.size() <= kSymmetricCuts && std::is_sorted(cuts.begin(), cuts.end());
  for (const SymmetricTree& tree : trees.trees) {
    sound = sound && tree.questions.size() <= kSymmetricDepth && tree.scale > 0 &&
            tree.leaves.size() == std::size_t(1) << tree.questions.size();
    for (const SymmetricTree::Question& q : tree.questions)
      sound = sound && q.input < trees.slots.size() && q.cut < trees.cuts[q.input].size();
  }
  if (!sound) throw InvalidInput(fmt::format("{}: symmetric trees beyond their limits", where));
}

// Cuts without the lowest byte, byte by byte.
void put_cuts(ByteWriter& out, const SymmetricTrees& trees) {
  for (const std::vector<float>& cuts : trees.cuts) out.put(std::uint8_t(cuts.size()));
  for (const int shift : {24, 16, 8})
    for (const std::vector<float>& cuts : trees.cuts)
      for (const float cut : cuts) out.put(std::uint8_t(std::bit_cast<std::uint32_t>(cut) >> shift));
}

void take_cuts(ByteReader& in, SymmetricTrees& trees) {
  for (std::vector<float>& cuts : trees.cuts) cuts.assign(in.take<std::uint8_t>(), 0.0F);
  for (const int shift : {24, 16, 8})
    for (std::vector<float>& cuts : trees.cuts)
      for (float& cut : cuts)
        cut = std::bit_cast<float>(std::bit_cast<std::uint32_t>(cut) | std::uint32_t(in.take<std::uint8_t>())
                                                                           << shift);
}

}  // namespace

std::bitset<kSymmetricLeaves> reachable_leaves(const std::vector<SymmetricTree::Question>& questions) {
  std::array<std::size_t, kSymmetricDepth> implied{};  // by question: those that its yes says yes to
  for (std::size_t q = 0; q < questions.size(); ++q)
    for (std::size_t other = 0; other < questions.size(); ++other)
      if (questions[other].input == questions[q].input && questions[other].cut <= questions[q].cut)
        implied[q] |= std::size_t(1) << other;
  std::bitset<kSymmetricLeaves> reachable;
  std::array<std::size_t, kSymmetricLeaves> needed{};
  for (std::size_t leaf = 0; leaf < std::size_t(1) << questions.size(); ++leaf) {
    if (leaf != 0) needed[leaf] = needed[leaf & (leaf - 1)] | implied[std::size_t(std::countr_zero(leaf))];
    reachable[leaf] = (leaf & needed[leaf]) == needed[leaf];
  }
  return reachable;
}

std::string encode_symmetric(const SymmetricTrees& trees, LeafLayout layout) {
  check_limits(trees, "symmetric trees");
  // Alike bytes stand together, for the sake of the deflated size.
  ByteWriter inputs, depths, scales, asked, cuts, leaves;
  inputs.put_all(trees.slots);
  put_cuts(inputs, trees);
  depths.put(std::uint32_t(trees.trees.size()));
  for (const SymmetricTree& tree : trees.trees) {
    depths.put(std::uint8_t(tree.questions.size()));
    scales.put(tree.scale);
    for (const SymmetricTree::Question& q : tree.questions) {
      asked.put(q.input);
      cuts.put(q.cut);
    }
    const std::bitset<kSymmetricLeaves> reachable = reachable_leaves(tree.questions);
    for (std::size_t leaf = 0; leaf < tree.leaves.size(); ++leaf)
      if (layout == LeafLayout::All || reachable[leaf]) leaves.put(tree.leaves[leaf]);
  }
  const std::array parts{inputs.bytes(), depths.bytes(), scales.bytes(),
                         asked.bytes(),  cuts.bytes(),   leaves.bytes()};
  if (layout == LeafLayout::Reachable) return std::string(kReachableMark) + deflate_parts(parts);
  std::string whole;
  for (const std::string& part : parts) whole += part;
  return deflate_bytes(whole);
}

SymmetricTrees decode_symmetric(std::string_view bytes, std::string_view where) {
  const bool all = !bytes.starts_with(kReachableMark);
  if (!all) bytes.remove_prefix(kReachableMark.size());
  const std::string plain = inflate_bytes(bytes, kMostBytes, where);
  ByteReader in(plain, where);
  SymmetricTrees trees;
  trees.slots = in.take_all<std::uint8_t>();
  trees.cuts.resize(trees.slots.size());
  take_cuts(in, trees);
  const auto count = in.take<std::uint32_t>();
  if (count > kSymmetricTrees) throw InvalidInput(fmt::format("{}: too many symmetric trees", where));
  trees.trees.resize(count);
  for (SymmetricTree& tree : trees.trees) {
    const auto depth = in.take<std::uint8_t>();
    if (depth > kSymmetricDepth) throw InvalidInput(fmt::format("{}: a symmetric tree too deep", where));
    tree.questions.resize(depth);
    tree.leaves.resize(std::size_t(1) << depth);
  }
  for (SymmetricTree& tree : trees.trees) tree.scale = in.take<std::int16_t>();
  for (SymmetricTree& tree : trees.trees)
    for (SymmetricTree::Question& q : tree.questions) q.input = in.take<std::uint8_t>();
  for (SymmetricTree& tree : trees.trees)
    for (SymmetricTree::Question& q : tree.questions) q.cut = in.take<std::uint8_t>();
  for (SymmetricTree& tree : trees.trees) {
    const std::bitset<kSymmetricLeaves> reachable = reachable_leaves(tree.questions);
    for (std::size_t leaf = 0; leaf < tree.leaves.size(); ++leaf)
      if (all || reachable[leaf]) tree.leaves[leaf] = in.take<std::int8_t>();
  }
  if (!in.at_end()) throw InvalidInput(fmt::format("{}: bytes after the symmetric trees", where));
  check_limits(trees, where);
  return trees;
}

}  // namespace warploom
