#include "warploom/app/predict/predict_operator.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "warploom/app/predict/latency_models.h"
#include "warploom/base/error.h"
#include "warploom/kernels/kernel_profile.h"
#include "warploom/kernels/operator_family.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

// One operator of each family, and some of sizes that leave tiles and waves part filled.
std::vector<Operator> one_of_each_family() {
  std::vector<Operator> operators{
      Gemm{.m = 4000, .n = 6144, .k = 4096},
      Gemm{.scheme = MatmulScheme::Fp8Block, .m = 77, .n = 6144, .k = 4096},
      AttentionPrefill{.heads = 32, .kv_heads = 8, .head_dim = 128, .requests = {{3, 1000, 100}}},
      AttentionDecode{.heads = 32, .kv_heads = 8, .head_dim = 128, .requests = {{64, 1, 16}, {64, 1, 8000}}},
      MlaPrefill{.shape = {.heads = 16}, .requests = {{2, 900}}},
      MlaDecode{.shape = {.heads = 16}, .requests = {{32, 1, 3000}}},
      FusedMoe{.tokens = 100, .hidden = 2048, .intermediate = 768, .experts = 128, .top_k = 8},
      Activation{.tokens = 16, .width = 14336},
  };
  for (const auto& [family, name] : EnumNames<Family>::kNames)
    operators.push_back(family_value(family).example(family));
  return operators;
}

// What each pipeline does in a second by the data sheet; 0 where one rate does not say it.
double rate_of(Bound pipeline, const GpuSpec& gpu) {
  const double cycles = double(gpu.sm_count) * gpu.boost_clock.value();
  if (pipeline == Bound::Fma) return 2.0 * gpu.fma_lanes * cycles;
  if (pipeline == Bound::SpecialFunction) return gpu.special_function_lanes * cycles;
  if (pipeline == Bound::Shared) return gpu.shared_bytes_per_clock * cycles;
  if (pipeline == Bound::L2) return gpu.l2_bandwidth.value();
  if (pipeline == Bound::Dram) return gpu.memory_bandwidth.value();
  return 0;
}

// Seconds of the matrix units: each kernel of the call at the rate of its own unit.
double tensor_time(const KernelSequence& kernels, const GpuSpec& gpu) {
  double seconds = 0;
  for (std::size_t i = 0; i < kernels.size; ++i)
    if (const double flop = kernels.kernels[i].demand().tensor_flop; flop > 0)
      seconds += flop / (kernels.kernels[i].tensor_rate * double(gpu.sm_count) * gpu.boost_clock.value());
  return seconds;
}

TEST(PredictOperator, DemandOverRateIsTheTimeAloneForEveryFamily) {
  const std::shared_ptr<const LatencyModel> model = open_latency_model("");
  std::set<Family> families;
  std::map<Bound, int> pipelines;
  for (const char* name : {"h100_sxm", "a100_sxm", "b200_sxm", "l40s"}) {
    for (const Operator& op : one_of_each_family()) {
      PredictResult said;
      try {
        said = predict_operator({.op = op, .gpu = name}, *model);
      } catch (const Unsupported&) {
        continue;  // no units for the type
      }
      SCOPED_TRACE(std::string(name) + " " + std::string(name_of(family_of(op))));
      families.insert(family_of(op));
      const KernelSequence kernels =
          kernel_sequence(op, said.gpu, {said.framework, said.version, said.kernel},
                          {.constants = predictor_of(*model)->constants(family_of(op), said.gpu)});
      for (const PipelineShare& share : said.pipelines) {
        ++pipelines[share.pipeline];
        const double rate = rate_of(share.pipeline, said.gpu);
        if (rate > 0) {
          EXPECT_NEAR(share.demand / rate / share.time.value(), 1, 1e-9) << name_of(share.pipeline);
        }
        if (share.pipeline == Bound::Tensor) {
          EXPECT_NEAR(tensor_time(kernels, said.gpu) / share.time.value(), 1, 1e-9);
          EXPECT_NEAR(kernels.demand().tensor_flop / share.demand, 1, 1e-9);
        }
        EXPECT_NEAR(share.share, share.time / said.estimate.p50, 1e-12);
      }
    }
  }
  EXPECT_EQ(families.size(), EnumNames<Family>::kNames.size());
  EXPECT_EQ(pipelines.size(), EnumNames<Bound>::kNames.size());
}

TEST(PredictOperator, ShowsWhatTilesReadAgain) {
  const PredictResult said =
      predict_operator({.op = Gemm{.m = 4096, .n = 6144, .k = 4096}, .gpu = "h100_sxm"});
  std::map<Bound, double> demand;
  for (const PipelineShare& share : said.pipelines) demand[share.pipeline] = share.demand;
  // Every operand once, from memory; every tile of them once for each tile of the result, from L2.
  EXPECT_NEAR(demand[Bound::Dram], 2.0 * (4096.0 * 4096 + 4096.0 * 6144 + 4096.0 * 6144), 1);
  EXPECT_GT(demand[Bound::L2], 3 * demand[Bound::Dram]);
  EXPECT_GT(demand[Bound::Shared], 3 * demand[Bound::Dram]);
}

}  // namespace
}  // namespace warploom
