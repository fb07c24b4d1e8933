// Use cases `tune pick` and `tune export`: what a table says of one shape, and where a table goes to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/fused_moe/moe_layer.h"
#include "warploom/tuner/runtime_table.h"
#include "warploom/tuner/table_options.h"

namespace warploom {

struct TunePickRequest {
  std::filesystem::path table;
  std::optional<std::int64_t> m;          // rows (pairs, queries, sequences); or
  std::vector<std::int64_t> expert_rows;  // of a grouped_gemm: the rows of each expert
  std::int64_t n = 0, k = 0;
  std::int64_t best = 1;  // so many of all configurations
  static FieldTable describe();
};

// A pick, and how far its time is to be trusted.
struct TrustedPick {
  TilePick pick;
  double error_bound = 0;  // share of the time
  TableTier tier = TableTier::Measured;
};

struct TunePickResult {
  TileShape shape;
  std::vector<TrustedPick> picks;  // the best first
};

// Throws what RuntimeTable::open throws; InvalidInput without rows, with both kinds of them, or for rows of
// experts that the table has not.
TunePickResult tune_pick(const TunePickRequest& request);

// What tables are exported to beside the engines' fused_moe JSON.
inline constexpr std::string_view kKernelTunerFormat = "kernel_tuner", kTableFormat = "table";

struct TuneExportRequest {
  std::filesystem::path table, output;       // output: a file, or a folder of an engine's files
  std::int64_t m = 4096, n = 0, k = 0;       // m: of kernel_tuner's shape
  std::string format{name_of(MoeEngine())};  // of an engine (MoeEngine), or one of the two above
  static FieldTable describe();
};

}  // namespace warploom
