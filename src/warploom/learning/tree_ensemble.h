// Boosted regression trees in a compact form: our own inference, without the training library.
//
// Encoded: per feature a table of at most 256 thresholds; a bit a node for "leaf"; per node one byte of
// feature and one of threshold, leaves a 16-bit fraction of the tree's largest; nodes breadth first, so
// children need no pointers: 2.1 bytes a node. Decoded: 8 bytes a node; trees are walked several at a time
// without branches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/learning/feature_row.h"

namespace warploom {

// A tree as a learner gives it. Node 0 is the root; feature -1 marks a leaf with `value`.
// Goes left when x[feature] < value, else right.
struct PlainTree {
  struct Node {
    int feature = -1;
    float value = 0;
    int left = 0, right = 0;
  };
  std::vector<Node> nodes;
};

// Throws Unsupported beyond 256 thresholds a feature, 65,535 nodes a tree or 63 features.
std::string encode_trees(const std::vector<PlainTree>& trees);

class TreeEnsemble {
 public:
  TreeEnsemble() = default;
  // Throws InvalidInput naming `where` on damaged bytes.
  TreeEnsemble(std::string_view encoded, std::string_view where);

  // Sum of the leaves. The row's last slot must hold minus infinity (set_guard). O(trees x depth), no
  // allocation.
  float predict(const FeatureRow& row) const;
  static void set_guard(FeatureRow& row);

  std::size_t tree_count() const { return roots_.size(); }

 private:
  struct Node {
    float value;            // threshold, or the leaf's value
    std::uint16_t feature;  // kMaxFeatures: a leaf, whose walk stays where it is
    std::uint16_t skip;     // from this node to its left child; right = left + 1; a leaf skips to itself
  };
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint8_t> depths_;
};

}  // namespace warploom
