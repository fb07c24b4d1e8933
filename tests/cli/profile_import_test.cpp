#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "run_warploom.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

std::string fixture(const char* name) { return source_folder() / "tests" / "fixtures" / "profiles" / name; }

// Two passes of a transformer block and three products more, recorded by PyTorch 2.11 on an H200.
TEST(ProfileImport, TakesARealTraceOfPyTorch) {
  const ScratchFolder scratch;
  const std::string store = scratch.path() / "rows.db";
  const ProgramResult imported =
      run_warploom({"import", "kineto", fixture("pytorch_trace.json.gz"), "--store", store});
  ASSERT_EQ(imported.exit_status, 0) << imported.errors;
  for (const char* words :
       {"14 rows added", "tile 176x128x64 stages 5 cluster 1x2", "cudnn_generated_fort_native_sdpa_sm90"})
    EXPECT_NE(imported.output.find(words), std::string::npos) << words << "\n" << imported.output;
  const ProgramResult judged =
      run_warploom({"validate", "kernels", "--store", store, "--all-rows", "--json"});
  ASSERT_EQ(judged.exit_status, 0) << judged.errors;
  const auto families = nlohmann::json::parse(judged.output)["families"];
  EXPECT_EQ(families["gemm"]["rows"], 7);
  EXPECT_EQ(families["attention_prefill"]["rows"], 1);
  EXPECT_EQ(families["rmsnorm"]["rows"], 2);
  EXPECT_LT(families["gemm"]["mean_error"], 0.5) << "shapes and times belong together";
}

// `ncu --csv --clock-control none --set basic` of a small program on an H200: remarks before the table, rows
// without the cells of rules.
TEST(ProfileImport, TakesARealTableOfNsightCompute) {
  const ScratchFolder scratch;
  const ProgramResult listed = run_warploom({"import", "nsight", fixture("ncu_details.csv.gz"), "--gpu",
                                             "H200", "--store", (scratch.path() / "rows.db").string()});
  ASSERT_EQ(listed.exit_status, 0) << listed.errors;
  for (const char* words : {"nvjet_sm90_tst_64x64_64x13_2x1_v_bz_NNT (tile 64x64x64 stages 13 cluster 2x1)",
                            "attention", "record_shapes=True"})
    EXPECT_NE(listed.output.find(words), std::string::npos) << words << "\n" << listed.output;
}

}  // namespace
}  // namespace warploom
