// Rows and folders for the tests of this module.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "warploom/measurements/measurement.h"

namespace warploom {

inline Measurement gemm_row(std::int64_t m, std::string gpu, double latency_us,
                            std::string framework = "vllm") {
  return {.op = Gemm{.m = m, .n = 4096, .k = 4096, .residency = Residency::Warm, .weight_copies = 6},
          .gpu = std::move(gpu),
          .framework = std::move(framework),
          .version = "1.0",
          .kernel = "linear",
          .latency = microseconds(latency_us)};
}

inline Measurement decode_row(std::int64_t batch, std::int64_t context, std::string gpu, double latency_us) {
  return {.op =
              AttentionDecode{
                  .heads = 32, .kv_heads = 8, .requests = {{.count = batch, .context_tokens = context}}},
          .gpu = std::move(gpu),
          .framework = "sglang",
          .version = "0.5",
          .kernel = "fa3",
          .latency = microseconds(latency_us)};
}

// The folder of shared measured data; empty when this machine has none.
inline std::filesystem::path shared_data() {
  if (const char* folder = std::getenv("WARPLOOM_DATA")) {
    return std::filesystem::exists(folder) ? std::filesystem::path(folder) : std::filesystem::path();
  }
  const std::filesystem::path beside = std::filesystem::path(WARPLOOM_SOURCE_DIR) / ".." / "shared" / "data";
  return std::filesystem::exists(beside) ? beside : std::filesystem::path{};
}

}  // namespace warploom
