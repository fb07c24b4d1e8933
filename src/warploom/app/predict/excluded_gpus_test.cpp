#include "warploom/app/predict/excluded_gpus.h"

#include <gtest/gtest.h>

#include "warploom/app/data/predictor_folder.h"
#include "warploom/app/predict/latency_models.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/model/model_file.h"

namespace warploom {
namespace {

const std::filesystem::path kShipped = std::filesystem::path(WARPLOOM_SOURCE_DIR) / "data" / "predictor";

FamilyModel shipped(const std::string& family) {
  return model_from_bytes(read_file(kShipped / (family + ".wlp")), family);
}

void write(const std::filesystem::path& folder, const std::string& family,
           std::vector<std::string> excluded) {
  const std::vector<FamilyModel> models{shipped(family)};
  write_predictor_files(
      {.created_by = "a test", .models = models, .tables = {}, .excluded_gpus = std::move(excluded)}, folder);
}

Tier tier_of_a_norm(const std::filesystem::path& folder, const std::string& gpu) {
  const GpuCatalog catalog;
  return open_latency_model(folder.string(), FileScope::machine())
      ->estimate(RmsNorm{.tokens = 64, .residual = true}, catalog.get(gpu),
                 {.framework = "vllm", .version = "0.24.0"})
      .tier;
}

TEST(ExcludedGpus, HideTheRulesOfTheirSteps) {
  const ScratchFolder scratch;
  write(scratch.path() / "all", "rmsnorm", {});
  write(scratch.path() / "without", "rmsnorm", {"h200_sxm"});
  EXPECT_TRUE(excluded_gpus_of(scratch.path() / "all").empty());
  EXPECT_EQ(excluded_gpus_of(scratch.path() / "without"), std::vector<std::string>{"h200_sxm"});
  EXPECT_EQ(tier_of_a_norm(scratch.path() / "all", "h200_sxm"), Tier::Measured);
  EXPECT_NE(tier_of_a_norm(scratch.path() / "without", "h200_sxm"), Tier::Measured);
}

TEST(ExcludedGpus, StayWhileAFamilyThatWasTrainedWithoutThemDoes) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "mixed";
  write(folder, "rmsnorm", {"h200_sxm"});
  write(folder, "rope", {"h100_sxm"});
  EXPECT_EQ(excluded_gpus_of(folder), (std::vector<std::string>{"h100_sxm", "h200_sxm"}));
  const std::vector<FamilyModel> both{shipped("rmsnorm"), shipped("rope")};
  write_predictor_files({.created_by = "a test", .models = both, .tables = {}}, folder);
  EXPECT_TRUE(excluded_gpus_of(folder).empty()) << "nothing of the old families is left";
}

TEST(ExcludedGpus, ANoteThatIsGoneOrChangedIsRefused) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "without";
  write(folder, "rope", {"h200_sxm"});
  const std::filesystem::path note = folder / kExcludedGpusName;
  write_file_atomically(note, excluded_gpus_note({"h100_sxm"}).contents);
  EXPECT_THROW(open_latency_model(folder.string(), FileScope::machine()), InvalidInput);
  std::filesystem::remove(note);
  EXPECT_THROW(open_latency_model(folder.string(), FileScope::machine()), Error)
      << "its rules would come back unseen";
}

TEST(ExcludedGpus, ANoteOfAnotherFormOrGpuIsRefused) {
  const ScratchFolder folder;  // without a manifest, as put together by hand
  const auto refused = [&](const std::string& text) {
    folder.write(std::string(kExcludedGpusName), text);
    EXPECT_THROW(excluded_gpus_of(folder.path()), Error) << text;
  };
  refused("[]");
  refused(R"({"schema": "warploom_excluded_gpus", "version": 2, "gpus": ["h200_sxm"]})");
  refused(R"({"schema": "warploom_excluded_gpus", "version": 1})");
  refused(R"({"schema": "warploom_excluded_gpus", "version": 1, "gpus": [7]})");
  refused(R"({"schema": "warploom_excluded_gpus", "version": 1, "gpus": ["h9000"]})");
  folder.write(std::string(kExcludedGpusName), excluded_gpus_note({"H200", "h100_sxm"}).contents);
  EXPECT_EQ(excluded_gpus_of(folder.path()), (std::vector<std::string>{"h100_sxm", "h200_sxm"}));
}

}  // namespace
}  // namespace warploom
