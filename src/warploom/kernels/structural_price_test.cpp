#include "warploom/kernels/structural_price.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_profile.h"

namespace warploom {
namespace {

// One call of each form that a family's structure has.
std::vector<Operator> calls() {
  return {Gemm{.m = 77, .n = 4096, .k = 4096},
          Gemm{.m = 128, .n = 512, .k = 65536},
          Gemm{.scheme = MatmulScheme::Fp8, .m = 4096, .n = 4096, .k = 4096},
          Gemm{.scheme = MatmulScheme::Fp8Block, .m = 300, .n = 7168, .k = 2048},
          AttentionPrefill{.heads = 32, .kv_heads = 8, .requests = {{1, 100, 0}, {2, 4000, 500}}},
          AttentionDecode{.heads = 32, .kv_heads = 8, .requests = {{8, 1, 1000}, {1, 1, 60000}}},
          MlaPrefill{.requests = {{2, 2048, 0}}},
          MlaDecode{.requests = {{16, 1, 4096}}},
          MlaModule{.requests = {{2, 1024, 0}}},
          MlaModule{.decode = true, .requests = {{16, 1, 4096}}},
          FusedMoe{.tokens = 300, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8},
          FusedMoe{.tokens = 8000, .hidden = 4096, .intermediate = 1536, .experts = 64, .top_k = 4},
          RmsNorm{.tokens = 512, .width = 4096},
          Activation{.tokens = 300, .width = 14336},
          Quantize{.rows = 512, .width = 4096, .dynamic = true},
          Sampling{.sequences = 16, .vocabulary = 32000},
          LinearAttention{.sequences = 2, .tokens_per_sequence = 1000},
          Collective{.kind = CollectiveKind::AllReduce, .size = Bytes(1e7), .ranks = 8}};
}

TEST(StructuralPrice, PartsSumToTheTimeAndAreNoMoreThanShares) {
  const GpuCatalog catalog;
  for (const char* name : {"h100_sxm", "a100_sxm", "l40s", "b200_sxm"})
    for (const char* kernel : {"", "gemm_fp8", "moe_marlin", "own_prefill_fa2", "own_decode_fa2"})
      for (const Operator& op : calls()) {
        const StructuralPrice price = profile(op, catalog.get(name), {"", "", kernel}).price;
        // Products take their exponent in single precision.
        EXPECT_NEAR(price.sum_of_parts() / price.seconds, 1, 2e-6)
            << name_of(family_of(op)) << " on " << name << " by '" << kernel << "'";
        EXPECT_GE(price.balance, 1);
        EXPECT_GE(price.again, 0);
        EXPECT_LT(price.again, 1);
      }
}

TEST(StructuralPrice, LastWaveOfOneTaskMoreUnbalancesAProduct) {
  const GpuCatalog catalog;
  const GpuSpec& gpu = catalog.get("h100_sxm");
  // One wave of 128 x 256 tiles over 132 SMs, and one tile more.
  const StructuralPrice full = profile(Gemm{.m = 128 * 33, .n = 1024, .k = 8192}, gpu).price;
  const StructuralPrice over = profile(Gemm{.m = 128 * 34, .n = 1024, .k = 8192}, gpu).price;
  EXPECT_GT(over.balance, full.balance);
}

}  // namespace
}  // namespace warploom
