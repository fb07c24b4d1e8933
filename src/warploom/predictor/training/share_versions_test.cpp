#include "warploom/predictor/training/share_versions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace warploom {
namespace {

// One GPU; a cell a version of one kernel, each with its own rows.
struct Versions {
  FamilyModel model;
  TrainingTable table;

  void add(const char* version, const char* kernel, std::uint64_t shapes, auto target) {
    const auto cell = std::uint32_t(model.cells.size());
    model.cells.push_back({.gpu = 0, .context = std::uint16_t(model.contexts.size()), .kind = 3});
    model.contexts.push_back({"vllm", version, kernel});
    for (std::uint64_t shape = 0; shape < shapes; ++shape) {
      table.cell.push_back(cell);
      table.shape.push_back(shape);
      table.target.push_back(float(target(shape)));
    }
  }
  std::vector<std::uint32_t> leaders() const {
    std::vector<std::uint32_t> leaders(model.cells.size());
    std::iota(leaders.begin(), leaders.end(), 0U);
    for (const SharedCell& shared : share_versions(model, table)) leaders[shared.cell] = shared.leader;
    return leaders;
  }
};

double curve(std::uint64_t shape) { return std::sin(double(shape)); }

TEST(ShareVersions, JoinsThoseThatDifferByAFactor) {
  Versions versions;
  versions.add("0.24.0", "linear", 200, curve);
  versions.add("0.25.0", "linear", 400, [](std::uint64_t s) { return curve(s) + 0.1; });
  versions.add("0.31.0", "linear", 300, [](std::uint64_t s) { return curve(s) * 1.2; });
  versions.add("0.31.0", "other", 300, curve);
  versions.add("0.30.0", "linear", kFewestCommon - 1, curve);
  EXPECT_EQ(versions.leaders(), (std::vector<std::uint32_t>{1, 1, 2, 3, 4}));
  // Shapes that one of them lacks do not move the level between the two.
  const std::vector<SharedCell> shared = share_versions(versions.model, versions.table);
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].cell, 0U);
  EXPECT_NEAR(shared[0].above, -0.1, 1e-6);
}

}  // namespace
}  // namespace warploom
