#include <fmt/format.h>
#include <gtest/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/engine_kernels.h"

namespace warploom {
namespace {

GpuSpec gpu(const char* name) { return GpuCatalog().get(name); }

FusedMoe experts(MatmulScheme scheme, std::int64_t expert_parallel = 1) {
  FusedMoe op;
  op.scheme = scheme;
  op.experts = 128;
  op.expert_parallel = expert_parallel;
  return op;
}

KernelNames names_of_engine(const char* engine, const char* backend) {
  KernelNames names = kernels_of(engine, "");
  names.moe_backend = backend;
  return names;
}

// The kernel of fused experts with the flag's backend.
std::string moe_kernel(const char* engine, const char* backend, const FusedMoe& op, const GpuSpec& gpu) {
  return std::string(names_of_engine(engine, backend).of(op, gpu).kernel);
}
std::string vllm_moe_kernel(const char* backend, const FusedMoe& op, const GpuSpec& gpu) {
  return moe_kernel("vllm", backend, op, gpu);
}
// The framework of an SGLang product's kernel; that of SGLang itself: its default.
std::string fp8_framework(const char* backend, const Gemm& op, const GpuSpec& gpu) {
  KernelNames names = kernels_of("sglang", "");
  names.fp8_gemm_backend = backend;
  return std::string(names.of(op, gpu).framework);
}
std::string allreduce(const char* engine, const Collective& op, const GpuSpec& gpu) {
  return std::string(kernels_of(engine, "").of(op, gpu).kernel);
}

TEST(KernelNames, BlockScaledProductsFollowVllmsOrder) {
  const KernelNames newest = kernels_of("vllm", ""), old = kernels_of("vllm", "0.19.0");
  const GpuCatalog gpus;
  const auto kernel = [&](const KernelNames& names, const char* gpu, Gemm op) {
    op.scheme = MatmulScheme::Fp8Block;
    return std::string(names.of(op, gpus.get(gpu)).kernel);
  };
  EXPECT_EQ(kernel(newest, "h200_sxm", {.m = 64, .n = 5120, .k = 5120}), "DeepGemmFp8BlockScaledMMKernel");
  EXPECT_EQ(kernel(newest, "h200_sxm", {.m = 31, .n = 5120, .k = 5120}), "FlashInferFp8BlockScaledMMKernel");
  EXPECT_EQ(kernel(newest, "b200_sxm", {.m = 31, .n = 5120, .k = 5120}), "DeepGemmFp8BlockScaledMMKernel");
  EXPECT_EQ(kernel(newest, "h200_sxm", {.m = 64, .n = 5120, .k = 5184}), "CutlassFp8BlockScaledMMKernel");
  EXPECT_EQ(kernel(newest, "h200_sxm", {.m = 8, .n = 5152, .k = 5120}), "CutlassFp8BlockScaledMMKernel");
  EXPECT_EQ(kernel(newest, "l40s", {.m = 64, .n = 5120, .k = 5120}), "");
  EXPECT_EQ(kernel(old, "h200_sxm", {.m = 64, .n = 5120, .k = 5120}), "");
}

TEST(KernelNames, BlockScaledExpertsFollowTheEnginesOrder) {
  const FusedMoe alone = experts(MatmulScheme::Fp8Block), spread = experts(MatmulScheme::Fp8Block, 4);
  EXPECT_EQ(vllm_moe_kernel("auto", alone, gpu("h200_sxm")), "vllm_fp8moe_triton_tritonexperts");
  EXPECT_EQ(vllm_moe_kernel("auto", spread, gpu("h200_sxm")),
            "vllm_fp8moe_flashinfer_cutlass_flashinferexperts");
  EXPECT_EQ(vllm_moe_kernel("auto", alone, gpu("b200_sxm")),
            "vllm_fp8moe_flashinfer_trtllm_trtllmfp8expertsmonolithic");
  EXPECT_EQ(vllm_moe_kernel("auto", alone, gpu("l40s")), "");
  EXPECT_EQ(vllm_moe_kernel("auto", experts(MatmulScheme::Bf16), gpu("h200_sxm")), "");
}

// Framework and kernel of a prompt's scan in a gated delta net of vLLM.
std::string delta_net_kernel(const char* backend, const char* name, const char* version = "",
                             LinearAttention op = {}) {
  KernelNames names = kernels_of("vllm", version);
  names.gdn_prefill_backend = backend;
  const GpuSpec on = gpu(name);
  const KernelContext context = names.of(op, on);
  return fmt::format("{}/{}", context.framework, context.kernel);
}

TEST(KernelNames, DeltaNetsOfVllmRunFlashInfersKernelWhereItRuns) {
  constexpr const char* kFlashInfer = "vllm/chunk_gated_delta_rule_flashinfer";
  constexpr const char* kOwnTriton = "vllm/chunk_gated_delta_rule_triton";
  constexpr const char* kTriton = "sglang/chunk_gated_delta_rule";
  for (const char* name : {"h100_sxm", "h200_sxm", "b200_sxm", "gb200", "b300_sxm"}) {
    EXPECT_EQ(delta_net_kernel("auto", name), kFlashInfer) << name;
    EXPECT_EQ(delta_net_kernel("flashinfer", name, "0.24.0"), kFlashInfer) << name;
    EXPECT_EQ(delta_net_kernel("triton", name), kTriton) << name;
  }
  // sm_120 as of the release whose source says so.
  EXPECT_EQ(delta_net_kernel("auto", "rtx_pro_6000_server", "0.24.0"), kOwnTriton);
  EXPECT_EQ(delta_net_kernel("auto", "rtx_pro_6000_server"), kFlashInfer);
  EXPECT_EQ(delta_net_kernel("auto", "l40s"), kOwnTriton);
  EXPECT_EQ(delta_net_kernel("auto", "a100_sxm"), kTriton);
  EXPECT_EQ(delta_net_kernel("auto", "mi300x"), "vllm/");
}

TEST(KernelNames, DeltaNetsFallBackToTritonAsVllmDoes) {
  const LinearAttention narrow{.key_dim = 64};
  EXPECT_EQ(delta_net_kernel("auto", "b200_sxm", "", narrow), "sglang/chunk_gated_delta_rule");
  EXPECT_EQ(delta_net_kernel("auto", "h200_sxm", "", narrow), "vllm/chunk_gated_delta_rule_flashinfer");
  EXPECT_EQ(delta_net_kernel("cutedsl", "h200_sxm"), "sglang/chunk_gated_delta_rule");
  EXPECT_THROW(delta_net_kernel("cutedsl", "b200_sxm"), Unsupported);
  // Decoding, convolutions and other recurrences have one implementation each.
  EXPECT_EQ(delta_net_kernel("triton", "h200_sxm", "", {.stage = LinearAttentionStage::StateUpdate}),
            "vllm/");
  EXPECT_EQ(delta_net_kernel("triton", "h200_sxm", "", {.kind = LinearAttentionKind::KimiDelta}), "vllm/");
  EXPECT_THROW(check_config({.gdn_prefill_backend = "fla"}), InvalidInput);
}

TEST(KernelNames, SglangTakesTritonKernelsForMxfp4ExpertsThatNoGpuSharesOut) {
  const FusedMoe alone = experts(MatmulScheme::MxFp4A16), spread = experts(MatmulScheme::MxFp4A16, 4);
  for (const char* name : {"h100_sxm", "h200_sxm", "a100_sxm", "l40s"}) {
    EXPECT_EQ(moe_kernel("sglang", "auto", alone, gpu(name)), "triton_kernel") << name;
    EXPECT_EQ(moe_kernel("sglang", "auto", spread, gpu(name)), "") << name;
  }
  EXPECT_EQ(moe_kernel("sglang", "auto", alone, gpu("b200_sxm")), "");
  EXPECT_EQ(moe_kernel("sglang", "auto", experts(MatmulScheme::Bf16), gpu("h100_sxm")), "");
}

TEST(KernelNames, AFlagTakesTheEnginesPlace) {
  // One kernel, measured under another name on each of these.
  const FusedMoe mxfp4 = experts(MatmulScheme::MxFp4A16);
  EXPECT_EQ(vllm_moe_kernel("marlin", mxfp4, gpu("l40s")), "vllm_gptossmxfp4moe_marlin_marlinexperts");
  EXPECT_EQ(vllm_moe_kernel("marlin", mxfp4, gpu("h100_sxm")),
            "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts_situ_as_silu");
  EXPECT_EQ(vllm_moe_kernel("marlin", mxfp4, gpu("b200_sxm")),
            "vllm_compressedtensorsw4a4mxfp4moe_marlin_marlinexperts");
  EXPECT_THROW(vllm_moe_kernel("marlin", experts(MatmulScheme::Bf16), gpu("h100_sxm")), Unsupported);
  EXPECT_THROW(check_config({.moe_backend = "cutlas"}), InvalidInput);
}

TEST(KernelNames, OnlyExpertsOfVllmAreNamed) {
  const GpuSpec h200 = gpu("h200_sxm");
  const Operator op = experts(MatmulScheme::Fp8Block);
  const KernelNames vllm = kernels_of("vllm", "0.24.0"), sglang = kernels_of("sglang", "");
  EXPECT_EQ(vllm.of(op, h200).kernel, "vllm_fp8moe_triton_tritonexperts");
  EXPECT_EQ(vllm.of(op, h200).version, "0.24.0");
  EXPECT_EQ(vllm.of(Gemm{}, h200).kernel, "");
  EXPECT_EQ(sglang.of(op, h200).kernel, "");
}

TEST(KernelNames, OtherEnginesTakeTheKernelsOfTheirBackends) {
  const FusedMoe op = experts(MatmulScheme::Fp8Block);
  EXPECT_EQ(moe_kernel("trtllm", "flashinfer_trtllm", op, gpu("b200_sxm")), "sglang_flashinfer_trtllm_moe");
  EXPECT_THROW(moe_kernel("trtllm", "flashinfer_trtllm", op, gpu("h200_sxm")), Unsupported);
  EXPECT_EQ(moe_kernel("trtllm", "auto", op, gpu("b200_sxm")), "");
  EXPECT_EQ(moe_kernel("sglang", "triton", op, gpu("b200_sxm")), "sglang_fused_moe_triton");
  EXPECT_EQ(moe_kernel("vllm", "triton", op, gpu("b200_sxm")), "vllm_fused_moe");
  const Gemm block{.scheme = MatmulScheme::Fp8Block}, plain{.scheme = MatmulScheme::Bf16};
  EXPECT_EQ(fp8_framework("flashinfer_trtllm", block, gpu("b200_sxm")), "trtllm");
  EXPECT_THROW(fp8_framework("flashinfer_trtllm", block, gpu("h200_sxm")), Unsupported);
  EXPECT_EQ(fp8_framework("flashinfer_trtllm", plain, gpu("b200_sxm")), "sglang");
  EXPECT_EQ(fp8_framework("auto", block, gpu("b200_sxm")), "sglang");
  EXPECT_THROW(check_config({.fp8_gemm_backend = "cublas"}), InvalidInput);
}

TEST(KernelNames, ABackendOfExpertsIsTakenOrRefused) {
  const FusedMoe bf16 = experts(MatmulScheme::Bf16), mxfp4 = experts(MatmulScheme::MxFp4A16);
  // What vLLM runs by itself on Hopper may be asked for by name.
  EXPECT_EQ(vllm_moe_kernel("triton", bf16, gpu("h200_sxm")),
            "vllm_unquantizedfusedmoe_triton_tritonexperts");
  EXPECT_EQ(vllm_moe_kernel("triton", bf16, gpu("a100_sxm")), "vllm_fused_moe");
  EXPECT_THROW(vllm_moe_kernel("flashinfer_trtllm", bf16, gpu("h200_sxm")), Unsupported);
  EXPECT_EQ(moe_kernel("sglang", "marlin", mxfp4, gpu("h200_sxm")), "sglang_marlin_moe");
  EXPECT_EQ(moe_kernel("sglang", "triton", bf16, gpu("h200_sxm")), "sglang_fused_moe_triton");
  EXPECT_THROW(moe_kernel("sglang", "marlin", bf16, gpu("h200_sxm")), Unsupported);
  const FusedMoe block = experts(MatmulScheme::Fp8Block), nvfp4 = experts(MatmulScheme::NvFp4);
  EXPECT_EQ(moe_kernel("sglang", "deep_gemm", block, gpu("gb200")), "deepgemm");
  EXPECT_EQ(names_of_engine("sglang", "deep_gemm").of(block, gpu("gb200")).framework, "trtllm");
  EXPECT_THROW(moe_kernel("sglang", "deep_gemm", block, gpu("h200_sxm")), Unsupported);
  EXPECT_EQ(moe_kernel("sglang", "flashinfer_cutlass", nvfp4, gpu("gb200")), "moe_torch_flow_cutlass");
  EXPECT_EQ(moe_kernel("sglang", "flashinfer_cutedsl", nvfp4, gpu("gb200")), "sglang_flashinfer_cutedsl_moe");
  EXPECT_THROW(moe_kernel("vllm", "deep_gemm", block, gpu("gb200")), Unsupported);
  EXPECT_THROW(moe_kernel("trtllm", "marlin", mxfp4, gpu("h200_sxm")), Unsupported);
  EXPECT_EQ(moe_kernel("trtllm", "flashinfer_trtllm", mxfp4, gpu("b200_sxm")), "");
}

TEST(KernelNames, SmallReductionsRunInTheEnginesOwnKernel) {
  Collective op{.kind = CollectiveKind::AllReduce, .size = Bytes(1 << 20), .ranks = 8};
  EXPECT_EQ(allreduce("sglang", op, gpu("h20")), "SGLang_CustomAllReduce_graph");
  EXPECT_EQ(allreduce("vllm", op, gpu("h20")), "vLLM_custom_graph");
  EXPECT_EQ(allreduce("trtllm", op, gpu("h20")), "");
  EXPECT_EQ(allreduce("sglang", op, gpu("l20")), "");  // no NVLink
  op.size = Bytes(9 << 20);
  EXPECT_EQ(allreduce("sglang", op, gpu("h20")), "");
  op.size = Bytes(1 << 20);
  op.ranks_per_node = 4;
  EXPECT_EQ(allreduce("sglang", op, gpu("h20")), "");
}

}  // namespace
}  // namespace warploom
