#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/importers/warploom_csv.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

Dataset import(Layout layout, const std::filesystem::path& path) {
  const GpuCatalog catalog;
  return import_measurements(layout, std::vector{path}, catalog, {}, {.physical_tolerance = 0}).dataset;
}

TEST(PipeweaveImport, ReadsRequestListsAndMarksHardCases) {
  const ScratchFolder folder;
  const auto path =
      folder.write("worst_cases_attn.csv",
                   "hardware,attention_type,bs,q_lengths,kv_lengths,nh,nkv,hd,avg_duration_us,overall_perf\n"
                   "H200,fa3_paged,3,\"[11,11,29]\",\"[99,99,39]\",16,2,128,131,0.002\n"
                   "L40,fa2_paged,2,\"[1,1]\",\"[5,72]\",6,1,128,23,0.03\n");
  const Dataset data = import(Layout::Pipeweave, path);
  ASSERT_EQ(data.size(), 2u);
  const auto& prefill = std::get<AttentionPrefill>(data.op(0));
  ASSERT_EQ(prefill.requests.size(), 2u);
  EXPECT_EQ(prefill.requests[0].count, 2);
  EXPECT_EQ(prefill.requests[0].context_tokens, 88);
  EXPECT_EQ(prefill.requests[1].query_tokens, 29);
  EXPECT_EQ(std::get<AttentionDecode>(data.op(1)).requests[1].context_tokens, 71);
  EXPECT_TRUE(data.marks(0).biased);
  EXPECT_EQ(data.gpu(1), "l40");
  const auto bad = folder.write("bad.csv",
                                "hardware,attention_type,bs,q_lengths,kv_lengths,nh,nkv,hd,avg_duration_us\n"
                                "H200,fa3,1,[20],[10],16,2,128,131\n");
  EXPECT_THROW(import(Layout::Pipeweave, bad), InvalidInput);
}

TEST(PipeweaveImport, TakesWidthsAndPassesAsThePublisherMeansThem) {
  const ScratchFolder folder;
  folder.write("worst_cases_siluandmul.csv",
               "hardware,seq,dim,avg_duration_us,overall_perf\nH200,8097,768,11.6,0.01\n");
  folder.write("worst_cases_rmsnorm.csv",
               "hardware,seq,dim,avg_duration_us,overall_perf\nH20,2,128,1.9,0.1\n");
  folder.write("moe_w13_default.csv",
               "hardware,weight_type,M,E,topk,H,N,avg_duration_us,cfg_BM\nA100,w13,2,8,2,1024,512,11.5,16\n");
  const Dataset data = import(Layout::Pipeweave, folder.path());
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(std::get<FusedMoe>(data.op(0)).pass, MoePass::GateUp);
  EXPECT_EQ(std::get<FusedMoe>(data.op(0)).intermediate, 512);
  EXPECT_EQ(std::get<RmsNorm>(data.op(1)).width, 128);
  EXPECT_EQ(std::get<Activation>(data.op(2)).width, 384);
}

TEST(VidurImport, ReadsBlockOperatorsWithModelShapes) {
  const ScratchFolder folder;
  folder.write("model_shapes.csv",
               "gpu,model,n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,rows,tps\n"
               "a100,Llama,64,8,8192,28672,32768,True,1,1 2\n");
  const std::string header = "gpu,model,tp,num_tokens,op,kind,M,N,K,latency_us_median,n_runs\n";
  const auto path = folder.write("mlp.csv", header +
                                                "A100,Llama,2,128,mlp_up_proj,gemm,128,28672,8192,300,1\n"
                                                "A100,Llama,2,128,attn_rope,rope,128,4608,,13,2\n"
                                                "A100,Llama,2,128,emb,embedding,128,8192,,16,1\n"
                                                "A100,Llama,2,128,add,elementwise,128,8192,,0,1\n"
                                                "A100,Other,2,128,add,elementwise,128,8192,,3,1\n");
  const Dataset data = import(Layout::Vidur, path);
  ASSERT_EQ(data.size(), 3u);
  EXPECT_EQ(std::get<Gemm>(data.op(0)).scheme, MatmulScheme::Fp16);
  EXPECT_EQ(data.gpu(0), "a100_sxm");
  const auto& rope = std::get<Rope>(data.op(1));
  EXPECT_EQ(rope.heads, 32);
  EXPECT_EQ(rope.kv_heads, 4);
  EXPECT_EQ(data.n_samples(1), 40);
  EXPECT_EQ(std::get<Embedding>(data.op(2)).vocabulary, 16384);
}

TEST(VidurImport, KnowsHowManyRanksShareANode) {
  const ScratchFolder folder;
  const auto path = folder.write("collectives.csv",
                                 "gpu,topology,collective,num_gpus,devices_per_node,bytes,latency_us_median\n"
                                 "H100,dgx,all_reduce,8,8,2048,30\nA100,dgx,send_recv,2,1,2048,43\n");
  const Dataset data = import(Layout::Vidur, path);
  ASSERT_EQ(data.size(), 2u);
  EXPECT_EQ(std::get<Collective>(data.op(0)).ranks_per_node, 0);
  EXPECT_EQ(std::get<Collective>(data.op(1)).ranks_per_node, 1);
  EXPECT_EQ(data.family(1), Family::SendRecv);
}

TEST(NeusightImport, CountsTheInputsOfVectorOperators) {
  const ScratchFolder folder;
  const auto path = folder.write("v.csv",
                                 "gpu,op,split,set,B,H,latency_us\nTesla T4,add,train,used,64,1024,30\n"
                                 "Tesla T4,addu,train,used,64,1024,30\nTesla T4,relu,test,used,64,1024,30\n"
                                 "Tesla T4,ln,test,used,64,1024,30\n");
  const Dataset data = import(Layout::Neusight, path);
  ASSERT_EQ(data.size(), 4u);
  EXPECT_EQ(std::get<Elementwise>(data.op(0)).inputs, 2);
  EXPECT_EQ(std::get<Elementwise>(data.op(1)).inputs, 1);
  EXPECT_EQ(std::get<Elementwise>(data.op(2)).kind, ElementwiseKind::Relu);
  EXPECT_TRUE(std::get<RmsNorm>(data.op(3)).layer_norm);
}

TEST(WarploomCsv, ReadsWhatItWrites) {
  const ScratchFolder folder;
  Dataset data;
  Measurement row = gemm_row(16, "h100_sxm", 12.3456789);
  row.kernel = "a \"quoted\", kernel";
  row.n_samples = 7;
  row.marks = {.launch_bound = true, .derived = true};
  data.add(row);
  data.add(decode_row(8, 1000, "l40s", 33));
  data.add({.op = Collective{.size = Bytes(4096), .ranks = 8},
            .gpu = "b200_sxm",
            .framework = {},
            .version = {},
            .kernel = {},
            .latency = microseconds(9)});
  const auto path = folder.path() / "rows.csv";
  write_warploom_csv(path, data);
  const Dataset back = import(Layout::Warploom, path);
  ASSERT_EQ(back.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.operator_identity(back.operator_index(i)), data.operator_identity(data.operator_index(i)));
    EXPECT_EQ(back.gpu(i), data.gpu(i));
    EXPECT_NEAR(back.latency(i) / data.latency(i), 1.0, 1e-14);
    EXPECT_EQ(back.n_samples(i), data.n_samples(i));
    EXPECT_EQ(back.marks(i), data.marks(i));
    EXPECT_EQ(back.context(i).kernel, data.context(i).kernel);
  }
}

TEST(WarploomCsv, RefusesWhatItDoesNotKnow) {
  const ScratchFolder folder;
  const auto error_of = [&](std::string_view text) {
    try {
      import(Layout::Warploom, folder.write("rows.csv", text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string gemm = "\"{\"\"family\"\":\"\"gemm\"\",\"\"m\"\":8,\"\"n\"\":8,\"\"k\"\":8}\"";
  EXPECT_NE(error_of("gpu,latency_us,operator\nh10o_sxm,5," + gemm + "\n").find("'h100_sxm'"),
            std::string::npos);
  EXPECT_NE(error_of("gpu,latency_s,operator\nh100_sxm,5," + gemm + "\n").find("'latency_us'"),
            std::string::npos);
  EXPECT_NE(error_of("gpu,latency_us,operator\nh100_sxm,nan," + gemm + "\n").find("finite"),
            std::string::npos);
  EXPECT_NE(error_of("gpu,latency_us,operator,marks\nh100_sxm,5," + gemm + ",slow\n").find("launch_bound"),
            std::string::npos);
  EXPECT_NE(error_of("gpu,latency_us,operator\nh100_sxm,5,\"{\"\"family\"\":\"\"gem\"\"}\"\n").find("gemm"),
            std::string::npos);
  EXPECT_NE(error_of("gpu,latency_us,operator\nh100_sxm,5,\"{\"\"family\"\":\"\"gemm\"\",\"\"m\"\":-1}\"\n")
                .find("'m'"),
            std::string::npos);
}

}  // namespace
}  // namespace warploom
