// What EnsembleRecord::trees holds: the symmetric trees of a measured GPU's cells, or the kriging and the
// trees of an adapted one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warploom {

struct CellTrees {
  std::uint32_t cell = 0;  // into FamilyModel::cells
  std::string trees;       // encode_symmetric
};
// Equal trees are kept once.
std::string join_cell_trees(const std::vector<CellTrees>& cells);

struct CellTreesView {
  std::uint32_t cell = 0;
  std::string_view trees;  // into the record
};
// Throws InvalidInput naming `where` on damaged bytes.
std::vector<CellTreesView> split_cell_trees(std::string_view record, std::string_view where);

struct AdaptationView {
  std::string_view kriging, trees;  // fit_kriging, encode_trees or empty
};
std::string join_adaptation(const AdaptationView& parts);
// Throws InvalidInput naming `where` on damaged bytes.
AdaptationView split_adaptation(std::string_view record, std::string_view where);

}  // namespace warploom
