#include "warploom/predictor/training/share_versions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace warploom {
namespace {

// One GPU; a cell a version of one kernel, each with its own rows.
struct Versions {
  Dataset dataset;
  GpuCatalog catalog;
  TrainingOptions options;
  FamilyJob job{dataset, catalog, options, {}, {}, {}, {}, 0};
  TrainingTable table;
  CellOffsets offsets;

  void add(const char* version, const char* kernel, std::uint64_t shapes, auto target) {
    const auto cell = std::uint32_t(job.model.cells.size());
    job.model.cells.push_back({.gpu = 0, .context = std::uint16_t(job.model.contexts.size()), .kind = 3});
    job.model.contexts.push_back({"vllm", version, kernel});
    double sum = 0;
    for (std::uint64_t shape = 0; shape < shapes; ++shape) {
      table.cell.push_back(cell);
      table.shape.push_back(shape);
      table.target.push_back(float(target(shape)));
      sum += target(shape);
    }
    offsets.offset.push_back(float(sum / double(shapes)));
    offsets.rows.push_back(std::uint32_t(shapes));
  }
  std::vector<std::uint32_t> leaders() {
    job.measured_cells = job.model.cells.size();
    job.leader.resize(job.measured_cells);
    std::iota(job.leader.begin(), job.leader.end(), 0U);
    share_versions(job, table, offsets);
    return job.leader;
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
  EXPECT_NEAR(versions.offsets.offset[0] - versions.offsets.offset[1], -0.1, 1e-6);
}

}  // namespace
}  // namespace warploom
