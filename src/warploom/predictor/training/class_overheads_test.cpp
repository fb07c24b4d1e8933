#include "warploom/predictor/training/class_overheads.h"

#include <gtest/gtest.h>

namespace warploom {
namespace {

// Two architectures with one GPU each, two kernels of one kind.
FamilyModel two_classes() {
  FamilyModel model;
  model.gpus = {{"old", 80, 0}, {"new", 90, 0}};
  model.contexts = {{"engine", "1", "plain"}, {"engine", "1", "scaled"}};
  for (std::uint16_t context = 0; context < 2; ++context)
    for (std::uint16_t gpu = 0; gpu < 2; ++gpu) {
      CellRecord cell;
      cell.gpu = gpu;
      cell.context = context;
      model.cells.push_back(cell);
    }
  return model;
}

// latency = base + fixed + per_row * rows over a grid of bases and rows.
void add_rows(std::vector<OverheadRow>& rows, std::uint32_t cell, double fixed, double per_row) {
  for (double base = 2e-6; base < 1e-3; base *= 2)
    for (double count = 1; count < 40000; count *= 8)
      rows.push_back({cell, base, base + fixed + per_row * count, count});
}

TEST(ClassOverheads, FindsWhatLatenciesWereMadeOf) {
  std::vector<OverheadRow> rows;
  add_rows(rows, 2, 5e-6, 7e-9);
  add_rows(rows, 3, 5e-6, 7e-9);
  const auto fits = class_overheads(two_classes(), rows);
  ASSERT_EQ(fits.size(), 4U);
  EXPECT_NEAR(double(fits[2].fixed_seconds), 5e-6, 1e-7);
  EXPECT_NEAR(double(fits[3].row_seconds), 7e-9, 2e-10);
}

TEST(ClassOverheads, TakesTheLesserOfTwoArchitectures) {
  std::vector<OverheadRow> rows;
  add_rows(rows, 2, 50e-6, 0);
  add_rows(rows, 3, 4e-6, 0);
  const auto fits = class_overheads(two_classes(), rows);
  EXPECT_NEAR(double(fits[2].fixed_seconds), 4e-6, 2e-7);
}

TEST(ClassOverheads, DoubtsAClassOfOneArchitecture) {
  std::vector<OverheadRow> rows;
  add_rows(rows, 0, 1e-6, 0);
  add_rows(rows, 1, 1e-6, 0);
  add_rows(rows, 2, 40e-6, 20e-9);
  const auto fits = class_overheads(two_classes(), rows);
  EXPECT_LE(fits[2].fixed_seconds, 3.1e-6F);
  EXPECT_LE(fits[2].row_seconds, 1.1e-9F);
}

TEST(ClassOverheads, IsNeverNegativeAndNoneWithoutRows) {
  std::vector<OverheadRow> rows;
  add_rows(rows, 0, -1e-6, 0);
  const auto fits = class_overheads(two_classes(), rows);
  EXPECT_GE(fits[0].fixed_seconds, 0.0F);
  EXPECT_EQ(fits[2].fixed_seconds, 0.0F);
  EXPECT_EQ(class_overheads(two_classes(), {})[0].row_seconds, 0.0F);
}

// A base that is too fast by a fifth everywhere is no overhead.
TEST(ClassOverheads, LeavesTheScaleOfLargeProductsAlone) {
  std::vector<OverheadRow> rows;
  for (double base = 1e-4; base < 1e-1; base *= 1.3) rows.push_back({0, base, 1.2 * base, 128});
  const auto fits = class_overheads(two_classes(), rows);
  EXPECT_LT(double(fits[0].fixed_seconds + 128 * fits[0].row_seconds), 0.25 * 1e-3);
}

}  // namespace
}  // namespace warploom
