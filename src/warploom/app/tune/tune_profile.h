// Use case `tune profile`: measures the anchors of a reference kernel on this machine's GPU.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/tuner/tile_kernel.h"

namespace warploom {

struct TuneProfileRequest {
  TileKernel kernel;
  std::string gpu;                    // a name of the catalogue
  std::filesystem::path output;       // samples, CSV; rows already there are not measured again
  double seconds = 240;               // stop after, for both rounds together
  std::vector<std::int32_t> split_k;  // gemm: also configurations whose loop has so many parts
  bool narrow_rows = false;           // products: also rows that wide loads cannot read
  bool all_anchors = false;           // measure every anchor instead of two rounds
  std::string python = "python3";     // with torch and triton
  std::filesystem::path package;      // the folder that holds the Python package `warploom`
  static FieldTable describe();
};

struct TuneProfileResult {
  std::size_t rows = 0, configs = 0;  // planned
  bool complete = false;              // false: out of time; run again to go on
};

// Runs the Python profiler on the first round of anchors, then on the second (anchor_plan.h). Plans lie
// beside the output. Resumable: killed at any moment, the same call goes on. Throws Unsupported when Python,
// torch, triton or a GPU is missing, saying which, and for kernels that no reference kernel is of (paged
// decode, a window); IoError.
TuneProfileResult tune_profile(const TuneProfileRequest& request);

}  // namespace warploom
