// A look-up of n-grams in large tables, gated into the residual streams (DeepSeek-V4.1's Engram).
#pragma once

#include "warploom/kernels/operator_base.h"

namespace warploom {

struct BaseConstants;
struct GpuSpec;

// A whole block: every token looks up one row for each n-gram of 2 to `max_ngram` tokens and each of `heads`
// hash functions, `head_dim` wide; one product makes of them a value and a key for each residual stream; the
// streams' gates weigh the value into them. Tables are spread over `gpus`, so one GPU reads its share of
// the rows (the exchange is a collective of its own). Defaults are DeepSeek-V4.1-Flash's.
struct Engram {
  static constexpr std::array kNames{FamilyName{Family{27}, "engram"}};
  static const OperatorFamily kFamily;

  MatmulScheme projections = MatmulScheme::Bf16;
  DataType table = DataType::Bf16;  // elements of the tables
  std::int64_t tokens = 1;
  std::int64_t hidden = 5120;
  std::int64_t streams = 4;
  std::int64_t max_ngram = 4;
  std::int64_t heads = 8, head_dim = 256;
  std::int64_t table_rows = 384'006'168;  // of all tables together
  std::int64_t gpus = 1;
  static FieldTable describe();
};

}  // namespace warploom
