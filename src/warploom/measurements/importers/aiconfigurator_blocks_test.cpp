// Blocks of sparse attention and hyper-connections: a few real rows of each table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "warploom/base/scratch_folder_test.h"
#include "warploom/measurements/importers/import.h"

namespace warploom {
namespace {

constexpr std::string_view kCompressedPrompts =
    "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,"
    "tp_size,compress_ratio,"
    "batch_size,isl,step,latency_us,n_samples\n";
constexpr std::string_view kCompressedTokens =
    "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,"
    "tp_size,compress_ratio,"
    "batch_size,step,latency_us,n_samples\n";
constexpr std::string_view kSparsePrompts =
    "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,"
    "tp_size,batch_size,isl,"
    "step,latency_us,n_samples\n";
constexpr std::string_view kSparseTokens =
    "framework,version,kernel_source,model,mla_dtype,kv_cache_dtype,gemm_type,num_heads,"
    "tp_size,batch_size,step,"
    "latency_us,n_samples\n";

class BlockTables : public ::testing::Test {
 protected:
  ImportResult import(const std::string& table, std::string_view header, const std::string& rows,
                      const std::string& gpu = "h200_sxm") {
    std::filesystem::create_directories(folder_.path() / table);
    const auto path = folder_.write(table + "/" + gpu + ".csv", std::string(header) + rows);
    return import_measurements(Layout::Aiconfigurator, std::vector{path}, catalog_);
  }
  // The one operator of an import that keeps one row.
  template <class Op>
  static Op only(const ImportResult& result) {
    EXPECT_EQ(result.dataset.size(), 1u);
    return std::get<Op>(result.dataset.op(0));
  }
  static std::size_t skipped(const ImportResult& result, std::string_view word) {
    std::size_t rows = 0;
    for (const SkippedRows& entry : result.report.files.at(0).skipped)
      if (std::string_view(entry.reason).find(word) != std::string_view::npos) rows += entry.rows;
    return rows;
  }

  ScratchFolder folder_;
  GpuCatalog catalog_;
};

TEST_F(BlockTables, ALayerWithAnIndexerTakesItsModelsTopK) {
  const auto op = only<CompressedAttention>(import(
      "dsv4_csa_context_module", kCompressedPrompts,
      "vllm,0.25.0,FLASHMLA_SPARSE_DSV4,sgl-project/DeepSeek-V4-Pro-FP8,bfloat16,fp8,fp8_block,32,4,4,2,512,"
      "4096,1055,1\n"));
  EXPECT_EQ(op.hidden, 7168);
  EXPECT_EQ(op.q_lora_rank, 1536);
  EXPECT_EQ(op.heads, 32);
  EXPECT_EQ(op.o_groups, 4);
  EXPECT_EQ(op.top_k, 1024);
  EXPECT_TRUE(op.indexer);
  EXPECT_EQ(op.kv_cache, DataType::Fp8);
  EXPECT_FALSE(op.decode);
  EXPECT_EQ(op.requests.at(0).query_tokens, 512);
  EXPECT_EQ(op.requests.at(0).context_tokens, 4096);
}

TEST_F(BlockTables, ALayerOfRatio128AttendsToAllEntries) {
  const auto op = only<CompressedAttention>(import(
      "dsv4_hca_generation_module", kCompressedTokens,
      "trtllm,1.3.0rc23,DeepseekV4TrtllmAttention,sgl-project/DeepSeek-V4-Flash-FP8,bfloat16,fp8,fp8_block,8,"
      "8,128,64,4096,60.5,1\n",
      "gb200"));
  EXPECT_EQ(op.compress_ratio, 128);
  EXPECT_EQ(op.top_k, 0);
  EXPECT_FALSE(op.indexer);
  EXPECT_TRUE(op.decode);
  EXPECT_EQ(op.o_groups, 1);
  EXPECT_EQ(op.requests.at(0).count, 64);
}

// The fallback's time is that of its requests, whatever they see.
TEST_F(BlockTables, LeaveOutTheFallbackOfGraphicsDies) {
  const ImportResult result = import(
      "dsv4_hca_generation_module", kCompressedTokens,
      "sglang,0.5.14,compressed_flashmla,sgl-project/DeepSeek-V4-Flash-FP8,bfloat16,fp8_e4m3,bfloat16,16,4,"
      "128,1,1048575,2569,1\n",
      "rtx_pro_6000_server");
  EXPECT_EQ(result.dataset.size(), 0u);
  EXPECT_EQ(skipped(result, "fallback"), 1u);
}

TEST_F(BlockTables, KeyHeadsFollowTheQueryHeads) {
  const auto op = only<BlockSparseAttention>(
      import("msa_context_module", kSparsePrompts,
             "vllm,0.25.0,MiniMaxM3SparseTritonImpl,MiniMaxAI/MiniMax-M3,bfloat16,fp8,bfloat16,24,1,4,"
             "1024,128,924.2,"
             "1\n"));
  EXPECT_EQ(op.heads, 24);
  EXPECT_EQ(op.kv_heads, 2);
  EXPECT_EQ(op.index_heads, 2);
  EXPECT_EQ(op.kv_cache, DataType::Fp8);
  EXPECT_EQ(op.requests.at(0).query_tokens, 1024);
}

TEST_F(BlockTables, LeaveOutTensorRtLlmsBlockSparseRows) {
  const std::string row = "MiniMaxAI/MiniMax-M3,bfloat16,bfloat16,bfloat16,64,1,";
  EXPECT_EQ(skipped(import("msa_context_module", kSparsePrompts,
                           "trtllm,1.3.0rc23,default," + row + "1,2048,0,39050,1\n"),
                    "reference path"),
            1u);
  EXPECT_EQ(skipped(import("msa_context_module", kSparsePrompts,
                           "trtllm,1.3.0rc23,msa_fmha_sm100," + row + "1,2048,0,3143,1\n", "gb200"),
                    "of the host"),
            1u);
  EXPECT_EQ(skipped(import("msa_generation_module", kSparseTokens,
                           "trtllm,1.3.0rc23,msa_fmha_sm100," + row + "64,4095,237.9,1\n", "gb200"),
                    "whole pool"),
            1u);
}

// SGLang's prompts of 1, 4 and 8 tokens take as long as each other: the host's time.
TEST_F(BlockTables, LeaveOutTheHostsTime) {
  const std::string row =
      "sglang,0.5.16,sglang_minimax_prefill_triton_sparse,MiniMaxAI/MiniMax-M3,bfloat16,"
      "bfloat16,bfloat16,16,4,";
  const ImportResult result = import("msa_context_module", kSparsePrompts,
                                     row + "1,1,0,986.6,1\n" + row + "1,8,0,946.7,1\n" + row +
                                         "1,8192,0,2270,1\n" + row + "8,8192,0,11760,1\n",
                                     "gb200");
  EXPECT_EQ(skipped(result, "host floor"), 2u);
  EXPECT_EQ(result.dataset.size(), 2u);
}

// The number of requests decides between its two ways to choose: one kernel.
TEST_F(BlockTables, SglangsTwoWaysToChooseAreOneKernel) {
  const std::string kernel = "sglang,0.5.16,sglang_minimax_decode_triton_sparse_topk_";
  const std::string row = ",MiniMaxAI/MiniMax-M3,bfloat16,bfloat16,bfloat16,16,4,";
  const ImportResult result = import(
      "msa_generation_module", kSparseTokens,
      kernel + "radix" + row + "1024,16,657.7,1\n" + kernel + "split" + row + "1,16,39.5,1\n", "gb200");
  ASSERT_EQ(result.dataset.size(), 2u);
  EXPECT_EQ(result.dataset.context(0).kernel, result.dataset.context(1).kernel);
}

TEST_F(BlockTables, ARowOfHyperConnectionsHoldsBothSites) {
  constexpr std::string_view kHeader =
      "framework,version,op_name,kernel_source,hc_mult,hidden_size,num_tokens,latency_us,n_samples\n";
  const ImportResult result =
      import("mhc", kHeader,
             "vllm,0.31.0,fused_post_pre,vllm.mhc_fused_post_pre_tilelang[fused_post_gemm;norm=fused],"
             "4,4096,16,19.9,1\n"
             "sglang,0.5.20,expand,sglang.kernels.ops.layernorm.mhc.hc_expand,4,4096,16,3.3,1\n"
             "trtllm,1.3.0rc20,pre,trtllm_mhc_pre_fma,4,7168,64,37.8,1\n");
  ASSERT_EQ(result.dataset.size(), 3u);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto& op = std::get<HyperConnection>(result.dataset.op(row));
    const double us = result.dataset.latency(row).value() * 1e6;
    switch (op.part) {
      case HyperConnectionPart::FusedPostPre:
        EXPECT_NEAR(us, 9.95, 1e-3);
        EXPECT_EQ(result.dataset.context(row).kernel, "vllm.mhc_fused_post_pre_tilelang");
        break;
      case HyperConnectionPart::Expand:
        EXPECT_NEAR(us, 3.3, 1e-3);
        break;
      default:
        EXPECT_NEAR(us, 18.9, 1e-3);
        EXPECT_EQ(result.dataset.context(row).kernel, "trtllm_mhc_pre");
    }
  }
}

TEST_F(BlockTables, GlmsPooledLayerIsADsaWithoutARotaryPart) {
  constexpr std::string_view kHeader =
      "framework,version,kernel_source,checkpoint_format,projection_quant_mode,kv_cache_dtype,"
      "num_heads,tp_size,"
      "is_context,used_cuda_graph,batch_size,prefix,x,latency_us,n_samples\n";
  const auto op = only<Dsa>(import(
      "glm53_attention_module", kHeader,
      "sglang,0.5.20,sglang0.5.20|DeepseekV2AttentionMLA|IndexerKPool|qkv_a=Fp8LinearMethod|attn_backend=dsa,"
      "fp8,fp8_block,fp8,16,4,0,1,1,0,2052,74.82,1\n",
      "gb200"));
  EXPECT_EQ(op.index_pool, 4);
  EXPECT_EQ(op.shape.rope_head_dim, 0);
  EXPECT_EQ(op.shape.heads, 16);
  EXPECT_EQ(op.projections, MatmulScheme::Fp8Block);
  EXPECT_TRUE(op.decode);
  EXPECT_EQ(op.requests.at(0).context_tokens, 2051);
}

TEST_F(BlockTables, LeaveOutConvolutionsFasterThanTheirBytes) {
  constexpr std::string_view kHeader =
      "framework,version,kernel_source,phase,d_model,d_conv,num_k_heads,head_k_dim,num_v_heads,head_v_dim,"
      "model_name,batch_size,seq_len,num_tokens,latency_us,n_samples\n";
  const std::string row = "vllm,0.31.0,causal_conv1d_fn,context,4096,4,8,128,8,128,zai-org/GLM-5.3-Flash,";
  const ImportResult result = import("kda", kHeader, row + "4,8,32,3.652,1\n" + row + "8,8,64,3.796,1\n");
  EXPECT_EQ(skipped(result, "faster than its bytes"), 1u);
  EXPECT_EQ(only<LinearAttention>(result).sequences, 8);
}

}  // namespace
}  // namespace warploom
