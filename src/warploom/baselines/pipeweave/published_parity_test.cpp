// The published feature vectors themselves, where this machine has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "warploom/base/csv.h"
#include "warploom/baselines/pipeweave/published_features.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::published {
namespace {

std::filesystem::path vectors(const std::string& file) {
  const char* folder = std::getenv("WARPLOOM_DATA");
  const std::filesystem::path data = folder != nullptr
                                         ? std::filesystem::path(folder)
                                         : std::filesystem::path(WARPLOOM_SOURCE_DIR) / "../shared/data";
  return data / "pipeweave_kernels" / "feature_vectors" / file;
}

class PublishedVectors : public ::testing::Test {
 protected:
  // Rows whose check the visitor made; 0 without data.
  template <class Visit>
  void each_row(const std::string& file, std::size_t rows, Visit visit) {
    const std::filesystem::path path = vectors(file);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no published vectors: set WARPLOOM_DATA";
    CsvReader reader(path);
    std::size_t count = 0;
    while (reader.next()) {
      visit(reader);
      ++count;
    }
    EXPECT_EQ(count, rows);
  }

  static double real(const CsvReader& row, const std::string& name) { return row.real(row.column(name)); }
  static std::int64_t integer(const CsvReader& row, const std::string& name) {
    return std::int64_t(real(row, name));
  }

  static Hardware hardware(const CsvReader& row) {
    const std::string name(row.cell(row.column("hardware")));
    const bool ampere = name.find("A100") != std::string::npos;
    const bool hopper = name.find(" H") != std::string::npos;
    return {.sms = real(row, "num_sms"),
            .clock_mhz = real(row, "sm_freq"),
            .dram_gb_per_s = real(row, "mem_bandwidth"),
            .l2_gb_per_s = real(row, "l2_cache_bandwidth"),
            .tensor_half = real(row, "tc_bf16"),
            .fma_lanes = real(row, "fma_fp32"),
            .special_lanes = real(row, "xu_fp32"),
            .shared_bytes_per_clock = real(row, "shared_memory_bandwidth"),
            .shared_kib = hopper   ? 228.0
                          : ampere ? 164.0
                                   : 100.0,
            .hopper = hopper};
  }

  static std::vector<Request> requests(const CsvReader& row) {
    const auto list = [&](const char* name) {
      std::vector<std::int64_t> numbers;
      const std::string text(row.cell(row.column(name)));
      for (std::size_t at = 0; at < text.size();) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        if (error == std::errc()) numbers.push_back(value);
        at = error == std::errc() ? std::size_t(end - text.data()) : at + 1;
      }
      return numbers;
    };
    const auto queries = list("q_lengths"), keys = list("kv_lengths");
    std::vector<Request> result;
    for (std::size_t i = 0; i < queries.size(); ++i) result.push_back({queries[i], keys[i]});
    return result;
  }

  static void check(const CsvReader& row, const std::string& name, double computed) {
    const double published = real(row, name);
    EXPECT_LE(std::abs(computed - published), 1e-9 * std::abs(published))
        << row.where(row.column(name))
        << fmt::format("published {:.17g}, computed {:.17g}", published, computed);
  }
  static void check_pipe(const CsvReader& row, const std::string& name, const Pipe& pipe,
                         bool busiest = true) {
    check(row, name + "_all_ops", pipe.total_ops);
    check(row, name + "_all_cycle", pipe.total_cycles);
    if (!busiest) return;
    check(row, name + "_sm_max_ops", pipe.busiest_ops);
    check(row, name + "_sm_max_cycle", pipe.busiest_cycles);
  }
  static void check_memory(const CsvReader& row, const Memory& memory, bool busiest = true) {
    check(row, "global_in_flight", memory.total_kib);
    check(row, "global_cycle", memory.dram_cycles);
    check(row, "local_cycle", memory.l2_cycles);
    if (!busiest) return;
    check(row, "sm_max_in_flight", memory.busiest_kib);
    check(row, "sm_max_global_cycle", memory.busiest_dram_cycles);
    check(row, "sm_max_shared_cycle", memory.busiest_shared_cycles);
    check(row, "sm_max_local_cycle", memory.busiest_l2_cycles);
  }
};

TEST_F(PublishedVectors, OfProductsAreReproduced) {
  each_row("gemm.csv", 100, [](const CsvReader& row) {
    const GemmLaunch launch{.tile_m = integer(row, "tile_M"),
                            .tile_n = integer(row, "tile_N"),
                            .tile_k = integer(row, "tile_K"),
                            .blocks = integer(row, "cta_count"),
                            .split_k = integer(row, "is_split_k") != 0};
    const Features computed =
        gemm(integer(row, "M"), integer(row, "N"), integer(row, "K"), launch, hardware(row));
    check_pipe(row, "tensor", *computed.tensor);
    check_memory(row, computed.memory);
  });
}

TEST_F(PublishedVectors, OfFp8ProductsAreReproduced) {
  each_row("gemm_fp8.csv", 211, [](const CsvReader& row) {
    const bool h20 = row.cell(row.column("hardware")) == "NVIDIA H20";
    const Hardware gpu = h20 ? Hardware{.sms = 78,
                                        .clock_mhz = 1830,
                                        .dram_gb_per_s = 4022.784,
                                        .l2_gb_per_s = 8815,
                                        .tensor_fp8 = 2048}
                             : Hardware{.sms = 132,
                                        .clock_mhz = 1830,
                                        .dram_gb_per_s = 3352.32,
                                        .l2_gb_per_s = 8820,
                                        .tensor_fp8 = 8192};
    const Features computed = gemm_fp8(integer(row, "M"), integer(row, "N"), integer(row, "K"), gpu);
    check_pipe(row, "tensor", *computed.tensor);
    check_memory(row, computed.memory);
    const double efficiency = computed.theory_cycles() / (real(row, "avg_duration") * gpu.clock_mhz);
    check(row, "overall_perf", efficiency);
  });
}

TEST_F(PublishedVectors, OfAttentionAreReproduced) {
  std::size_t third = 0;
  each_row("attention.csv", 100, [&third](const CsvReader& row) {
    const std::string kind(row.cell(row.column("attention_type")));
    const bool fa3 = kind.starts_with("fa3"), paged = kind.ends_with("paged");
    const std::int64_t heads = integer(row, "nh"), head_dim = integer(row, "hd");
    const Features computed =
        fa3 ? attention_fa3(requests(row), heads, head_dim, paged, hardware(row))
            : attention_fa2(requests(row), heads, integer(row, "nkv"), head_dim, paged, hardware(row));
    // The published busiest SM of FlashAttention-2 is that of a scheduler that retires each block at once.
    check_pipe(row, "tensor", *computed.tensor, fa3);
    check_pipe(row, "xu", *computed.special, fa3);
    check_memory(row, computed.memory, fa3);
    third += fa3 ? 1 : 0;
  });
}

TEST_F(PublishedVectors, OfRowWiseKernelsAreReproduced) {
  const auto check_row = [](const CsvReader& row, const Features& computed) {
    check_pipe(row, "fma", *computed.fma);
    check_pipe(row, "xu", *computed.special);
    check_memory(row, computed.memory);
    check(row, "overall_perf",
          computed.theory_cycles() / (real(row, "avg_duration") * hardware(row).clock_mhz));
  };
  each_row("rmsnorm.csv", 100, [&](const CsvReader& row) {
    check_row(row, rmsnorm(integer(row, "seq"), integer(row, "dim"), hardware(row)));
  });
  each_row("silu_and_mul.csv", 100, [&](const CsvReader& row) {
    check_row(row, silu_and_mul(integer(row, "seq"), integer(row, "dim"), hardware(row)));
  });
}

TEST_F(PublishedVectors, OfExpertsFollowTheTilesAndEfficienciesOfEachRow) {
  const std::filesystem::path path =
      vectors("x").parent_path().parent_path().parent_path() / "pipeweave_moe" / "moe_w13_default.csv.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no published rows: set WARPLOOM_DATA";
  const GpuCatalog catalog;
  CsvReader row(path);
  std::size_t count = 0, checked = 0;
  while (row.next()) {
    if (count++ % 7 != 0) continue;
    ++checked;
    const GpuSpec& gpu = catalog.get(row.cell(row.column("hardware")));
    const std::int64_t tokens = integer(row, "M"), experts = integer(row, "E"), hidden = integer(row, "H");
    const MoeTile tile = moe_tile(tokens, experts, hidden, Hardware::of(gpu));
    ASSERT_EQ(tile.rows, integer(row, "cfg_BM")) << row.line();
    ASSERT_EQ(tile.columns, integer(row, "cfg_BN")) << row.line();
    ASSERT_EQ(tile.depth, integer(row, "cfg_BK")) << row.line();
    const std::int64_t wide = 2 * integer(row, "N");
    const Features computed = moe_pass({.tokens = tokens,
                                        .experts = experts,
                                        .top_k = integer(row, "topk"),
                                        .hidden = hidden,
                                        .width = wide,
                                        .depth = hidden},
                                       Hardware::of(gpu));
    ASSERT_EQ(computed.tensor->total_ops, 2.0 * real(row, "padded_tokens") * double(wide) * double(hidden))
        << row.line();
  }
  EXPECT_EQ(count, 33264U);
  EXPECT_GT(checked, 4000U);
}

}  // namespace
}  // namespace warploom::published
