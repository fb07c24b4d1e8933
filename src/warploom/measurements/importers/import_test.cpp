#include "warploom/measurements/importers/import.h"

#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

constexpr std::string_view kGemmHeader =
    "framework,version,kernel_source,gemm_dtype,n,k,m,latency_us,n_samples\n";

// One folder per table, as the layout asks for.
class ImportTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& table, const std::string& file, std::string_view text) {
    std::filesystem::create_directories(folder_.path() / table);
    return folder_.write(table + "/" + file, text);
  }
  ImportResult import(const std::filesystem::path& path, const ImportFilter& filter = {},
                      const ImportOptions& options = {}) {
    return import_measurements(Layout::Aiconfigurator, std::vector{path}, catalog_, filter, options);
  }
  // The message of the error that the import throws.
  template <class E>
  std::string error_of(const std::filesystem::path& path, Layout layout = Layout::Aiconfigurator) {
    try {
      import_measurements(layout, std::vector{path}, catalog_);
    } catch (const E& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error of the expected kind";
    return "";
  }

  ScratchFolder folder_;
  GpuCatalog catalog_;
};

using Import = ImportTest;

TEST_F(Import, ReadsGemmRowsWithTheirResidency) {
  const auto path =
      write("gemm", "h100_sxm.csv",
            std::string(kGemmHeader) +
                "trtllm,1.0.0,torch_flow,bfloat16,4096,4096,16,20,2\n"   // 33.5 MB: 50 MB / it = 2
                "trtllm,1.0.0,torch_flow,fp8,128,128,16,5,1\n"           // tiny: 5
                "vllm,0.24.0,vllm_default,bfloat16,4096,4096,16,20,1\n"  // 6
                "vllm,0.24.0,Cutlass,fp8_block,4096,4096,16,80,1\n"      // 1
                "vllm,0.14.0,vllm_default,nvfp4,4096,4096,16,80,1\n"     // 1
                "sglang,0.5.9,sglang,int8_wo,4096,4096,16,20,1\n");
  const Dataset data = import(path).dataset;
  ASSERT_EQ(data.size(), 6u);
  const std::array<double, 6> copies{2, 5, 6, 1, 1, 6};
  for (std::size_t row = 0; row < 6; ++row) {
    const Gemm& gemm = std::get<Gemm>(data.op(row));
    EXPECT_EQ(gemm.residency, Residency::Warm);
    EXPECT_EQ(gemm.weight_copies, copies[row]) << row;
    EXPECT_FALSE(data.marks(row).launch_bound) << row;
  }
  EXPECT_EQ(std::get<Gemm>(data.op(1)).scheme, MatmulScheme::Fp8);
  EXPECT_EQ(data.n_samples(0), 2);
  EXPECT_EQ(data.latency(0), microseconds(20));
  EXPECT_EQ(data.context(2).version, "0.24.0");
}

TEST_F(Import, ReadsAttentionMoeAndModules) {
  write("attention_generation", "h100_sxm.csv",
        "framework,version,kernel_source,attn_dtype,kv_cache_dtype,head_dim,window_size,num_heads,num_key_"
        "value_heads,"
        "batch_size,step,latency_us,n_samples\nvllm,1,fa3,bfloat16,fp8,128,4096,32,8,4,1023,14,1\n");
  write("encoder_attention", "h100_sxm.csv",
        "framework,version,kernel_source,attn_dtype,head_dim,num_heads,batch_size,isl,latency_us,n_samples\n"
        "vllm,1,vit,bfloat16,72,16,2,256,30,1\n");
  write("moe", "h100_sxm.csv",
        "framework,version,kernel_source,moe_dtype,distribution,hidden_size,inter_size,topk,num_experts,moe_"
        "tp_size,"
        "moe_ep_size,num_tokens,latency_us,n_samples\n"
        "trtllm,1,moe_torch_flow_nongated,w4a16_mxfp4,power_law_1.2,2048,768,8,128,2,4,64,81,1\n");
  write("mla_generation_module", "h100_sxm.csv",
        "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,batch_size,step,"
        "latency_us,"
        "n_samples\nvllm,1,x,deepseek-ai/DeepSeek-V3,bfloat16,fp8,fp8_block,16,4,100,90,1\n"
        "trtllm,1,x,deepseek-ai/DeepSeek-V3,bfloat16,fp8,fp8_block,16,4,100,90,1\n"
        "trtllm,1,x,other/Model,bfloat16,fp8,fp8_block,16,4,100,90,1\n");
  const ImportResult result = import(folder_.path());
  const Dataset& data = result.dataset;
  ASSERT_EQ(data.size(), 5u);
  const auto& decode = std::get<AttentionDecode>(data.op(0));
  EXPECT_EQ(decode.window, 4096);
  EXPECT_EQ(decode.kv_cache, DataType::Fp8);
  EXPECT_EQ(decode.requests.front().count, 4);
  EXPECT_EQ(decode.requests.front().context_tokens, 1023);
  EXPECT_EQ(decode.requests.front().query_tokens, 1);
  const auto& encoder = std::get<AttentionPrefill>(data.op(1));
  EXPECT_FALSE(encoder.causal);
  EXPECT_EQ(encoder.kv_heads, 16);
  EXPECT_EQ(encoder.requests.front().query_tokens, 256);
  EXPECT_EQ(std::get<MlaModule>(data.op(2)).requests.front().context_tokens, 99);   // vllm: total length
  EXPECT_EQ(std::get<MlaModule>(data.op(3)).requests.front().context_tokens, 100);  // trtllm: cached length
  const auto& moe = std::get<FusedMoe>(data.op(4));
  EXPECT_EQ(moe.scheme, MatmulScheme::MxFp4A16);
  EXPECT_EQ(moe.routing, RoutingKind::PowerLaw);
  EXPECT_DOUBLE_EQ(moe.routing_alpha, 1.2);
  EXPECT_EQ(moe.tensor_parallel, 2);
  EXPECT_EQ(moe.expert_parallel, 4);
  EXPECT_FALSE(moe.gated);
  ASSERT_EQ(result.report.skipped().size(), 1u);
  EXPECT_NE(result.report.skipped().front().reason.find("model"), std::string::npos);
  EXPECT_EQ(result.report.rows_read(), 6u);
}

TEST_F(Import, AddsQuantisationDifferencesToTheStaticTime) {
  const auto path = write("quantize", "h100_sxm.csv",
                          "framework,version,op_name,kernel_source,quant_dtype,k,m,latency_us,n_samples\n"
                          "vllm,1,compute_scale,d,fp8,1024,64,2.5,1\nvllm,1,scale_matrix,s,fp8,1024,64,4,1\n"
                          "vllm,1,scale_matrix,s,fp8,1024,128,5,1\n");
  const Dataset data = import(path).dataset;
  ASSERT_EQ(data.size(), 3u);
  EXPECT_FALSE(std::get<Quantize>(data.op(0)).dynamic);
  EXPECT_TRUE(std::get<Quantize>(data.op(1)).dynamic);
  EXPECT_NEAR(to_microseconds(data.latency(1)), 6.5, 1e-9);
  EXPECT_TRUE(data.marks(1).derived);
  EXPECT_EQ(std::get<Quantize>(data.op(2)).rows, 128);
}

TEST_F(Import, ConvertsMessageSizesToBytes) {
  write("nccl", "h100_sxm.csv",
        "framework,version,op_name,dtype,reported_version,num_gpus,message_size,latency_us,n_samples\n"
        "nccl,2.27,all_gather,half,,8,1048576,40,1\nnccl,2.27,alltoall,int8,,4,1048576,40,1\n");
  const Dataset data = import(folder_.path()).dataset;
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(data.family(0), Family::AllGather);
  EXPECT_EQ(std::get<Collective>(data.op(0)).size, Bytes(2097152));
  EXPECT_EQ(std::get<Collective>(data.op(1)).size, Bytes(1048576));
  const Dataset filtered = import(folder_.path(), {.families = {Family::AllToAll}, .gpus = {}}).dataset;
  EXPECT_EQ(filtered.size(), 1u);
}

TEST_F(Import, OpensOnlyTablesThatTheFilterWants) {
  write("gemm", "h100_sxm.csv", std::string(kGemmHeader) + "trtllm,1,t,bfloat16,4096,4096,16,20,1\n");
  write("gemm", "l40s.csv", "this,is\nno,table,at,all\n");
  write("moe", "h100_sxm.csv", "nor,is\nthis\n");
  const ImportResult result = import(folder_.path(), {.families = {Family::Gemm}, .gpus = {"H100"}});
  EXPECT_EQ(result.dataset.size(), 1u);
  EXPECT_EQ(result.report.files_filtered_out, 2u);
  EXPECT_THROW(import(folder_.path(), {.families = {}, .gpus = {"h10"}}), NotFound);
}

TEST_F(Import, ReportsWhyRowsAreLeftOut) {
  const std::string rows =
      "vllm,1,v,bfloat16,4096,4096,16,20,1\nvllm,1,v,bfloat16,4096,4096,16,24,1\n"
      "vllm,1,v,bfloat16,8192,8192,8192,3,1\n";
  write("gemm", "h100_sxm.csv", std::string(kGemmHeader) + rows);
  write("gemm", "h999.csv", std::string(kGemmHeader) + rows);
  write("moe_a2a", "h100_sxm.csv", "framework\nvllm\nvllm\n");
  folder_.write("INDEX.csv", "op,rows\ngemm,3\n");
  const ImportReport report = import(folder_.path()).report;
  EXPECT_EQ(report.rows_read(), 8u);
  EXPECT_EQ(report.rows_kept(), 1u);
  EXPECT_EQ(report.repeats(), 1u);
  std::size_t skipped = 0;
  bool saw_gpu = false, saw_impossible = false, saw_unread = false, saw_index = false;
  for (const SkippedRows& entry : report.skipped()) {
    skipped += entry.rows;
    saw_gpu = saw_gpu || entry.reason.find("unknown GPU 'h999'") != std::string::npos;
    saw_unread = saw_unread || entry.reason.find("DeepEP as vLLM") != std::string::npos;
    saw_index = saw_index || entry.reason.find("no table of layout") != std::string::npos;
    if (entry.reason != kImpossibleReason) continue;
    saw_impossible = true;
    ASSERT_EQ(entry.examples.size(), 1u);
    EXPECT_NE(entry.examples.front().find("h100_sxm.csv:4"), std::string::npos) << entry.examples.front();
  }
  EXPECT_TRUE(saw_gpu && saw_impossible && saw_unread && saw_index);
  EXPECT_EQ(report.rows_read(), report.rows_kept() + report.repeats() + skipped);
  const ImportReport lenient =
      import(folder_.path() / "gemm" / "h100_sxm.csv", {}, {.physical_tolerance = 0}).report;
  EXPECT_EQ(lenient.rows_kept(), 2u);
}

TEST_F(Import, DropsAGroupThatOftenBeatsPhysics) {
  std::string text(kGemmHeader);
  for (int i = 0; i < 40; ++i) {
    const std::string shape = ",bfloat16,8192,8192," + std::to_string(4096 + i);
    text += "vllm,1,good" + shape + ",2000,1\nvllm,1,bad" + shape + (i < 6 ? ",3,1\n" : ",2000,1\n");
  }
  write("gemm", "h100_sxm.csv", text);
  const ImportResult result = import(folder_.path());
  ASSERT_EQ(result.dataset.size(), 40u);
  for (std::size_t row = 0; row < 40; ++row) EXPECT_EQ(result.dataset.context(row).kernel, "good");
  EXPECT_EQ(result.report.rows_kept(), 40u);
  const auto skipped = result.report.skipped();
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_EQ(skipped[0].reason, kBrokenGroupReason);
  EXPECT_EQ(skipped[0].rows, 34u);
  EXPECT_EQ(skipped[0].examples, std::vector<std::string>{"vllm 1 bad, gemm on h100_sxm"});
  EXPECT_EQ(skipped[1].rows, 6u);
  EXPECT_EQ(import(folder_.path(), {}, {.group_tolerance = 1}).dataset.size(), 74u);
}

TEST_F(Import, SaysWhatIsWrongWithBadInput) {
  EXPECT_NE(error_of<IoError>(folder_.path() / "absent.csv").find("no such file"), std::string::npos);
  const auto renamed =
      write("gemm", "h100_sxm.csv", "framework,version,kernel_source,gemm_dtyp,n,k,m,latency_us,n_samples\n");
  EXPECT_NE(error_of<InvalidInput>(renamed).find("did you mean 'gemm_dtyp'"), std::string::npos);
  const auto row = [&](const std::string& text) {
    return error_of<InvalidInput>(write("gemm", "h100_sxm.csv", std::string(kGemmHeader) + text + "\n"));
  };
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,-16,20,1").find("h100_sxm.csv:2: column 'm'"),
            std::string::npos);
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,16,nan,1").find("column 'latency_us'"), std::string::npos);
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,16,-2,1").find("at least 1e-09 us"), std::string::npos);
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,16,1e-320,1").find("at least 1e-09 us"), std::string::npos);
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,1.5,2,1").find("column 'm'"), std::string::npos);
  EXPECT_NE(row("vllm,1,v,fp7,4096,4096,16,2,1").find("fp8_block"), std::string::npos);
  EXPECT_NE(row("vllm,1,v,bfloat16,4096,4096,16").find("expected 9"), std::string::npos);
}

TEST_F(Import, LeavesOutAndMarksWhatCorrectionsName) {
  const RowCorrections corrections{{.rule = "eager",
                                    .reason = "timed eagerly",
                                    .action = CorrectionAction::LaunchBound,
                                    .tables = {"mla_generation"},
                                    .where = {{"framework", {"vllm"}}, {"version", {"0.13.0", "0.14.0"}}}},
                                   {.rule = "slow",
                                    .reason = "withdrawn",
                                    .tables = {"mla_generation"},
                                    .gpus = {"h100_sxm"},
                                    .where = {{"framework", {"sglang"}}},
                                    .published_in = "first"},
                                   {.rule = "other", .reason = "never", .tables = {"gemm"}, .where = {}},
                                   {.rule = "no such column",
                                    .reason = "never",
                                    .tables = {"mla_generation"},
                                    .where = {{"phase", {"x"}}}}};
  const std::string rows =
      "framework,version,kernel_source,mla_dtype,kv_cache_dtype,num_heads,tp_size,batch_size,"
      "step,latency_us,n_samples\nvllm,0.14.0,x,bfloat16,bfloat16,16,8,4,100,150,1\n"
      "sglang,0.5.14,x,bfloat16,bfloat16,16,8,4,100,15,1\n";
  for (const char* publication : {"first_2026", "second"})
    write(std::string(publication) + "/mla_generation", "h100_sxm.csv", rows);
  const ImportResult result =
      import(folder_.path(), {}, {.merge_repeats = false, .corrections = &corrections});
  ASSERT_EQ(result.dataset.size(), 3u);  // SGLang's of the second publication alone
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(result.dataset.marks(row).launch_bound, result.dataset.context(row).framework == "vllm");
  ASSERT_EQ(result.report.skipped().size(), 1u);
  EXPECT_EQ(result.report.skipped()[0].reason, "withdrawn");
  EXPECT_EQ(result.report.skipped()[0].rows, 1u);
}

TEST_F(Import, NamesTheTablesThatNoFamilyServes) {
  write("dsv4_csa_topk", "h100_sxm.csv", "framework,version,latency_us\nsglang,0.5.14,900\n");
  const ImportResult result = import(folder_.path());
  EXPECT_TRUE(result.dataset.empty());
  ASSERT_EQ(result.report.skipped().size(), 1u);
  EXPECT_NE(result.report.skipped()[0].reason.find("one kernel of a block"), std::string::npos);
  EXPECT_EQ(result.report.skipped()[0].rows, 1u);
}

TEST_F(Import, RefusesTheWrongLayoutAndSaysTheRightOne) {
  const auto path =
      folder_.write("fp32.csv", "gpu,op,split,B,M,N,K,latency_us\nTesla T4,bmm,test,2,16,16,16,30\n");
  EXPECT_NE(error_of<InvalidInput>(path).find("layout 'neusight'"), std::string::npos);
  EXPECT_NE(error_of<InvalidInput>(folder_.path(), Layout::Vidur).find("holds no table"), std::string::npos);
  const auto result = import_measurements(Layout::Neusight, std::vector{path}, catalog_);
  EXPECT_EQ(result.dataset.size(), 1u);
  EXPECT_TRUE(result.dataset.marks(0).launch_bound);
  EXPECT_TRUE(result.dataset.marks(0).source_test);
}

TEST_F(Import, RefusesTruncatedGzip) {
  std::string text(kGemmHeader);
  for (int m = 1; m < 2000; ++m) text += "vllm,1,v,bfloat16,4096,4096," + std::to_string(m) + ",99,1\n";
  std::filesystem::create_directories(folder_.path() / "gemm");
  const auto path = folder_.write_gzip("gemm/h100_sxm.csv.gz", text);
  EXPECT_EQ(import(path).dataset.size(), 1999u);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_NE(error_of<IoError>(path).find("gzip"), std::string::npos);
}

}  // namespace
}  // namespace warploom
