// Products and passes of fp8 with static scales against those with dynamic ones, as engines run them.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "warploom/app/predict/latency_models.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/latency_model.h"

namespace warploom {
namespace {

constexpr std::array<const char*, 3> kEnginesOfScales{"vllm", "sglang", "trtllm"};

std::shared_ptr<const LatencyModel> shipped_of_scales() {
  static const std::shared_ptr<const LatencyModel> model = open_latency_model("");
  return model;
}

// Calls `see` for every GPU with fp8 and every engine.
template <class See>
void for_each_place(See see) {
  const GpuCatalog catalog;
  for (const GpuSpec& gpu : catalog.gpus()) {
    if (gpu.tensor_rates.fp8 <= 0) continue;
    for (const char* engine : kEnginesOfScales) see(gpu, KernelContext{engine, "", ""});
  }
}

TEST(StaticScales, NoProductIsExactlyItsBound) {
  std::size_t products = 0, at_bound = 0;
  for_each_place([&](const GpuSpec& gpu, const KernelContext& context) {
    for (const std::int64_t m : {1, 4, 32, 128, 512, 2048, 4096, 16384})
      for (const auto& [n, k] : {std::pair{4096, 4096}, {1024, 7168}, {28672, 4096}, {4096, 14336}}) {
        const Gemm op{.scheme = MatmulScheme::Fp8Static, .m = m, .n = n, .k = k};
        const LatencyEstimate answer = shipped_of_scales()->estimate(op, gpu, context);
        const std::string where = gpu.name + " " + std::string(context.framework) + " " + std::to_string(m) +
                                  " x " + std::to_string(n) + " x " + std::to_string(k);
        EXPECT_GT(answer.p90, 1.01 * answer.p10) << where;
        at_bound += answer.p50 <= 1.0001 * answer.physical_bound ? 1 : 0;
        ++products;
      }
  });
  EXPECT_GT(products, 1500U);
  EXPECT_EQ(at_bound, 0U);
}

TEST(StaticScales, QuantisingIsNotDearerThanWithDynamicOnes) {
  for_each_place([&](const GpuSpec& gpu, const KernelContext& context) {
    for (const std::int64_t rows : {1, 16, 128, 1024, 4096, 16384})
      for (const std::int64_t width : {1024, 4096, 8192, 14336}) {
        const auto time = [&](bool dynamic) {
          return shipped_of_scales()->estimate(Quantize{.rows = rows, .width = width, .dynamic = dynamic},
                                               gpu, context);
        };
        EXPECT_LE(time(false).p50, 1.0001 * time(true).p50)
            << gpu.name << " " << context.framework << " " << rows << " x " << width;
      }
  });
}

// The product and, with static scales, the pass before it. TensorRT-LLM on other Blackwells than were
// measured comes nearest: its rows that are named static hold a pass too.
TEST(StaticScales, ALayerIsNotDearerThanWithDynamicOnes) {
  for_each_place([&](const GpuSpec& gpu, const KernelContext& context) {
    for (const std::int64_t m : {1, 64, 1024, 8192}) {
      const auto product = [&](MatmulScheme scheme) {
        return shipped_of_scales()
            ->estimate(Gemm{.scheme = scheme, .m = m, .n = 6144, .k = 4096}, gpu, context)
            .p50;
      };
      const Quantize pass{.rows = m, .width = 4096, .dynamic = false};
      const Seconds known =
          product(MatmulScheme::Fp8Static) + shipped_of_scales()->estimate(pass, gpu, context).p50;
      EXPECT_LE(known / product(MatmulScheme::Fp8), 1.15) << gpu.name << " " << context.framework << " " << m;
    }
  });
}

}  // namespace
}  // namespace warploom
