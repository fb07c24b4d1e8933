#include "warploom/kernels/roofline.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/precision_support.h"

namespace warploom {
namespace {

const GpuCatalog& catalog() {
  static const GpuCatalog gpus;
  return gpus;
}
const GpuSpec& h100() { return catalog().get("h100_sxm"); }

std::vector<Operator> one_of_each() {
  const std::vector<RequestGroup> prompts{{2, 700, 0}, {1, 33, 4000}};
  const std::vector<RequestGroup> tokens{{5, 1, 900}, {1, 1, 12000}};
  return {Gemm{.m = 100, .n = 4096, .k = 4096},
          Gemm{.scheme = MatmulScheme::Int4WeightOnly, .m = 8, .n = 4096, .k = 4096},
          AttentionPrefill{.heads = 32, .kv_heads = 8, .requests = prompts},
          AttentionPrefill{.heads = 64, .kv_heads = 8, .head_dim = 64, .window = 128, .requests = prompts},
          AttentionDecode{.heads = 32, .kv_heads = 8, .requests = tokens},
          MlaPrefill{.requests = prompts},
          MlaDecode{.requests = tokens},
          MlaModule{.requests = prompts},
          MlaModule{.decode = true, .q_lora_rank = 0, .requests = tokens},
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
          LinearAttention{.stage = LinearAttentionStage::StateUpdate, .sequences = 16},
          LinearAttention{.stage = LinearAttentionStage::Convolution, .sequences = 16},
          Collective{.size = Bytes(3e6), .ranks = 8},
          Collective{.kind = CollectiveKind::Dispatch, .size = Bytes(3e6), .ranks = 16, .ranks_per_node = 8}};
}

TEST(Roofline, EstimatesEveryFamilyOnEveryGpuThatCanRunIt) {
  const RooflineModel model;
  for (const GpuSpec& gpu : catalog().gpus()) {
    for (const Operator& op : one_of_each()) {
      if (!gpu.supports_bf16 && family_of(op) <= Family::Moe) continue;
      const LatencyEstimate estimate = model.estimate(op, gpu);
      EXPECT_GT(estimate.p50.value(), 0) << gpu.name << name_of(family_of(op));
      EXPECT_TRUE(std::isfinite(estimate.p90.value())) << gpu.name << name_of(family_of(op));
      EXPECT_LE(estimate.p10, estimate.p50);
      EXPECT_LE(estimate.p50, estimate.p90);
      EXPECT_LE(estimate.physical_bound.value(), estimate.p10.value() * (1 + 1e-12));
      EXPECT_EQ(estimate.tier, Tier::Roofline);
    }
  }
}

TEST(Roofline, StructuralTimeIsNeverBelowThePhysicalBound) {
  for (const Operator& op : one_of_each()) {
    const KernelProfile described = profile(op, h100());
    EXPECT_GE(described.structural, described.physical_bound) << name_of(described.family);
    EXPECT_GE(described.balance, 1 - 1e-9) << name_of(described.family);
    EXPECT_GE(described.padding, 1 - 1e-9) << name_of(described.family);
    EXPECT_LE(described.wave_fill, 1 + 1e-9) << name_of(described.family);
  }
}

TEST(PhysicalBound, OfALargeProductIsItsFlopAtTheHighestClock) {
  const PhysicalBound bound = physical_bound(Gemm{.m = 8192, .n = 8192, .k = 8192}, h100());
  const double rate = 4096.0 * 132 * h100().max_clock.value();
  EXPECT_EQ(bound.bound, Bound::Tensor);
  EXPECT_NEAR(bound.time.value(), 2.0 * 8192 * 8192 * 8192 / rate, 1e-12);
}

TEST(PhysicalBound, ColdWeightsComeFromDramAndWarmOnesMayNot) {
  const Gemm cold{.m = 1, .n = 4096, .k = 4096};
  Gemm warm = cold;
  warm.residency = Residency::Warm;
  EXPECT_EQ(physical_bound(cold, h100()).bound, Bound::Dram);
  EXPECT_NEAR(physical_bound(cold, h100()).time.value(), 4096.0 * 4096 * 2 / h100().memory_bandwidth.value(),
              1e-12);
  EXPECT_EQ(physical_bound(warm, h100()).bound, Bound::Launch);
  warm.weight_copies = 6;  // 200 MB in rotation: a sixth of L2 is all that can stay of each
  EXPECT_GT(physical_bound(warm, h100()).time.value(), 5e-6);
  EXPECT_LT(physical_bound(warm, h100()).time, physical_bound(cold, h100()).time);
}

TEST(PhysicalBound, OfDecodeIsTheCacheBeyondL2) {
  const AttentionDecode op{.heads = 32, .kv_heads = 8, .requests = {{64, 1, 8191}}};
  const double cache = 64.0 * 8192 * 8 * 128 * 2 * 2;
  const PhysicalBound bound = physical_bound(op, h100());
  EXPECT_EQ(bound.bound, Bound::Dram);
  EXPECT_NEAR(bound.time.value(), (cache - h100().l2_capacity.value()) / h100().memory_bandwidth.value(),
              1e-6);
}

RC_GTEST_PROP(Roofline, GrowsWithEveryDimensionOfAProduct, ()) {
  Gemm op{.m = *rc::gen::inRange<std::int64_t>(1, 4000),
          .n = *rc::gen::inRange<std::int64_t>(64, 8000),
          .k = *rc::gen::inRange<std::int64_t>(64, 8000)};
  const PhysicalBound bound = physical_bound(op, h100());
  const double structural = profile(op, h100()).structural;
  Gemm larger = op;
  larger.m *= 2;
  RC_ASSERT(physical_bound(larger, h100()).time >= bound.time);
  RC_ASSERT(profile(larger, h100()).structural >= structural * (1 - 1e-9));
  larger = op;
  larger.k *= 2;
  RC_ASSERT(physical_bound(larger, h100()).time >= bound.time);
  RC_ASSERT(profile(larger, h100()).structural >= structural * (1 - 1e-9));
}

RC_GTEST_PROP(Roofline, LongerContextsNeverLowerTheBound, ()) {
  const auto context = *rc::gen::inRange<std::int64_t>(0, 100000);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto at = [&](std::int64_t tokens) {
    return physical_bound(AttentionDecode{.heads = 32, .kv_heads = 8, .requests = {{count, 1, tokens}}},
                          h100());
  };
  RC_ASSERT(at(2 * context + 1).time >= at(context).time);
}

TEST(PrecisionSupport, RefusesWhatTheGpuCannotMultiplyAndNamesTheRest) {
  const GpuSpec& v100 = catalog().get("v100_sxm");
  try {
    matrix_unit(MatmulScheme::Bf16, v100);
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("fp16"), std::string::npos);
  }
  EXPECT_THROW(matrix_unit(MatmulScheme::Fp8, v100), Unsupported);
  EXPECT_THROW(attention_unit(DataType::Fp8, catalog().get("a100_sxm")), Unsupported);
  EXPECT_THROW(RooflineModel().estimate(Gemm{.scheme = MatmulScheme::MxFp4A8}, catalog().get("a100_sxm")),
               Unsupported);
}

TEST(PrecisionSupport, NarrowWeightsRunOnAmpereAsWeightOnly) {
  const GpuSpec& a100 = catalog().get("a100_sxm");
  EXPECT_TRUE(matrix_unit(MatmulScheme::Fp8, a100).weight_only);
  // Its data sheet: 18.7 TFLOP/s in fp16, 9.3 in fp32.
  const GpuSpec& p100 = catalog().get("p100");
  EXPECT_EQ(matrix_unit(MatmulScheme::Fp16, p100).flop_per_clock_per_sm,
            2 * matrix_unit(MatmulScheme::Fp32, p100).flop_per_clock_per_sm);
  const GpuSpec& p4 = catalog().get("p4");
  EXPECT_EQ(matrix_unit(MatmulScheme::Fp16, p4).flop_per_clock_per_sm,
            matrix_unit(MatmulScheme::Fp32, p4).flop_per_clock_per_sm);
  EXPECT_EQ(matrix_unit(MatmulScheme::Fp8, a100).flop_per_clock_per_sm, a100.tensor_rates.fp16);
  EXPECT_FALSE(matrix_unit(MatmulScheme::Fp8, h100()).weight_only);
  EXPECT_FALSE(matrix_unit(MatmulScheme::Fp32, h100()).tensor);
  EXPECT_TRUE(matrix_unit(MatmulScheme::Int4WeightOnly, catalog().get("t4")).weight_only);
}

// With so many times the clocks and rates.
GpuSpec sped_up(GpuSpec gpu, double times) {
  for (Hertz* clock : {&gpu.boost_clock, &gpu.base_clock, &gpu.max_clock}) *clock = times * *clock;
  for (BytesPerSecond* rate :
       {&gpu.memory_bandwidth, &gpu.l2_bandwidth, &gpu.link_bandwidth, &gpu.pcie_bandwidth})
    *rate = times * *rate;
  return gpu;
}

// Twice the clocks and rates is half the time, to the last bit, but for the shortest kernel: no term of a
// bound hides a constant, or forgets a rate.
TEST(PhysicalBound, HalvesWhereEveryClockAndRateDoubles) {
  for (const char* name : {"h100_sxm", "mi300x", "rtx_4090", "t4"}) {
    const GpuSpec& gpu = catalog().get(name);
    const GpuSpec twice = sped_up(gpu, 2);
    int halved = 0;
    for (const Operator& op : one_of_each()) {
      PhysicalBound before, after;
      try {
        before = physical_bound(op, gpu);
        after = physical_bound(op, twice);
      } catch (const Unsupported&) {
        continue;  // types that this GPU does not have
      }
      if (after.bound == Bound::Launch) continue;
      EXPECT_EQ(after.time.value(), before.time.value() / 2) << name << ": " << name_of(family_of(op));
      EXPECT_EQ(after.bound, before.bound);
      ++halved;
    }
    EXPECT_GE(halved, 5) << name;
  }
}

// All of a time halves but its constants: launches, and what no rate shortens. Tiles may be chosen anew.
TEST(Roofline, HalvesButForItsLaunchesWhereEveryClockAndRateDoubles) {
  const RooflineModel model;
  for (const char* name : {"h100_sxm", "mi300x", "rtx_4090", "t4"}) {
    int halved = 0;
    for (const Operator& op : one_of_each()) {
      if (family_of(op) == Family::MoeDispatch) continue;  // its network is the node's, not the GPU's
      double us[3] = {}, structural[3] = {};
      try {
        for (int i = 0; i < 3; ++i) {
          const GpuSpec gpu = sped_up(catalog().get(name), 1 << i);
          us[i] = to_microseconds(model.estimate(op, gpu).p50);
          structural[i] = profile(op, gpu).structural;
        }
      } catch (const Unsupported&) {
        continue;  // types that this GPU does not have
      }
      const std::string where = std::string(name) + ": " + std::string(name_of(family_of(op)));
      constexpr double kMostConstantUs = 40;  // of a module of many kernels
      for (int i = 0; i < 2; ++i) {
        const double constant = 2 * us[i + 1] - us[i];
        EXPECT_GE(constant, 0) << where;
        EXPECT_LE(constant, std::min(kMostConstantUs, us[i + 1])) << where;
        EXPECT_LT(structural[i + 1], structural[i]) << where;
        EXPECT_GE(structural[i + 1], structural[i] / 2 * (1 - 1e-12)) << where;
      }
      ++halved;
    }
    EXPECT_GE(halved, 5) << name;
  }
}

}  // namespace
}  // namespace warploom
