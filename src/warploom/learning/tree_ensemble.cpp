#include "warploom/learning/tree_ensemble.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "warploom/base/byte_stream.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr float kLeafSteps = 32767.0F;

// Node indices of a tree in breadth-first order.
std::vector<int> breadth_first(const PlainTree& tree) {
  std::vector<int> order{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const PlainTree::Node& node = tree.nodes[std::size_t(order[i])];
    if (node.feature < 0) continue;
    order.push_back(node.left);
    order.push_back(node.right);
  }
  return order;
}

std::vector<std::vector<float>> threshold_tables(const std::vector<PlainTree>& trees) {
  std::vector<std::vector<float>> tables(kMaxFeatures);
  for (const PlainTree& tree : trees)
    for (const PlainTree::Node& node : tree.nodes) {
      if (node.feature >= kMaxFeatures) throw Unsupported("a tree uses more than 63 features");
      if (node.feature >= 0) tables[std::size_t(node.feature)].push_back(node.value);
    }
  for (std::vector<float>& table : tables) {
    std::sort(table.begin(), table.end());
    table.erase(std::unique(table.begin(), table.end()), table.end());
    if (table.size() > 256) throw Unsupported("a feature of a tree ensemble has more than 256 thresholds");
  }
  return tables;
}

// One bit a node: whether it is a leaf.
void put_leaf_flags(ByteWriter& out, const PlainTree& tree, const std::vector<int>& order) {
  for (std::size_t i = 0; i < order.size(); i += 8) {
    std::uint8_t flags = 0;
    for (std::size_t bit = 0; bit < 8 && i + bit < order.size(); ++bit)
      if (tree.nodes[std::size_t(order[i + bit])].feature < 0) flags = std::uint8_t(flags | 1U << bit);
    out.put(flags);
  }
}

}  // namespace

std::string encode_trees(const std::vector<PlainTree>& trees) {
  const std::vector<std::vector<float>> tables = threshold_tables(trees);
  ByteWriter out;
  for (const std::vector<float>& table : tables) out.put_all(table);
  out.put(std::uint32_t(trees.size()));
  for (const PlainTree& tree : trees) {
    const std::vector<int> order = breadth_first(tree);
    if (order.size() > 65535) throw Unsupported("a tree has more than 65,535 nodes");
    float largest = 0;
    for (const PlainTree::Node& node : tree.nodes)
      if (node.feature < 0) largest = std::max(largest, std::abs(node.value));
    const float step = largest > 0 ? largest / kLeafSteps : 1.0F;
    out.put(std::uint32_t(order.size()));
    out.put(step);
    put_leaf_flags(out, tree, order);
    for (const int index : order) {
      const PlainTree::Node& node = tree.nodes[std::size_t(index)];
      if (node.feature < 0) {
        out.put(std::int16_t(std::lround(node.value / step)));
      } else {
        const std::vector<float>& table = tables[std::size_t(node.feature)];
        out.put(std::uint8_t(node.feature));
        out.put(std::uint8_t(std::lower_bound(table.begin(), table.end(), node.value) - table.begin()));
      }
    }
  }
  return out.bytes();
}

TreeEnsemble::TreeEnsemble(std::string_view encoded, std::string_view where) {
  ByteReader in(encoded, where);
  std::array<std::vector<float>, kMaxFeatures> tables;
  for (std::vector<float>& table : tables) table = in.take_all<float>();
  const auto trees = in.take<std::uint32_t>();
  std::vector<std::uint8_t> level;
  for (std::uint32_t t = 0; t < trees; ++t) {
    const auto count = in.take<std::uint32_t>();
    const auto step = in.take<float>();
    if (count == 0 || count > 65535) throw InvalidInput(std::string(where) + ": a tree of impossible size");
    const std::size_t root = nodes_.size();
    roots_.push_back(std::uint32_t(root));
    level.assign(count, 0);
    const std::string_view flags = in.take_bytes((count + 7) / 8);
    std::uint32_t next_child = 1;
    std::uint8_t depth = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if ((std::uint8_t(flags[i / 8]) >> (i % 8) & 1) != 0) {
        nodes_.push_back({float(in.take<std::int16_t>()) * step, std::uint16_t(kMaxFeatures), 0});
        continue;
      }
      const auto feature = in.take<std::uint8_t>();
      const auto bin = in.take<std::uint8_t>();
      if (feature >= kMaxFeatures || bin >= tables[feature].size() || next_child + 1 >= count)
        throw InvalidInput(std::string(where) + ": a tree node points outside its tables");
      nodes_.push_back({tables[feature][bin], feature, std::uint16_t(next_child - i)});
      level[next_child] = level[next_child + 1] = std::uint8_t(level[i] + 1);
      depth = std::max(depth, level[next_child]);
      next_child += 2;
    }
    depths_.push_back(depth);
  }
}

void TreeEnsemble::set_guard(FeatureRow& row) {
  row.values[kMaxFeatures] = -std::numeric_limits<float>::infinity();
}

float TreeEnsemble::predict(const FeatureRow& row) const {
  constexpr std::size_t kLanes = 8;  // independent walks hide the latency of dependent loads
  const float* x = row.values.data();
  const auto step = [x](const Node* node) {
    return node + node->skip + std::size_t(!(x[node->feature] < node->value));
  };
  float sum = 0;
  std::size_t t = 0;
  for (; t + kLanes <= roots_.size(); t += kLanes) {
    std::array<const Node*, kLanes> at;
    std::uint8_t depth = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      at[l] = nodes_.data() + roots_[t + l];
      depth = std::max(depth, depths_[t + l]);
    }
    for (std::uint8_t d = 0; d < depth; ++d) {
#pragma GCC unroll 8
      for (std::size_t l = 0; l < kLanes; ++l) at[l] = step(at[l]);
    }
    for (std::size_t l = 0; l < kLanes; ++l) sum += at[l]->value;
  }
  for (; t < roots_.size(); ++t) {
    const Node* at = nodes_.data() + roots_[t];
    for (std::uint8_t d = 0; d < depths_[t]; ++d) at = step(at);
    sum += at->value;
  }
  return sum;
}

}  // namespace warploom
