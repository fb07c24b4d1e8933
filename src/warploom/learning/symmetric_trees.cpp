#include "warploom/learning/symmetric_trees.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"
#include "warploom/learning/feature_row.h"

namespace warploom {
namespace {

// An ensemble that keeps the limits takes less.
constexpr std::size_t kMostBytes = 1 << 20;

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

// Deflated, the length of what comes out in front.
std::string deflate_bytes(std::string_view bytes) {
  uLongf length = compressBound(uLong(bytes.size()));
  std::string packed(length, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                               reinterpret_cast<const Bytef*>(bytes.data()), uLong(bytes.size()), 9);
  if (status != Z_OK) throw Error(fmt::format("deflating {} bytes failed", bytes.size()));
  ByteWriter out;
  out.put(std::uint32_t(bytes.size()));
  return out.bytes() + packed.substr(0, length);
}

// Throws InvalidInput naming `where` on damage and when more than `most` bytes would come out.
std::string inflate_bytes(std::string_view deflated, std::size_t most, std::string_view where) {
  ByteReader in(deflated, where);
  const auto expected = in.take<std::uint32_t>();
  if (expected > most)
    throw InvalidInput(fmt::format("{}: a record of {} bytes, expected at most {}", where, expected, most));
  const std::string_view packed = deflated.substr(sizeof expected);
  std::string bytes(expected, '\0');
  uLongf length = expected;
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                                reinterpret_cast<const Bytef*>(packed.data()), uLong(packed.size()));
  if (status != Z_OK || length != expected)
    throw InvalidInput(fmt::format("{}: a deflated record is damaged", where));
  return bytes;
}

}  // namespace

std::string encode_symmetric(const SymmetricTrees& trees) {
  check_limits(trees, "symmetric trees");
  ByteWriter out;
  out.put_all(trees.slots);
  put_cuts(out, trees);
  out.put(std::uint32_t(trees.trees.size()));
  // Alike bytes stand together, for the sake of the deflated size.
  for (const SymmetricTree& tree : trees.trees) out.put(std::uint8_t(tree.questions.size()));
  for (const SymmetricTree& tree : trees.trees) out.put(tree.scale);
  for (const SymmetricTree& tree : trees.trees)
    for (const SymmetricTree::Question& q : tree.questions) out.put(q.input);
  for (const SymmetricTree& tree : trees.trees)
    for (const SymmetricTree::Question& q : tree.questions) out.put(q.cut);
  for (const SymmetricTree& tree : trees.trees)
    for (const std::int8_t leaf : tree.leaves) out.put(leaf);
  return deflate_bytes(out.bytes());
}

SymmetricTrees decode_symmetric(std::string_view bytes, std::string_view where) {
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
  for (SymmetricTree& tree : trees.trees)
    for (std::int8_t& leaf : tree.leaves) leaf = in.take<std::int8_t>();
  if (!in.at_end()) throw InvalidInput(fmt::format("{}: bytes after the symmetric trees", where));
  check_limits(trees, where);
  return trees;
}

}  // namespace warploom
