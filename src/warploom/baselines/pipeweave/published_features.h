// The analytical feature vectors of the published kernel predictor PipeWeave (arXiv 2601.14910), as its code
// computes them: a mode of the demand model for comparison and for parity tests, not for prediction.
//
// Kept as published, where the default demand model (task_grid.h, pipeline_demand.h) does better: loads only,
// no stores and no epilogue; one block per SM; the operands of a product counted once in totals but per block
// on the busiest SM; one of K and V per step of attention; bytes in GiB divided by bandwidths in GB/s (7.4 %
// off). Memory amounts are in KiB, cycles are SM clocks. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "warploom/baselines/pipeweave/published_vector.h"
#include "warploom/hardware/gpu_spec.h"

namespace warploom::published {

// What a profile of the library says about one product.
struct GemmLaunch {
  std::int64_t tile_m = 128, tile_n = 128, tile_k = 128;
  std::int64_t blocks = 1;
  bool split_k = false;
};

struct Request {
  std::int64_t query_tokens = 1, kv_tokens = 1;
};

// Two-byte operands. Hopper: persistent blocks, a split K counts one slice; others: one block per SM and
// wave. Throws InvalidInput on a size below 1.
Features gemm(std::int64_t m, std::int64_t n, std::int64_t k, const GemmLaunch& launch, const Hardware& gpu);
// One-byte operands in tiles of 128 x 128 x 128, waves over the SMs.
Features gemm_fp8(std::int64_t m, std::int64_t n, std::int64_t k, const Hardware& gpu);
// Causal attention of two-byte operands. `paged` = keys in pages of 16 tokens.
// FlashAttention-2: tiles, split of keys and totals as published; its busiest SM is here that of a correct
// schedule (next block to the first free slot, two slots an SM), since the published one retires every block
// after one step. Throws Unsupported when no key tile fits.
Features attention_fa2(std::span<const Request> requests, std::int64_t heads, std::int64_t kv_heads,
                       std::int64_t head_dim, bool paged, const Hardware& gpu);
// FlashAttention-3: longest request first, each tile to the SM with the least cost so far. Above 8192 query
// tiles one head stands for all, as published.
Features attention_fa3(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                       bool paged, const Hardware& gpu);
// One block per token, two-byte elements. `width` of silu_and_mul counts gate and up together.
Features rmsnorm(std::int64_t tokens, std::int64_t width, const Hardware& gpu);
Features silu_and_mul(std::int64_t tokens, std::int64_t width, const Hardware& gpu);

// CUTLASS on data-centre Blackwell: each tile to the SM with the least cost so far. CK on AMD: tiles dealt in
// turn. Two-byte operands.
Features attention_cutlass(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                           bool causal, const Hardware& gpu);
Features attention_ck(std::span<const Request> requests, std::int64_t heads, std::int64_t head_dim,
                      bool causal, const Hardware& gpu);

// One grouped product of the Triton kernel of fused mixtures of experts: tokens x top_k pairs dealt to the
// experts in turn, each expert's rows padded to a tile, [rows, depth] x [depth, width]. Tiles follow the
// published rule, which knows the model's hidden size and the GPU's shared memory.
struct MoePassShape {
  std::int64_t tokens = 1, experts = 8, top_k = 2, hidden = 4096;
  std::int64_t width = 1, depth = 1;
};
struct MoeTile {
  std::int64_t rows = 128, columns = 128, depth = 64;
};
MoeTile moe_tile(std::int64_t tokens, std::int64_t experts, std::int64_t hidden, const Hardware& gpu);
Features moe_pass(const MoePassShape& shape, const Hardware& gpu);

}  // namespace warploom::published
