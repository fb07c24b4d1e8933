#include "warploom/judge/validate/validate_leave_out.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/base/random.h"
#include "warploom/judge/validate/ablation.h"
#include "warploom/judge/validate/leave_out_groups.h"
#include "warploom/measurements/splits.h"
#include "warploom/measurements/store.h"
#include "warploom/predictor/training/few_shot_shapes.h"

namespace warploom {
namespace {

Dataset moe_rows() {
  Dataset dataset;
  RandomStream random(11, "moe");
  for (int i = 0; i < 1200; ++i) {
    FusedMoe moe;
    moe.tokens = random.integer(1, 4096);
    moe.hidden = 1024 * random.integer(1, 8);
    moe.intermediate = 512 * random.integer(1, 4);
    moe.experts = 64;
    moe.top_k = 4;
    for (const char* gpu : {"h100_sxm", "h200_sxm", "l40s"})
      dataset.add({Operator(moe), gpu, "vllm", "1.0", "triton", Seconds(1e-4), 1, Layout::Warploom, {}});
  }
  return dataset;
}

TEST(LeaveOutGroups, LeaveEveryGpuOfAGenerationOut) {
  const GpuCatalog catalog;
  const FamilyRows rows = sample_family(moe_rows(), Family::Moe, LeaveOutKind::Generation, 700, 0);
  const auto groups = leave_out_groups(rows, catalog, LeaveOutKind::Generation, 100000);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "ada");
  EXPECT_EQ(groups[1].gpus, (std::set<std::string>{"h100_sxm", "h200_sxm"}));
  for (const std::uint32_t r : groups[1].judged) {
    EXPECT_NE(rows.data.gpu(r), "l40s");
    EXPECT_TRUE(ShapeSplit{}.is_test(rows.data.shape(r)));
  }
  EXPECT_GT(groups[1].judged.size(), 100U);
}

// Rows of eager launches and GPUs with few rows are not judged, but are not lost from sight either.
TEST(LeaveOutGroups, CountWhatTheirRulesKeepFromBeingJudged) {
  Dataset dataset = moe_rows();
  FusedMoe moe;
  moe.experts = 64;
  moe.top_k = 4;
  RandomStream random(12, "eager");
  for (int i = 0; i < 400; ++i) {
    moe.tokens = 5000 + random.integer(1, 100000);
    moe.hidden = 1024;
    moe.intermediate = 512;
    dataset.add({Operator(moe),
                 "l40s",
                 "vllm",
                 "1.0",
                 "eager",
                 Seconds(1e-4),
                 1,
                 Layout::Warploom,
                 {.launch_bound = true}});
    if (i < 20)
      dataset.add(
          {Operator(moe), "a100_sxm", "vllm", "1.0", "triton", Seconds(1e-4), 1, Layout::Warploom, {}});
  }
  const GpuCatalog catalog;
  const FamilyRows rows = sample_family(dataset, Family::Moe, LeaveOutKind::Gpu, 100000, 0);
  ASSERT_EQ(rows.small.size(), 1U);
  EXPECT_EQ(rows.small[0], (std::pair<std::string, std::size_t>("a100_sxm", 20)));
  const auto groups = leave_out_groups(rows, catalog, LeaveOutKind::Gpu, 100000);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].launch_bound.size(), 0U);
  EXPECT_EQ(groups[2].name, "l40s");
  EXPECT_GT(groups[2].launch_bound.size(), 10U);
  for (const std::uint32_t r : groups[2].launch_bound) {
    EXPECT_TRUE(rows.data.marks(r).launch_bound);
    EXPECT_TRUE(ShapeSplit{}.is_test(rows.data.shape(r)));
  }
  EXPECT_EQ(
      sample_family(dataset, Family::Moe, LeaveOutKind::Gpu, 100000, 0, FewShotPer::Family, 10).gpus.size(),
      4U);
}

TEST(LeaveOutGroups, LeaveNewShapesOutOnEveryGpuAtOnce) {
  const GpuCatalog catalog;
  const FamilyRows rows = sample_family(moe_rows(), Family::Moe, LeaveOutKind::Shape, 700, 0);
  const auto groups = leave_out_groups(rows, catalog, LeaveOutKind::Shape, 100000);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_TRUE(groups[0].gpus.empty());
  std::set<std::string> gpus;
  for (const std::uint32_t r : groups[0].judged) {
    gpus.insert(rows.data.gpu(r));
    EXPECT_TRUE(ShapeSplit{}.is_test(rows.data.shape(r)));
  }
  EXPECT_EQ(gpus.size(), 3U);
  EXPECT_THROW(left_out_names({"h100_sxm"}, LeaveOutKind::Shape, catalog, {}), InvalidInput);
}

TEST(LeaveOutGroups, LeaveModelsOutWhole) {
  const GpuCatalog catalog;
  const FamilyRows rows = sample_family(moe_rows(), Family::Moe, LeaveOutKind::Model, 1000, 0);
  const auto groups = leave_out_groups(rows, catalog, LeaveOutKind::Model, 100000);
  ASSERT_GE(groups.size(), 2U);
  std::size_t judged = 0;
  for (const LeaveOutGroup& group : groups) {
    judged += group.judged.size();
    std::set<std::pair<std::int64_t, std::int64_t>> left_out;
    for (const std::uint32_t r : group.judged) {
      const auto& moe = std::get<FusedMoe>(rows.data.op(r));
      left_out.emplace(moe.hidden, moe.intermediate);
    }
    for (const std::uint32_t r : group.kept) {
      const auto& moe = std::get<FusedMoe>(rows.data.op(r));
      EXPECT_FALSE(left_out.contains({moe.hidden, moe.intermediate}));
    }
    EXPECT_EQ(group.judged.size() + group.kept.size(), rows.data.size());
  }
  EXPECT_EQ(judged, rows.data.size());
}

// Three versions of one engine with the same shapes, and an engine with a single version.
Dataset versioned_rows() {
  Dataset dataset;
  const Dataset shapes = moe_rows();
  for (std::uint32_t r = 0; r < shapes.size(); ++r) {
    const std::string gpu(shapes.gpu(r));
    for (const char* version : {"0.24.0", "0.25.0", "0.31.0"})
      dataset.add({shapes.op(r), gpu, "vllm", version, "triton", Seconds(1e-4), 1, Layout::Warploom, {}});
    dataset.add({shapes.op(r), gpu, "sglang", "0.5.20", "triton", Seconds(1e-4), 1, Layout::Warploom, {}});
  }
  return dataset;
}

TEST(LeaveOutGroups, LeaveAVersionOutWhole) {
  const GpuCatalog catalog;
  const FamilyRows rows = sample_family(versioned_rows(), Family::Moe, LeaveOutKind::Version, 2000, 0);
  EXPECT_EQ(rows.versions, (std::vector<std::string>{"vllm 0.24.0", "vllm 0.25.0", "vllm 0.31.0"}));
  const auto groups = leave_out_groups(rows, catalog, LeaveOutKind::Version, 100000);
  ASSERT_EQ(groups.size(), 3U);
  const LeaveOutGroup& newest = groups[2];
  EXPECT_EQ(newest.name, "vllm 0.31.0");
  EXPECT_TRUE(newest.gpus.empty());
  std::size_t of_version = 0;
  for (std::uint32_t r = 0; r < rows.data.size(); ++r)
    of_version += std::size_t(rows.data.context(r).version == "0.31.0");
  EXPECT_EQ(newest.kept.size() + of_version, rows.data.size());
  for (const std::uint32_t r : newest.kept) EXPECT_NE(rows.data.context(r).version, "0.31.0");
  EXPECT_GT(newest.judged.size(), 100U);
  for (const std::uint32_t r : newest.judged) {
    EXPECT_EQ(rows.data.context(r).version, "0.31.0");
    EXPECT_TRUE(ShapeSplit{}.is_test(rows.data.shape(r)));
  }
}

// Versions are found alike by their equal shapes, so a sample has a shape in all of them or in none.
TEST(LeaveOutGroups, SampleAShapeInAllVersionsOrInNone) {
  const FamilyRows rows = sample_family(versioned_rows(), Family::Moe, LeaveOutKind::Version, 2000, 0);
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> counts;
  for (std::uint32_t r = 0; r < rows.data.size(); ++r) ++counts[{rows.data.gpu(r), rows.data.shape(r)}];
  EXPECT_LT(rows.data.size(), versioned_rows().size() * 3 / 4);
  for (const auto& [shape, count] : counts) EXPECT_EQ(count % 4, 0U);
}

TEST(LeaveOutGroups, KeepEveryRowThatFewShapesAreChosenFrom) {
  const Dataset dataset = moe_rows();
  const FamilyRows rows = sample_family(dataset, Family::Moe, LeaveOutKind::Gpu, 500, 30);
  const auto of_l40s = [](const Dataset& data) {
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t r = 0; r < data.size(); ++r)
      if (data.gpu(r) == "l40s" && !ShapeSplit{}.is_test(data.shape(r))) chosen.push_back(r);
    return chosen;
  };
  const std::set<std::uint64_t> wanted = few_shot_candidates(dataset, of_l40s(dataset), 30);
  EXPECT_GT(wanted.size(), 30U);
  EXPECT_EQ(few_shot_candidates(rows.data, of_l40s(rows.data), 30), wanted);
  const GpuCatalog catalog;
  const GpuSpec& l40s = catalog.get("l40s");
  EXPECT_EQ(few_shot_shapes(rows.data, of_l40s(rows.data), l40s, 30),
            few_shot_shapes(dataset, of_l40s(dataset), l40s, 30));
}

TEST(ValidateLeaveOut, RefusesWhatItCannotDo) {
  if (!learning_available()) GTEST_SKIP() << "no training library";
  LeaveOutRequest request;
  request.few_shot_per = "colour";
  EXPECT_THROW(validate_leave_out(request), InvalidInput);
  request.few_shot_per = "kind";
  request.leave_out = "planet";
  EXPECT_THROW(validate_leave_out(request), InvalidInput);
  request.leave_out = "model";
  request.few_shot = 10;
  EXPECT_THROW(validate_leave_out(request), InvalidInput);
}

TEST(LeaveOutGroups, AreNamedAsUsersDo) {
  const GpuCatalog catalog;
  EXPECT_EQ(left_out_names({"H200", "l40s"}, LeaveOutKind::Gpu, catalog, {}),
            (std::set<std::string>{"h200_sxm", "l40s"}));
  EXPECT_EQ(left_out_names({"blackwell_rtx"}, LeaveOutKind::Generation, catalog, {}),
            std::set<std::string>{"blackwell_rtx"});
  EXPECT_EQ(left_out_names({"fold 6"}, LeaveOutKind::Model, catalog, {}), std::set<std::string>{"fold 6"});
  EXPECT_THROW(left_out_names({"no such part"}, LeaveOutKind::Gpu, catalog, {}), NotFound);
  EXPECT_THROW(left_out_names({"H200"}, LeaveOutKind::Generation, catalog, {}), InvalidInput);
  EXPECT_EQ(left_out_names({"vllm 0.31.0"}, LeaveOutKind::Version, catalog, {"vllm 0.25.0", "vllm 0.31.0"}),
            std::set<std::string>{"vllm 0.31.0"});
  try {
    left_out_names({"vllm 0.31"}, LeaveOutKind::Version, catalog, {"sglang 0.5.20", "vllm 0.31.0"});
    FAIL() << "a version that no row has was taken";
  } catch (const NotFound& error) {
    EXPECT_NE(std::string_view(error.what()).find("did you mean 'vllm 0.31.0'"), std::string_view::npos);
  }
  EXPECT_THROW(left_out_names({"fold 7"}, LeaveOutKind::Model, catalog, {}), InvalidInput);
}

TEST(ValidateLeaveOut, SaysWhereNothingIsLeftOut) {
  if (!learning_available()) GTEST_SKIP() << "no training library";
  const std::filesystem::path store = std::filesystem::path(::testing::TempDir()) / "only_left_out.db";
  std::filesystem::remove(store);
  MeasurementStore(store).append(moe_rows());
  LeaveOutRequest request;
  request.source.store = store.string();
  request.leave_out = "gpu";
  request.only = {"B200"};
  EXPECT_THROW(validate_leave_out(request), InvalidInput);
}

TEST(Ablation, TakesThePartsOutInOrder) {
  FamilyModel model;
  model.shrink_known = model.shrink_unknown = 0.7F;
  model.ensembles = {EnsembleRecord{.gpu = 0}, EnsembleRecord{}};
  model.cells = {CellRecord{.offset = 0.3F, .overhead = {1e-6F, 0}}};
  model.constants = {ConstantsRecord{}};
  const FamilyModel whole = up_to({model}, AblationStep::Trees)[0];
  EXPECT_EQ(whole.ensembles.size(), 2U);
  EXPECT_EQ(whole.shrink_unknown, 0.7F);
  const FamilyModel kernels = up_to({model}, AblationStep::Kernels)[0];
  EXPECT_EQ(kernels.ensembles.size(), 1U);
  EXPECT_EQ(kernels.shrink_known, 0);
  EXPECT_EQ(kernels.cells[0].offset, 0.3F);
  const FamilyModel constants = up_to({model}, AblationStep::Constants)[0];
  EXPECT_EQ(constants.cells[0].offset, 0);
  EXPECT_EQ(constants.cells[0].overhead.fixed_seconds, 0);
  EXPECT_EQ(constants.constants.size(), 1U);
  EXPECT_TRUE(up_to({model}, AblationStep::Structure)[0].constants.empty());
}

}  // namespace
}  // namespace warploom
