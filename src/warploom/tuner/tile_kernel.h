// How a tile kernel turns a shape and a configuration into work: grid size, loop count, and what those two
// cannot see (bytes shared between tiles, rows that are padding, line crossings).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/fields.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuner/tile_config.h"

namespace warploom {

enum class TileKernelKind { Gemm, GroupedGemm, Attention, PagedDecode };
template <>
struct EnumNames<TileKernelKind> {
  static constexpr std::array<std::pair<TileKernelKind, std::string_view>, 4> kNames{
      {{TileKernelKind::Gemm, "gemm"},
       {TileKernelKind::GroupedGemm, "grouped_gemm"},
       {TileKernelKind::Attention, "attention"},
       {TileKernelKind::PagedDecode, "paged_decode"}}};
};
// Kinds whose loop runs over keys.
inline bool reads_keys(TileKernelKind kind) {
  return kind == TileKernelKind::Attention || kind == TileKernelKind::PagedDecode;
}

// What changes from call to call.
//   gemm:          C[m, n] = A[m, k] B[n, k]^T, each of `batch` problems
//   grouped_gemm:  m token-expert pairs over `experts` experts, each C_e = A_e[., k] B_e[n, k]^T
//   attention:     m query rows, n keys, k = batch x query heads
//   paged_decode:  one query token of each of m sequences, n keys of a sequence, k query heads
struct TileShape {
  std::int64_t m = 1, n = 1, k = 1;

  auto operator<=>(const TileShape&) const = default;
};

// What a kernel keeps from call to call.
struct TileKernel {
  std::string name = "gemm";  // the caller's key: source hash, compiler version, dtype
  TileKernelKind kind = TileKernelKind::Gemm;
  std::int64_t operand_bytes = 2;  // an element of A and B (attention: Q, K, V)
  std::int64_t output_bytes = 2;   // an element of the output
  std::int64_t group_rows = 8;     // tile rows walked together before the next tile column
  std::int64_t batch = 1;          // gemm: problems of one launch
  bool b_along_n = false;          // gemm: neighbours in memory of B[n, k] differ in n, not in k
  std::int64_t experts = 1;        // grouped_gemm: experts held
  std::int64_t top_k = 1;          // grouped_gemm: experts of one token
  double expert_skew = 0;          // grouped_gemm: the r-th busiest has a share r^-skew; 0: all the same
  std::int64_t head_dim = 128;     // attention, paged_decode
  std::int64_t head_group = 1;     // the same: query heads that share one key head
  bool causal = false;             // attention
  std::int64_t window = 0;         // keys that a query sees at most, the last ones; 0: all
  std::int64_t page_keys = 16;     // paged_decode: keys of one page of the cache
  std::int64_t rotation = 24;      // operand sets that follow one another; 1 = the same operands again

  static FieldTable describe();
};

// The GPU as the tuner sees it.
struct TileGpu {
  std::string name;
  std::int64_t sms = 132;
  std::int64_t shared_per_sm = 228 * 1024;     // bytes
  std::int64_t shared_per_block = 227 * 1024;  // bytes
  std::int64_t registers_per_sm = 65536;
  std::int64_t threads_per_sm = 2048;
  std::int64_t blocks_per_sm = 32;
  std::int64_t l2_bytes = 50 * 1024 * 1024;
  double l2_bytes_per_us = 10.403e6;  // read by all SMs together

  static TileGpu from(const GpuSpec& gpu);
  static FieldTable describe();
};

// The coordinates of the wave model. Exact counts up to 2^24, single precision beyond.
struct TileWork {
  float waves = 0;        // tiles / SMs
  float iterations = 0;   // of the loop over k (attention: over keys) in one tile
  float first_touch = 0;  // share of staged bytes that no other tile staged before, 0 when L2 holds them
  float cold = 0;         // 0 when L2 still holds the operands from the last launch, 1 when it cannot
  float read_mb = 0;      // 1e6 bytes that must come from DRAM
  float write_mb = 0;     // 1e6 bytes of output, 0 when L2 holds them
  float hot_us = 0;       // us that few cache lines, wanted by all tiles, would need alone
  float crossing = 0;     // extra line crossings of rows that do not start on a 128-byte boundary
};

// Throws InvalidInput that starts with `where` when a field is out of its range or bears on nothing beside
// the others: a window without a causal mask.
void check_kernel(const TileKernel& kernel, std::string_view where);

// Bytes of shared memory that the stages of one tile take.
std::int64_t stage_bytes(const TileKernel& kernel, const TileConfig& config);

}  // namespace warploom
