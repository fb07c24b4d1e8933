#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/importers/import.h"

namespace warploom {
namespace {

constexpr std::string_view kPromptHeader =
    "framework,version,op_name,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,tp_size,"
    "batch_size,isl,step,latency_us,n_samples\n";
constexpr std::string_view kTokenHeader =
    "framework,version,op_name,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,tp_size,"
    "batch_size,step,latency_us,n_samples\n";

class DsaTables : public ::testing::Test {
 protected:
  ImportResult import(const std::string& table, std::string_view header, const std::string& rows,
                      const std::string& gpu = "h200_sxm") {
    std::filesystem::create_directories(folder_.path() / table);
    const auto path = folder_.write(table + "/" + gpu + ".csv", std::string(header) + rows);
    return import_measurements(Layout::Aiconfigurator, std::vector{path}, catalog_);
  }

  ScratchFolder folder_;
  GpuCatalog catalog_;
};

std::size_t skipped(const ImportResult& result, std::string_view word) {
  std::size_t rows = 0;
  for (const SkippedRows& entry : result.report.files.at(0).skipped)
    if (std::string_view(entry.reason).find(word) != std::string_view::npos) rows += entry.rows;
  return rows;
}

TEST_F(DsaTables, TakeDimensionsFromTheModel) {
  const ImportResult result =
      import("dsa_context_module", kPromptHeader,
             "vllm,0.24.0,dsa_context_module,FLASHMLA_SPARSE,deepseek-ai/DeepSeek-V3.2,"
             "bfloat16,fp8,fp8_block,16,1,1,4096,128,4578,1\n"
             "vllm,0.24.0,dsa_context_module_skip_indexer,FLASHMLA_SPARSE,zai-org/GLM-5.2,"
             "bfloat16,bfloat16,bfloat16,64,1,2,512,0,900,1\n"
             "vllm,0.24.0,dsa_context_module,FLASHMLA_SPARSE,somebody/else,"
             "bfloat16,bfloat16,bfloat16,64,1,2,512,0,900,1\n");
  ASSERT_EQ(result.dataset.size(), 2u);
  const Dsa& first = std::get<Dsa>(result.dataset.op(0));
  EXPECT_EQ(first.hidden, 7168);
  EXPECT_EQ(first.index_heads, 64);
  EXPECT_EQ(first.shape.heads, 16);
  EXPECT_EQ(first.projections, MatmulScheme::Fp8Block);
  EXPECT_EQ(first.kv_cache, DataType::Fp8);
  EXPECT_TRUE(first.indexer);
  EXPECT_EQ(first.requests.at(0).query_tokens, 4096);
  EXPECT_EQ(first.requests.at(0).context_tokens, 128);
  const Dsa& second = std::get<Dsa>(result.dataset.op(1));
  EXPECT_EQ(second.hidden, 6144);
  EXPECT_EQ(second.shape.value_head_dim, 256);
  EXPECT_FALSE(second.indexer);
  EXPECT_EQ(skipped(result, "dimensions"), 1u);
}

TEST_F(DsaTables, CountTheNewTokenOfVllmOnce) {
  const std::string row =
      ",dsa_generation_module,K,deepseek-ai/DeepSeek-V3.2,bfloat16,bfloat16,bfloat16,128,1,";
  const ImportResult result =
      import("dsa_generation_module", kTokenHeader,
             "vllm,0.24.0" + row + "64,2048,500,1\nsglang,0.5.14" + row + "64,2048,600,1\n");
  ASSERT_EQ(result.dataset.size(), 2u);
  std::vector<std::int64_t> contexts;
  for (std::size_t r = 0; r < 2; ++r)
    contexts.push_back(std::get<Dsa>(result.dataset.op(r)).requests.at(0).context_tokens);
  std::sort(contexts.begin(), contexts.end());
  EXPECT_EQ(contexts, (std::vector<std::int64_t>{2047, 2048}));
}

// Prompts of SGLang: 4, 8 and 16 tokens take as long as 1,024, so all four rows are the host's time.
TEST_F(DsaTables, LeaveOutTheHostsTime) {
  const std::string row =
      ",dsa_context_module,sglang_dsa_indexer_flashmla_sparse,deepseek-ai/DeepSeek-V3.2,bfloat16,bfloat16,"
      "fp8_block,16,8,1,";
  std::string rows;
  for (const char* sizes : {"4,2048,1453", "8,2048,1476", "16,2048,1469", "1024,2048,1482", "4096,2048,3035"})
    rows += "sglang,0.5.14" + row + sizes + ",1\n";
  const ImportResult result = import("dsa_context_module", kPromptHeader, rows);
  EXPECT_EQ(skipped(result, "host floor"), 4u);
  ASSERT_EQ(result.dataset.size(), 1u);
  EXPECT_EQ(std::get<Dsa>(result.dataset.op(0)).requests.at(0).query_tokens, 4096);
  const FileReport& report = result.report.files.at(0);
  EXPECT_EQ(report.rows_read, report.rows_kept + 4);
}

// vLLM's were timed in graphs: a flat start is the time of reading the weights.
TEST_F(DsaTables, KeepFlatRowsThatWereTimedInGraphs) {
  const std::string row =
      "vllm,0.24.0,dsa_generation_module,FLASHMLA_SPARSE,deepseek-ai/DeepSeek-V3.2,bfloat16,bfloat16,"
      "bfloat16,128,1,";
  const ImportResult result =
      import("dsa_generation_module", kTokenHeader,
             row + "1,64,162.1,1\n" + row + "2,64,162.9,1\n" + row + "4,64,173.1,1\n");
  EXPECT_EQ(result.dataset.size(), 3u);
  EXPECT_EQ(skipped(result, "host floor"), 0u);
}

}  // namespace
}  // namespace warploom
