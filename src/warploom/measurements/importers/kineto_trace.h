// Traces of the PyTorch profiler (Kineto), as torch.profiler writes them for chrome://tracing.
//
// Every call of an operator that launched kernels becomes a row when its recorded shapes tell an Operator
// (torch_operators.h): its time is that of its kernels, its context framework "pytorch" and the operator's
// name as kernel. Collectives of NCCL come from what the profiler notes beside their kernels. Every kernel is
// told in FileReport::kernels, rows or not.
#pragma once

#include <filesystem>

#include "warploom/measurements/internal/row_sink.h"

namespace warploom {

// JSON, plain or gzip. The GPU is the one that the trace names, or the filter's only one. Throws IoError
// (missing, cut-off gzip), InvalidInput on JSON that is cut off or no trace, a trace without GPU kernels, and
// one without shapes, saying how to record them. Memory: that of the file's text and of its operators.
void read_kineto_trace(const std::filesystem::path& path, RowSink& sink);

}  // namespace warploom
