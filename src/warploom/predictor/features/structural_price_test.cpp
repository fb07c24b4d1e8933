// One structural model: the base of the learners and what is shown of a call are the same number.
#include "warploom/kernels/structural_price.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/predictor/features/features.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}

std::vector<Operator> one_of_each() {
  const std::vector<RequestGroup> prompts{{2, 700, 0}, {1, 33, 4000}};
  const std::vector<RequestGroup> tokens{{5, 1, 900}, {1, 1, 12000}};
  return {Gemm{.m = 100, .n = 4096, .k = 4096},
          Gemm{.scheme = MatmulScheme::Fp8Block, .m = 77, .n = 6144, .k = 4096},
          AttentionPrefill{.heads = 32, .kv_heads = 8, .requests = prompts},
          AttentionPrefill{.heads = 64, .kv_heads = 8, .head_dim = 64, .window = 128, .requests = prompts},
          AttentionDecode{.heads = 32, .kv_heads = 8, .requests = tokens},
          MlaPrefill{.requests = prompts},
          MlaDecode{.requests = tokens},
          MlaModule{.requests = prompts},
          MlaModule{.decode = true, .requests = tokens},
          FusedMoe{.tokens = 77, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8},
          FusedMoe{.tokens = 9, .pass = MoePass::Down},
          RmsNorm{.tokens = 300, .residual = true},
          Activation{.tokens = 50},
          Elementwise{.kind = ElementwiseKind::Softmax, .rows = 12, .inputs = 1},
          Rope{.tokens = 9},
          KvWrite{.tokens = 9},
          Quantize{.rows = 400},
          Embedding{.tokens = 7},
          Sampling{.sequences = 3},
          LinearAttention{.tokens_per_sequence = 512},
          Collective{.size = Bytes(3e6), .ranks = 8},
          Collective{.kind = CollectiveKind::Dispatch, .size = Bytes(3e6), .ranks = 16, .ranks_per_node = 8}};
}

// Kernels whose structure is known exactly, and the families' own.
const std::vector<KernelContext> kContexts{{},
                                           {"vllm", "0.24.0", "vllm_flash_attn_fa3"},
                                           {"sglang", "0.5.14", "triton"},
                                           {"trtllm", "1.3.0", "torch_flow"},
                                           {"vllm", "", "marlin_moe"},
                                           {"", "", "own_decode_fa2"},
                                           {"", "", "gemm_fp8"}};

TEST(StructuralPrice, IsTheBaseThatThePredictorLearnsRatiosTo) {
  for (const char* name : {"h100_sxm", "a100_sxm", "b200_sxm", "l40s", "rtx_5090", "mi300x"}) {
    const GpuSpec& gpu = catalog().get(name);
    for (const KernelContext& context : kContexts)
      for (const Operator& op : one_of_each()) {
        const ContextKernel kernel(context);
        const BaseConstants& constants = default_constants(family_of(op));
        OperatorFeatures row;
        compute_features(op, gpu, kernel, constants, row);
        const StructuralPrice price = structural_price(op, gpu, kernel, constants);
        EXPECT_EQ(std::log(price.seconds), row.log_base) << name << " " << name_of(family_of(op));
      }
  }
}

TEST(StructuralPrice, PartsAreNotNegativeAndNoneExceedsTheWhole) {
  for (const GpuSpec& gpu : catalog().gpus())
    for (const Operator& op : one_of_each()) {
      const StructuralPrice price = structural_price(op, gpu, {}, default_constants(family_of(op)));
      for (const double part : {price.launch, price.passes, price.compute, price.network}) {
        EXPECT_GE(part, 0) << gpu.name << " " << name_of(family_of(op));
        EXPECT_LE(part, price.seconds * (1 + 1e-6)) << gpu.name << " " << name_of(family_of(op));
      }
      EXPECT_GE(price.splits, 1);
      EXPECT_GE(price.resident, 0);
      EXPECT_LE(price.resident, 1);
    }
}

TEST(StructuralPrice, ProfilesCountTheTilesOfTheModel) {
  const GpuSpec& gpu = catalog().get("h100_sxm");
  for (const Operator& op : one_of_each()) {
    const KernelProfile shown = profile(op, gpu);
    EXPECT_EQ(shown.structural, std::max(shown.price.seconds, shown.physical_bound));
    EXPECT_EQ(shown.t_launch, shown.price.launch);
    if (shown.price.tile_rows > 0) {
      EXPECT_EQ(shown.tile_m, shown.price.tile_rows) << name_of(family_of(op));
      EXPECT_EQ(shown.tile_n, shown.price.tile_columns) << name_of(family_of(op));
    }
    if (std::holds_alternative<Gemm>(op)) {
      EXPECT_EQ(shown.splits, shown.price.splits);
    }
    EXPECT_GE(shown.padding, 1 - 1e-9) << name_of(family_of(op));
  }
}

}  // namespace
}  // namespace warploom
