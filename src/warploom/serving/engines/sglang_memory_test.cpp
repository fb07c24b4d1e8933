#include "warploom/serving/engines/sglang_memory.h"

#include <gtest/gtest.h>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

double mib_of(const GpuSpec& gpu) { return to_gibibytes(gpu.memory_capacity) * 1024; }

// MiB that a version keeps for itself.
double kept(const GpuSpec& gpu, std::string_view version, ServingConfig config = {}) {
  config.engine = "sglang";
  resolve_defaults(config, gpu, version);
  return mib_of(gpu) * (1 - *config.gpu_memory_utilization);
}

// By hand from the sources: 512 + 8,192 x 1.5 + 256 x 2 + 1,024 / 8 = 13,440; 58 sizes of prompts are
// captured since 0.5.10, at 8 MiB each.
TEST(SglangMemory, KeepsWhatTheVersionKeepsOnAnH100) {
  const GpuCatalog catalog;
  const GpuSpec& h100 = catalog.get("h100_sxm");
  EXPECT_NEAR(kept(h100, "0.5.9"), 13440, 0.01);
  EXPECT_NEAR(kept(h100, "0.5.23"), 13440 + 58 * 8, 0.01);
  EXPECT_NEAR(kept(h100, "0.5.23", {.tensor_parallel_size = 4}), 13440 + 512 + 384 + 58 * 8, 0.01);
}

TEST(SglangMemory, KeepsTenGibibytesOfALargeGpuAtLeast) {
  const GpuCatalog catalog;
  EXPECT_NEAR(kept(catalog.get("h100_sxm"), "0.5.23", {.chunked_prefill_size = 2048}), 10240, 0.01);
  EXPECT_NEAR(kept(catalog.get("rtx_5090"), "0.5.9"), 512 + 2048 * 1.5 + 24 * 2 + 128, 0.01);
}

TEST(SglangMemory, KeepsRoomForDraftsUntil0514AndForDeepEpSince0515) {
  const GpuCatalog catalog;
  const GpuSpec& h100 = catalog.get("h100_sxm");
  const ServingConfig eagle{.speculative_algorithm = "EAGLE"}, ngram{.speculative_algorithm = "NGRAM"};
  EXPECT_NEAR(kept(h100, "0.5.9", eagle) - kept(h100, "0.5.9"), 2048, 0.01);
  EXPECT_NEAR(kept(h100, "0.5.12", eagle) - kept(h100, "0.5.12", ngram), 4096, 0.01);
  EXPECT_NEAR(kept(h100, "0.5.14", eagle), kept(h100, "0.5.14"), 0.01);
  EXPECT_NEAR(kept(h100, "0.5.20", {.moe_a2a_backend = "deepep"}) - kept(h100, "0.5.20"), 2048, 0.01);
}

// Ranks of attention pad: 4.5 MiB a request of a graph of more than 300, 3 otherwise.
TEST(SglangMemory, KeepsMoreForRanksOfAttention) {
  const GpuCatalog catalog;
  const GpuSpec& h100 = catalog.get("h100_sxm");
  EXPECT_NEAR(
      kept(h100, "0.5.9", {.data_parallel_size = 2, .enable_dp_attention = true}) - kept(h100, "0.5.9"),
      256 * 2 * 3, 0.01);
}

}  // namespace
}  // namespace warploom
