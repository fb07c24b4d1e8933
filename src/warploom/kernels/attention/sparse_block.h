// What whole blocks of sparse attention share: their price as the sum of its parts.
//
//   seconds = launch + projections + scores + choice + (compute^3 + memory^3)^(1/3)
//   scores   every query times the index keys of every entry that it sees, in fp8
//   choice   one thread block a query reads its row of scores; a long row is bound by what one can read
//   compute  tasks in waves over the SMs, each over a query's slots 64 at a time; few tasks split them
//   memory   cached entries that are attended to: each distinct one from DRAM, the rest from L2
#pragma once

#include <cstdint>
#include <span>

#include "warploom/kernels/bound_limit.h"
#include "warploom/kernels/constant_spec.h"
#include "warploom/kernels/operator.h"
#include "warploom/kernels/profile_builder.h"
#include "warploom/kernels/structural_price.h"

namespace warploom {

// Sums over the requests of a block. Counts are of one head; bytes are of all.
struct SparseBlockSums {
  double requests = 0, queries = 0;
  double keys = 0;        // tokens of all requests
  double seen = 0;        // (query, token) pairs
  double scored = 0;      // (query, entry) pairs that the indexer scores; 0 without an indexer
  double index_keys = 0;  // entries of which index keys are read
  double chosen = 0;      // (query, entry) pairs that are attended to
  double slots = 0;       // the same with what kernels pad a query's entries to
  double longest_keys = 0, longest_row = 0, longest_slots = 0;  // tokens, scores and slots of one query
  double unique_bytes = 0, gathered_bytes = 0;                  // of entries attended to
};

// A block in the terms of its price.
struct SparseBlock {
  std::span<const Gemm> products;  // around the attention, the indexer's too
  SparseBlockSums sums;
  DataType compute = DataType::Bf16;
  bool indexer = true;
  DataType index_type = DataType::Fp8;
  double index_width = 0;      // heads x elements of a key of the indexer
  double index_key_bytes = 0;  // of one cached index key, with its scale
  double scores_of_pair = 1;   // that are written for a scored pair
  double pair_flop = 0;        // of one chosen pair, all heads
  double tiles_of_query = 1;   // tasks of one query before they split
  double padding = 1;          // rows that the tiles have for every row that is used
};

// Seconds, FLOP and bytes.
struct SparseBlockParts {
  double seconds = 0, launch = 0;
  double projections = 0, scores = 0, choice = 0, compute = 0, memory = 0;
  double product_flop = 0, product_bytes = 0;
  double score_flop = 0, score_bytes = 0;
  double flop = 0;  // of the attention
  double tasks = 0, iterations = 0;
  SparseBlockSums sums;
};

inline constexpr double kSparseTile = 64;      // heads of a task, entries of an iteration, in public kernels
inline constexpr double kScoreBytes = 4;       // of a score, fp32
inline constexpr double kIndexScaleBytes = 4;  // of the scale of an fp8 index key
inline constexpr double kSparseLaunches = 12, kIndexerLaunches = 8;  // kernels of the usual implementation

std::span<const ConstantSpec> sparse_block_constants();
SparseBlockParts sparse_block_parts(const SparseBlock& block, const GpuSpec& gpu,
                                    const BaseConstants& fitted);
StructuralPrice sparse_block_price(const SparseBlockParts& parts, const GpuSpec& gpu);
// FLOP, weights, scores, launches, rows of `hidden` in and out; the caller adds what it reads of the cache.
Work sparse_block_work(const SparseBlock& block, std::int64_t hidden);
// Products of `projections`, scores and attention one after the other, at the highest rates.
void raise_sparse_block(BoundLimit& limit, const SparseBlock& block, DataType kv_cache, const GpuSpec& gpu);
void profile_sparse_block(ProfileBuilder& builder, const SparseBlock& block, const Work& work);

// Sum over the positions i = 1..n of i/step rounded down, at most `most` each (0: no limit). A closed form.
double sum_of_steps(std::int64_t n, std::int64_t step, std::int64_t most);

}  // namespace warploom
