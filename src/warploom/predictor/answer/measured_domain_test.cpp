// What counts as inside of what was measured.
#include <gtest/gtest.h>

#include <utility>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/predictor/predictor.h"

namespace warploom {
namespace {

LatencyEstimate decode_of(const char* gpu, const char* framework, std::int64_t requests,
                          std::int64_t tokens) {
  static const Predictor predictor;
  static const GpuCatalog catalog;
  const AttentionDecode op{
      .heads = 32, .kv_heads = 8, .requests = {{.count = requests, .context_tokens = tokens}}};
  return predictor.estimate(op, catalog.get(gpu), {framework, "", ""});
}

// The tables have powers of two alone, so the last tile of keys was measured full or nearly empty.
TEST(MeasuredDomain, HoldsSizesBetweenThoseThatWereMeasured) {
  for (const auto& [gpu, framework] :
       {std::pair{"h100_sxm", "sglang"}, {"b200_sxm", "vllm"}, {"h200_sxm", "trtllm"}})
    for (const std::int64_t tokens : {700, 1000, 1500, 3333}) {
      const LatencyEstimate answer = decode_of(gpu, framework, 8, tokens);
      EXPECT_EQ(answer.tier, Tier::Measured) << gpu;
      EXPECT_FALSE(answer.extrapolated) << gpu << " " << tokens;
    }
}

TEST(MeasuredDomain, EndsWithTheLargestSize) {
  EXPECT_TRUE(decode_of("h100_sxm", "sglang", 8, 10'000'000).extrapolated);
  EXPECT_TRUE(decode_of("h100_sxm", "sglang", 100'000, 1000).extrapolated);
}

}  // namespace
}  // namespace warploom
