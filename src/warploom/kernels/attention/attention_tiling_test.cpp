#include "warploom/kernels/attention/attention_tiling.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

const GpuSpec& gpu(const char* name) {
  static const GpuCatalog catalog;
  return catalog.get(name);
}

AttentionTiling tiling_of(const auto& op, const char* name, const KernelContext& context) {
  return attention_tiling(view_of(op), gpu(name), kernel_hints(context));
}

TEST(KernelHints, TellEnginesFromLibraries) {
  EXPECT_TRUE(is_engine("sglang"));
  for (const char* other : {"", "nccl", "warploom", "vllm 0.24.0"}) {
    EXPECT_FALSE(is_engine(other)) << other;
    EXPECT_EQ(engine_rank(other), 0) << other;
  }
  EXPECT_GT(engine_rank("vllm"), engine_rank("sglang"));
  EXPECT_GT(engine_rank("trtllm"), 0);
}

TEST(KernelHints, ReadTheNamesOfTheData) {
  const KernelHints prefill = kernel_hints({"vllm", "0.24.0", "vllm_flashinfer_trtllmprefill"});
  EXPECT_EQ(prefill.engine, Engine::Vllm);
  EXPECT_EQ(prefill.attention, AttentionLibrary::TensorRtLlm);
  EXPECT_TRUE(prefill.writes_cache);
  EXPECT_EQ(kernel_hints({"trtllm", "1.0", "torch_flow"}).attention, AttentionLibrary::TensorRtLlm);
  EXPECT_EQ(kernel_hints({"trtllm", "1.0", "torch_flow_flashinfer"}).attention, AttentionLibrary::FlashInfer);
  EXPECT_EQ(kernel_hints({"sglang", "0.5", "flash_attention_v4"}).attention,
            AttentionLibrary::FlashAttention4);
  EXPECT_EQ(kernel_hints({"vllm", "0.14.0", "vllm_triton_attn"}).attention, AttentionLibrary::Triton);
  EXPECT_FALSE(kernel_hints({"vllm", "0.19.0", "vllm_flash_attn"}).writes_cache);
  EXPECT_EQ(kernel_hints({}), KernelHints{});
}

TEST(AttentionKernel, IsOneThatTheGpuCanRun) {
  const auto kernel = [](const char* name, std::string_view label) {
    return attention_kernel(kernel_hints({.framework = "vllm", .kernel = label}), gpu(name));
  };
  EXPECT_EQ(kernel("h100_sxm", "vllm_flash_attn"), AttentionKernel::FlashAttention3);
  EXPECT_EQ(kernel("a100_sxm", "vllm_flash_attn"), AttentionKernel::FlashAttention2);
  EXPECT_EQ(kernel("l40s", "vllm_flash_attn_fa3"), AttentionKernel::FlashAttention2);
  EXPECT_EQ(kernel("b200_sxm", "vllm_flashinfer_trtllmdecode"), AttentionKernel::TensorRtLlmGen);
  EXPECT_EQ(kernel("l40s", "vllm_flashinfer_trtllmdecode"), AttentionKernel::FlashInfer);
  EXPECT_EQ(attention_kernel({}, gpu("b200_sxm")), AttentionKernel::TensorRtLlmGen);
  const KernelHints sglang = kernel_hints({"sglang", "0.5.10", "flash_attention"});
  EXPECT_EQ(attention_kernel(sglang, gpu("a100_sxm")), AttentionKernel::FlashAttention3Sm80);
  EXPECT_EQ(attention_kernel(sglang, gpu("h100_sxm")), AttentionKernel::FlashAttention3);
  EXPECT_EQ(attention_kernel({}, gpu("mi300x")), AttentionKernel::Triton);
}

TEST(AttentionTiling, FollowsThePublicPrefillRules) {
  const AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{4, 2048, 0}}};
  const AttentionTiling fa3 = tiling_of(op, "h100_sxm", {.kernel = "fa3"});
  EXPECT_EQ(fa3.query_rows, 128);
  EXPECT_EQ(fa3.keys, 128);
  EXPECT_TRUE(fa3.packs_group && fa3.longest_first && fa3.warp_specialised);
  const AttentionTiling paged = tiling_of(op, "l40s", {.framework = "vllm", .kernel = "vllm_flash_attn_fa2"});
  EXPECT_EQ(paged.query_rows, 64);
  EXPECT_FALSE(paged.packs_group);
  AttentionPrefill few = op;
  few.requests = {{4, 3, 0}};  // twelve packed rows
  EXPECT_EQ(tiling_of(few, "l40s", {.kernel = "flashinfer"}).query_rows, 16);
  few.requests = {{4, 10, 0}};
  EXPECT_EQ(tiling_of(few, "l40s", {.kernel = "flashinfer"}).query_rows, 64);
  EXPECT_EQ(tiling_of(op, "h100_sxm", {.kernel = "torch_flow"}).query_rows, 64);
  EXPECT_EQ(tiling_of(op, "l40s", {.kernel = "torch_flow"}).query_rows, 128);
}

TEST(AttentionTiling, CompilesOddHeadSizesWider) {
  AttentionPrefill op{.heads = 16, .kv_heads = 16, .head_dim = 72, .causal = false, .requests = {{1, 1024}}};
  EXPECT_EQ(tiling_of(op, "h100_sxm", {.kernel = "fa3"}).width, 96);
  EXPECT_EQ(tiling_of(op, "l40s", {.kernel = "torch_flow"}).width, 80);
  EXPECT_EQ(tiling_of(op, "h100_sxm", {.kernel = "torch_flow"}).width, 128);  // rows of powers of two
  EXPECT_EQ(tiling_of(op, "h100_sxm", {.kernel = "triton"}).width, 128);
  op.head_dim = 192;
  EXPECT_EQ(tiling_of(op, "l40s", {.kernel = "torch_flow"}).width, 192);
  EXPECT_EQ(tiling_of(op, "h100_sxm", {.kernel = "torch_flow"}).width, 256);
  op.head_dim = 512;
  EXPECT_EQ(tiling_of(op, "b200_sxm", {.kernel = "trtllm_mha"}).width, 512);
}

TEST(AttentionTiling, TensorRtLlmGeneratesNoOddHeadSizes) {
  const KernelContext trtllm{.framework = "trtllm", .kernel = "torch_flow"};
  AttentionPrefill op{.heads = 16, .kv_heads = 16, .head_dim = 72, .causal = false, .requests = {{1, 1024}}};
  const AttentionTiling odd = tiling_of(op, "b200_sxm", trtllm);
  EXPECT_EQ(odd.kernel, AttentionKernel::TensorRtLlm);
  EXPECT_FALSE(odd.warp_specialised);
  op.head_dim = 80;
  EXPECT_EQ(tiling_of(op, "b200_sxm", trtllm).kernel, AttentionKernel::TensorRtLlmGen);
}

TEST(AttentionTiling, MaskedAttentionWalksOverWhatItsWindowHides) {
  const KernelContext trtllm{.framework = "trtllm", .kernel = "torch_flow"};
  AttentionDecode op{.heads = 32, .kv_heads = 8, .requests = {{4, 1, 9000}}};
  EXPECT_EQ(tiling_of(op, "h100_sxm", trtllm).keys, 32);
  EXPECT_FALSE(tiling_of(op, "h100_sxm", trtllm).walks_window);
  op.window = 128;
  EXPECT_TRUE(tiling_of(op, "h100_sxm", trtllm).walks_window);
  EXPECT_FALSE(tiling_of(op, "b200_sxm", trtllm).walks_window);
}

TEST(AttentionTiling, SplitsKeysWhereTheKernelDoes) {
  AttentionDecode op{.heads = 64, .kv_heads = 1, .requests = {{1, 1, 30000}}};
  const KernelContext trtllm{.framework = "trtllm", .kernel = "torch_flow"};
  // A group of 64 falls to a block per query head on every generation.
  for (const char* name : {"h100_sxm", "b200_sxm", "l40s"}) {
    const AttentionTiling tiling = tiling_of(op, name, trtllm);
    EXPECT_EQ(tiling.design, DecodeDesign::PerHead) << name;
    EXPECT_FALSE(tiling.packs_group || tiling.splits_keys) << name;
  }
  // Single heads keep a block each, and split long caches.
  op.heads = op.kv_heads = 4;
  for (const char* name : {"h100_sxm", "l40s", "rtx_pro_6000_server"}) {
    const AttentionTiling tiling = tiling_of(op, name, trtllm);
    EXPECT_EQ(tiling.design, DecodeDesign::PerHead) << name;
    EXPECT_TRUE(tiling.splits_keys) << name;
    EXPECT_EQ(tiling.least_split_keys, 2048) << name;
  }
  op.kv_heads = 1;
  op.heads = 8;
  EXPECT_TRUE(tiling_of(op, "b200_sxm", trtllm).splits_keys);
  op.kv_cache = DataType::Fp8;
  EXPECT_EQ(tiling_of(op, "l40s", trtllm).design, DecodeDesign::Unsplit);
  const KernelContext fa2{.framework = "vllm", .kernel = "vllm_flash_attn_fa2"};
  EXPECT_TRUE(tiling_of(op, "l40s", fa2).splits_keys);
  op.window = 128;
  EXPECT_FALSE(tiling_of(op, "l40s", fa2).packs_group);
}

TEST(AttentionTiling, OddGroupsBeyondThirtyTwoKeepABlockAHead) {
  const KernelContext trtllm{.framework = "trtllm", .kernel = "torch_flow"};
  AttentionDecode op{.heads = 96, .kv_heads = 2, .requests = {{8, 1, 500}}};
  EXPECT_FALSE(tiling_of(op, "h200_sxm", trtllm).packs_group);
  op.heads = 48;
  EXPECT_TRUE(tiling_of(op, "h200_sxm", trtllm).packs_group);
}

TEST(AttentionTiling, DecodeKernelsServePromptsOfATokenWithThePackedGroup) {
  const AttentionPrefill op{.heads = 64, .kv_heads = 4, .requests = {{32, 1, 0}}};
  const KernelContext decode{.framework = "vllm", .kernel = "vllm_flashinfer_trtllmdecode"};
  const KernelContext prefill{.framework = "vllm", .kernel = "vllm_flashinfer_trtllmprefill"};
  EXPECT_TRUE(tiling_of(op, "b200_sxm", decode).packs_group);
  EXPECT_EQ(tiling_of(op, "b200_sxm", decode).query_rows, 16);
  EXPECT_FALSE(tiling_of(op, "b200_sxm", prefill).packs_group);
}

TEST(AttentionTiling, QuantisesQueriesWhereTheKernelDoes) {
  const AttentionPrefill op{.kv_cache = DataType::Fp8, .heads = 32, .kv_heads = 8, .requests = {{1, 512, 0}}};
  EXPECT_TRUE(tiling_of(op, "h100_sxm", {.kernel = "fa3"}).fp8_products);
  EXPECT_TRUE(tiling_of(op, "b200_sxm", {.kernel = "trtllm_mha"}).fp8_products);
  EXPECT_FALSE(tiling_of(op, "l40s", {.kernel = "flashinfer"}).fp8_products);
  EXPECT_FALSE(tiling_of(op, "a100_sxm", {.kernel = "torch_flow"}).fp8_products);
}

// FlashInfer's dispatch (prefill.cuh) by hand: queries of a tile and 16 keys and values per warp beside them,
// for two blocks where both fit, at most eight fragments over the query fragments of a warp.
TEST(AttentionTiling, FlashInferTakesTheKeysThatSharedMemoryLeaves) {
  const KernelHints hints = kernel_hints({"sglang", "0.5.14", "flashinfer"});
  const auto keys = [&](const char* name, std::int64_t width, DataType cache, std::int64_t queries) {
    const AttentionPrefill op{
        .kv_cache = cache, .heads = 8, .kv_heads = 8, .head_dim = width, .requests = {{1, queries, 0}}};
    return attention_tiling(view_of(op), gpu(name), hints).keys;
  };
  EXPECT_EQ(keys("l40s", 128, DataType::Bf16, 1000), 32);      // (50 - 32) / 8 KB: two fragments
  EXPECT_EQ(keys("l40s", 128, DataType::Fp8, 1000), 64);       // (50 - 32) / 4 KB: four
  EXPECT_EQ(keys("l40s", 256, DataType::Bf16, 1000), 16);      // 64 rows: (50 - 32) / 16 KB: one
  EXPECT_EQ(keys("a100_sxm", 128, DataType::Bf16, 1000), 64);  // (82 - 32) / 8 KB: six, a power of two
  EXPECT_EQ(keys("l40s", 128, DataType::Bf16, 40), 64);        // 64 rows: (50 - 16) / 8 KB: four
}

TEST(AttentionTiling, FlashAttention2PacksTheGroupOfSingleTokens) {
  const KernelHints vllm = kernel_hints({"vllm", "0.24.0", "vllm_flash_attn_fa2"});
  AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{4, 1, 0}}};
  const GpuSpec& gpu_of = gpu("l40s");
  EXPECT_TRUE(attention_tiling(view_of(op), gpu_of, vllm).packs_group);
  EXPECT_TRUE(attention_tiling(view_of(op), gpu_of, vllm).copies_group);
  op.window = 128;
  EXPECT_FALSE(attention_tiling(view_of(op), gpu_of, vllm).packs_group);
  op.window = 0;
  op.requests[0].query_tokens = 2;
  EXPECT_FALSE(attention_tiling(view_of(op), gpu_of, vllm).packs_group);
  op = {.heads = 8, .kv_heads = 8, .requests = {{4, 1, 0}}};
  EXPECT_FALSE(attention_tiling(view_of(op), gpu_of, vllm).packs_group);
  op = {.heads = 8, .kv_heads = 1, .requests = {{4, 1, 0}}};  // its queries lie as rows already
  EXPECT_TRUE(attention_tiling(view_of(op), gpu_of, vllm).packs_group);
  EXPECT_FALSE(attention_tiling(view_of(op), gpu_of, vllm).copies_group);
}

TEST(AttentionTiling, VllmsTritonTakesSixteenRowsOfAGroup) {
  const KernelHints vllm = kernel_hints({"vllm", "0.24.0", "vllm_triton_attn"});
  const AttentionPrefill op{.heads = 32, .kv_heads = 8, .requests = {{4, 512, 0}}};
  const AttentionTiling tiling = attention_tiling(view_of(op), gpu("l40s"), vllm);
  EXPECT_EQ(tiling.query_rows, 16);
  EXPECT_EQ(tiling.keys, 32);
  EXPECT_TRUE(tiling.packs_group);
  const AttentionPrefill wide{.heads = 96, .kv_heads = 4, .requests = {{4, 512, 0}}};
  EXPECT_EQ(attention_tiling(view_of(wide), gpu("l40s"), vllm).query_rows, 32);
}

TEST(AttentionTiling, TensorRtLlmHasTilesOfShortQueriesOffBlackwellRtx) {
  const KernelHints hints = kernel_hints({"trtllm", "1.3.0", "torch_flow"});
  const auto rows = [&](const char* name, std::int64_t queries) {
    const AttentionPrefill op{.heads = 8, .kv_heads = 8, .requests = {{1, queries, 0}}};
    return attention_tiling(view_of(op), gpu(name), hints).query_rows;
  };
  EXPECT_EQ(rows("l40s", 16), 16);
  EXPECT_EQ(rows("l40s", 32), 32);
  EXPECT_EQ(rows("l40s", 64), 64);
  EXPECT_EQ(rows("rtx_pro_6000_server", 1), 64);
}

TEST(KernelHints, KnowWhenVllmsBackendsWroteTheCache) {
  const auto writes = [](std::string_view version, std::string_view kernel) {
    return kernel_hints({"vllm", version, kernel}).writes_cache;
  };
  EXPECT_TRUE(writes("0.14.0", "vllm_flash_attn"));
  EXPECT_TRUE(writes("0.9.2", "vllm_flashinfer"));
  EXPECT_FALSE(writes("0.15.0", "vllm_flash_attn"));
  EXPECT_FALSE(writes("0.19.0", "vllm_flashinfer"));
  EXPECT_FALSE(writes("", "vllm_flash_attn"));
  EXPECT_FALSE(writes("1.14.0", "vllm_flash_attn"));
  EXPECT_TRUE(writes("0.24.0", "vllm_flash_attn_fa3"));
}

}  // namespace
}  // namespace warploom
