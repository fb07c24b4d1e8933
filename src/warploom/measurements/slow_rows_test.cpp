#include "warploom/measurements/slow_rows.h"

#include <gtest/gtest.h>

#include "warploom/measurements/importers/import.h"
#include "warploom/measurements/measured_row_test.h"

namespace warploom {
namespace {

constexpr SlowRowLimits kLimits{.times_neighbours = 2.5};

// Products of powers of two in m and n, n / 1024 + m / 64 microseconds.
Dataset grid(const char* version, const char* gpu) {
  Dataset data;
  for (std::int64_t m = 16; m <= 256; m *= 2)
    for (std::int64_t n = 1024; n <= 16384; n *= 2) {
      Measurement row = gemm_row(m, gpu, double(n) / 1024 + double(m) / 64);
      row.version = version;
      std::get<Gemm>(row.op).n = n;
      data.add(row);
    }
  return data;
}

std::uint32_t row_at(const Dataset& data, std::int64_t m, std::int64_t n, std::string_view version = "1.0") {
  for (std::uint32_t row = 0; row < data.size(); ++row) {
    const Gemm& op = std::get<Gemm>(data.op(row));
    if (op.m == m && op.n == n && data.context(row).version == version) return row;
  }
  ADD_FAILURE() << m << ' ' << n;
  return 0;
}

void slow_down(Dataset& data, std::uint32_t row, double times) {
  data.set_latency(row, data.latency(row) * times, 1);
}

TEST(SlowRows, AreThoseOfNoOtherSize) {
  Dataset data = grid("1.0", "h100_sxm");
  EXPECT_TRUE(find_slow_rows(data, kLimits).empty());
  const std::uint32_t glitch = row_at(data, 64, 4096);
  slow_down(data, glitch, 12);
  EXPECT_EQ(find_slow_rows(data, kLimits), std::vector{glitch});
  EXPECT_TRUE(find_slow_rows(data, {}).empty());
}

// A width at which every number of rows is slow is a property of the kernel.
TEST(SlowRows, AreNotAWholeLine) {
  Dataset data = grid("1.0", "h100_sxm");
  for (std::int64_t m = 16; m <= 256; m *= 2) slow_down(data, row_at(data, m, 4096), 12);
  EXPECT_TRUE(find_slow_rows(data, kLimits).empty());
}

TEST(SlowRows, AreNotWhatAnotherVersionOrGpuShowsToo) {
  for (const auto& [version, gpu] : {std::pair{"2.0", "h100_sxm"}, std::pair{"1.0", "h200_sxm"}}) {
    Dataset data = grid("1.0", "h100_sxm");
    const std::uint32_t glitch = row_at(data, 64, 4096);
    slow_down(data, glitch, 12);
    Dataset other = grid(version, gpu);
    data.append(other);
    EXPECT_EQ(find_slow_rows(data, kLimits), std::vector{glitch}) << version << gpu;
    slow_down(other, row_at(other, 64, 4096, version), 9);
    Dataset both = grid("1.0", "h100_sxm");
    slow_down(both, glitch, 12);
    both.append(other);
    EXPECT_TRUE(find_slow_rows(both, kLimits).empty()) << version << gpu;
  }
}

// One that an audit found, beside its like: TensorRT-LLM's latent attention on H100, 64 requests of 1,023
// tokens and 4 heads in 875 us. Skipped where the measurements are not at hand.
TEST(SlowRows, HoldPausesOfPublishedTables) {
  if (shared_data().empty()) GTEST_SKIP() << "no measured data: set WARPLOOM_DATA to its folder";
  const GpuCatalog catalog;
  const std::vector paths{shared_data() / "aiconfigurator" / "mla_generation"};
  const ImportFilter hopper{.gpus = {"h100_sxm", "h200_sxm"}};
  ImportOptions options;
  const auto slowest = [&] {
    const Dataset data = import_measurements(Layout::Aiconfigurator, paths, catalog, hopper, options).dataset;
    double longest = 0;
    for (std::uint32_t row = 0; row < data.size(); ++row) {
      const auto& op = std::get<MlaDecode>(data.op(row));
      if (data.context(row).framework == "trtllm" && op.shape.heads == 4 && op.requests[0].count <= 64 &&
          op.requests[0].context_tokens <= 1023)
        longest = std::max(longest, to_microseconds(data.latency(row)));
    }
    return longest;
  };
  EXPECT_GT(slowest(), 800);
  options.slow_rows = kLimits;
  EXPECT_LT(slowest(), 100);
}

}  // namespace
}  // namespace warploom
