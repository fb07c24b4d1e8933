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

#include <filesystem>
#include <span>

#include "warploom/hardware/gpu_catalog.h"
#include "warploom/measurements/dataset.h"
#include "warploom/measurements/import_options.h"
#include "warploom/measurements/import_report.h"

namespace warploom {

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
