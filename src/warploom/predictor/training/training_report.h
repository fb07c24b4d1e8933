// The errors that a training of the predictor reports.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "warploom/kernels/operator.h"

namespace warploom {

struct ErrorFigures {
  std::size_t rows = 0;
  double mean = 0, median = 0, p90 = 0;  // |predicted - measured| / measured
  double coverage = 0;                   // share of rows inside p10..p90
};

struct FamilyTraining {
  Family family = Family::Gemm;
  std::size_t rows_learned = 0;
  ErrorFigures held_out;  // shapes never seen, GPUs seen
  std::map<std::string, ErrorFigures> held_out_by_gpu;
  std::map<std::string, ErrorFigures> left_out;  // each GPU predicted without any of its rows (a small model)
  double seconds = 0;
};

}  // namespace warploom
