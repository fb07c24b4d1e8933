// Use cases `tune pick` and `tune export`: what a table says of one shape, and where a table goes to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/tuner/table_options.h"
#include "warploom/tuner/tile_table.h"

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
  std::optional<double> error_bound;  // share of the time; of a table of ours
  std::optional<bool> extrapolated;   // of the published model
  TableTier tier = TableTier::Measured;
};

struct TunePickResult {
  TileShape shape;
  std::vector<TrustedPick> picks;  // the best first
};

// Throws what open_tile_table throws; InvalidInput without rows, with both kinds of them, or for rows of
// experts that the table has not.
TunePickResult tune_pick(const TunePickRequest& request);

// fused_moe JSON of the engines; results of Kernel Tuner; the table itself.
enum class ExportFormat { Vllm, Sglang, KernelTuner, Table };
template <>
struct EnumNames<ExportFormat> {
  static constexpr std::array<std::pair<ExportFormat, std::string_view>, 4> kNames{
      {{ExportFormat::Vllm, "vllm"},
       {ExportFormat::Sglang, "sglang"},
       {ExportFormat::KernelTuner, "kernel_tuner"},
       {ExportFormat::Table, "table"}}};
};

struct TuneExportRequest {
  std::filesystem::path table, output;  // output: a file, or a folder of an engine's files
  std::int64_t m = 4096, n = 0, k = 0;  // m: of kernel_tuner's shape
  ExportFormat format = ExportFormat::Vllm;
  static FieldTable describe();
};

}  // namespace warploom
