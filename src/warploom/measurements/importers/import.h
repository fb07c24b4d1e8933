// Measured data of several publishers, read into one Dataset with a report of what was left out and why.
//
// Layouts (columns and units are those of the publisher):
//   aiconfigurator  <op>/<gpu>.csv[.gz]: the folder names the table, the file the GPU
//   pipeweave       kernel, fused-MoE and collective tables, recognised by their columns
//   vidur           operators of a transformer block and collectives, recognised by their columns
//   neusight        fp32 GEMM and vector operators, recognised by their columns
//   warploom        this program's own CSV (warploom_csv.h)
//   kineto          traces of the PyTorch profiler, .json[.gz], with record_shapes=True (kineto_trace.h)
//   nsight          CSV of Nsight Systems (cuda_gpu_kern_sum, cuda_gpu_trace) and Nsight Compute (raw
//                   and details pages): kernels and their times; without shapes, so no rows come of it
//
// How the rows were measured becomes part of the operator: GEMM rows of repeated launches are Warm with the
// number of weights that the benchmark rotates through (aiconfigurator: TensorRT-LLM clip(ceil(L2 / weight),
// 1, 5); vLLM 6, but 1 for fp8_block and nvfp4; SGLang 6; every other source 1).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/repeat_noise.h"

namespace warploom {

// Empty lists mean everything. Tables that hold no wanted family are not read.
struct ImportFilter {
  std::vector<Family> families;
  std::vector<std::string> gpus;  // as GpuCatalog::get takes them
};

struct ImportOptions {
  // A row is physically impossible when latency < physical_tolerance * physical bound; 0 keeps every row.
  // Below 1 because data-sheet rates have an uncertainty (clocks above nominal boost, timer ticks).
  double physical_tolerance = 0.85;
  // Where more than this share of a group (framework, version, kernel, GPU, family) is impossible, its other
  // rows measured something else than they say too, and the whole group goes.
  double group_tolerance = 0.05;
  // Rows of equal operator, GPU and context become one: the median latency, the sum of n_samples.
  bool merge_repeats = true;
  std::size_t examples = 3;  // example lines kept for each reason
};

struct SkippedRows {
  std::string reason;
  std::size_t rows = 0;
  std::vector<std::string> examples;  // "path:line ..." of the first few
};

// A kernel of a profile, all its launches together.
struct ProfiledKernel {
  std::string name;
  std::string family;   // as the name tells it; empty: unknown
  std::string details;  // tile, stages and the like in the name
  std::size_t calls = 0;
  Seconds time{0};          // of all calls
  std::size_t as_rows = 0;  // calls that became part of a row
};

struct FileReport {
  std::filesystem::path path;
  std::string table;  // kind of table, empty when the file was not recognised
  // = kept + repeats + all skipped rows. A row that gives two measurements (dispatch and combine) counts
  // twice.
  std::size_t rows_read = 0;
  std::size_t rows_kept = 0;
  std::size_t repeats = 0;              // merged into an earlier row
  std::vector<SkippedRows> skipped;     // impossible rows included
  std::vector<ProfiledKernel> kernels;  // of a profile, longest in all first
  // Counts skipped rows; the caller may add an example to what it gives back.
  SkippedRows& skip(std::string_view reason, std::size_t rows = 1);
};

struct ImportReport {
  std::vector<FileReport> files;       // in the order read
  std::size_t files_filtered_out = 0;  // not opened, since the filter wants none of their rows
  std::vector<RepeatNoise> noise;      // of the rows merged
  std::size_t rows_read() const;
  std::size_t rows_kept() const;
  std::size_t repeats() const;
  std::vector<SkippedRows> skipped() const;  // reasons over all files, most rows first
};

// The reasons under which impossible rows, and the other rows of their group, are counted.
inline constexpr std::string_view kImpossibleReason = "faster than the physical bound";
inline constexpr std::string_view kBrokenGroupReason =
    "of a group that is often faster than the physical bound";

struct ImportResult {
  Dataset dataset;
  ImportReport report;
};

// Reads files and folders (walked in name order; files that are no table of the layout are listed as
// skipped). Throws NotFound on an unknown GPU in the filter or a `warploom` file, IoError on a missing or
// damaged file, InvalidInput on a wrong column, a size that is not positive, a number that is not finite, a
// file given by name that is not of the layout, or a folder without any table of the layout. Rows of unknown
// GPUs in other layouts are skipped with the reason. Memory: that of the Dataset. About 700,000
// rows a second on one core.
ImportResult import_measurements(Layout layout, std::span<const std::filesystem::path> paths,
                                 const GpuCatalog& catalog, const ImportFilter& filter = {},
                                 const ImportOptions& options = {});

}  // namespace warploom
