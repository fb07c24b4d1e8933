#include "warploom/predictor/model/cell_trees.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

TEST(CellTrees, AreKeptOnceWhereCellsShareThem) {
  const std::string trees(1000, 'x');
  const std::string record = join_cell_trees({{3, trees}, {5, "abc"}, {9, trees}});
  EXPECT_LT(record.size(), 1100u);
  const auto cells = split_cell_trees(record, "test");
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].trees, trees);
  EXPECT_EQ(cells[1].trees, "abc");
  EXPECT_EQ(cells[2].cell, 9u);
  EXPECT_EQ(cells[2].trees, trees);
  for (std::size_t size = 0; size < record.size(); ++size)
    EXPECT_THROW(split_cell_trees(std::string_view(record).substr(0, size), "test"), InvalidInput);
}

TEST(CellTrees, ComeBackAndRefuseDamage) {
  const std::string record = join_cell_trees({{3, "abc"}, {9, ""}});
  const auto cells = split_cell_trees(record, "test");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].cell, 3U);
  EXPECT_EQ(cells[0].trees, "abc");
  EXPECT_EQ(cells[1].cell, 9U);
  EXPECT_THROW(split_cell_trees(record + "x", "test"), InvalidInput);
  EXPECT_THROW(split_cell_trees(std::string_view(record).substr(0, record.size() - 1), "test"), InvalidInput);
}

}  // namespace
}  // namespace warploom
