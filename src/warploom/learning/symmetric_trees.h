// Boosted symmetric trees: all nodes of a level ask the same question, so a tree is a table of leaves indexed
// by the answers, and many rows (or many trees) are answered by one vector instruction.
//
// Values are integers throughout: leaf x scale, in units of 2^-20, summed exactly. Whatever vector unit
// computes it, the result is the same to the last bit.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

inline constexpr std::size_t kSymmetricDepth = 8;  // questions of a tree, at most: a leaf's number is a byte
inline constexpr std::size_t kSymmetricLeaves = std::size_t(1) << kSymmetricDepth;
inline constexpr std::size_t kSymmetricTrees = 512;  // of an ensemble, at most: sums stay within 32 bits
inline constexpr std::size_t kSymmetricCuts = 64;    // of an input, at most
inline constexpr double kSymmetricUnit = 1.0 / (1 << 20);

struct SymmetricTree {
  struct Question {
    std::uint8_t input = 0, cut = 0;  // yes when value of the input >= its cut
  };
  std::vector<Question> questions;  // answer i is bit i of the leaf's number
  std::int16_t scale = 1;           // positive
  std::vector<std::int8_t> leaves;  // 2^questions
};

// Which leaves some row can come to: who is above a cut is above every lower cut of that input. By the leaf's
// number; O(leaves). Cuts must ascend, as SymmetricTrees keeps them.
std::bitset<kSymmetricLeaves> reachable_leaves(const std::vector<SymmetricTree::Question>& questions);

struct SymmetricTrees {
  std::vector<std::uint8_t> slots;       // of the inputs in a FeatureRow
  std::vector<std::vector<float>> cuts;  // by input, ascending; lowest byte zero
  std::vector<SymmetricTree> trees;
};

// How leaves are kept as bytes.
enum class LeafLayout : std::uint8_t {
  All,       // about four bits a leaf
  Reachable  // those of reachable_leaves alone, a quarter to a third less; others come back as zero
};

// Deflated. Throws InvalidInput when a limit above is exceeded.
std::string encode_symmetric(const SymmetricTrees& trees, LeafLayout layout = LeafLayout::All);
// Reads both layouts. Throws InvalidInput naming `where` on damaged bytes; what it returns keeps every limit.
SymmetricTrees decode_symmetric(std::string_view bytes, std::string_view where);

}  // namespace warploom
