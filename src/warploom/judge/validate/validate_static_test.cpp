#include "warploom/judge/validate/validate_static.h"

#include <gtest/gtest.h>

#include "warploom/app/serving/fixed_latency_test.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"

namespace warploom {
namespace {

constexpr const char* kHeader =
    "hardware,tp,pp,engine,model,workload,batch_size,output_len,real_prefill_ms,real_decode_ms,real_total_"
    "ms\n";
constexpr const char* kRequests = "workload,request,num_prefill_tokens\nragged,0,100\nragged,1,300\n";

struct Files {
  ScratchFolder folder;
  ValidateStaticRequest request;
  explicit Files(const std::string& rows) {
    request.truth = folder.write("truth.csv", kHeader + rows);
    request.requests = folder.write("requests.csv", kRequests);
  }
};

TEST(ValidateStatic, PricesEveryRow) {
  const Files files(
      "H100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,18\nH800,4,2,vllm,Llama-3.1-70B,ragged,2,5,,,20\n");
  const StaticValidation result = validate_static(files.request, fixed_latency());
  ASSERT_EQ(result.rows.size(), 2u);
  const StaticValidationRow& row = result.rows[0];
  ASSERT_TRUE(row.prefill && row.decode);
  EXPECT_NEAR(row.total.predicted, row.prefill->predicted + 4 * row.decode->predicted, 1e-4);
  EXPECT_FALSE(result.rows[1].prefill.has_value());
  const StaticErrors errors = static_errors(result.rows);
  EXPECT_EQ(errors.prefill.errors, std::vector<double>{row.prefill->error()});
  EXPECT_EQ(errors.total.errors.size(), 2u);
}

TEST(ValidateStatic, RefusesRowsThatDoNotMatchTheirWorkload) {
  EXPECT_THROW(
      validate_static(Files("H100,1,1,sglang,Qwen2.5-14B,ragged,3,5,10,2,18\n").request, fixed_latency()),
      InvalidInput);
  EXPECT_THROW(
      validate_static(Files("H100,1,1,sglang,Qwen2.5-14B,other,2,5,10,2,18\n").request, fixed_latency()),
      InvalidInput);
}

TEST(ValidateStatic, RoutesTheExpertsOfThoseThatHaveSome) {
  const std::string dense = "H100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,18\n";
  Files files(dense + "H200,1,1,vllm,Qwen/Qwen3-30B-A3B,ragged,2,5,10,2,18\n");
  files.request.expert_routing = "uniform";
  const StaticValidation result = validate_static(files.request, fixed_latency());
  EXPECT_EQ(result.rows[0].expert_routing, "");
  EXPECT_EQ(result.rows[1].expert_routing, "uniform");
  Files none(dense);
  none.request.expert_routing = "uniform";
  EXPECT_THROW(validate_static(none.request, fixed_latency()), InvalidInput);
}

TEST(ValidateStatic, RefusesBadNumbersAndColumns) {
  for (const char* row : {"H100,0,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,18\n",
                          "H100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,nan\n",
                          "H100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,-1\n",
                          "H100,1,1,sglang,Qwen2.5-14B,ragged,2,5,10,2,\n"}) {
    EXPECT_THROW(read_static_truth(Files(row).request.truth), InvalidInput) << row;
  }
  const ScratchFolder folder;
  EXPECT_THROW(read_static_truth(folder.write("truth.csv", "hardware,tp\nH100,1\n")), InvalidInput);
  EXPECT_THROW(read_static_truth(folder.write("empty.csv", kHeader)), InvalidInput);
  EXPECT_THROW(read_static_truth(folder.path() / "absent.csv"), IoError);
}

}  // namespace
}  // namespace warploom
