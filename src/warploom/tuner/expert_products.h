// The two products of a mixture-of-experts layer, which one launch configuration serves.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/tuner/tile_kernel.h"

namespace warploom {

// ln: p10 and p90 of what a table's times miss between two configurations of one shape (its formula's
// residual on held-out shapes, both configurations together). What is faster by less is not known to be.
inline constexpr double kTableError = 0.03;

// What is the same at every launch of a layer. `width`: of an expert on this GPU.
struct ExpertLayer {
  std::int64_t hidden = 1, width = 1;
  std::int64_t top_k = 1;            // experts of a token
  std::int64_t expert_parallel = 1;  // GPUs that the experts are shared out over
};

// At one number of tokens. The first product is of gate and up together. Where the table's kernel does not
// state how rows fall on experts, each token chooses at random, as the predictor's "uniform" does: with few
// tokens some experts have none then, whose weights nobody reads, and others need a second tile.
struct ExpertProducts {
  ExpertProducts(const ExpertLayer& layer, const TileKernel& kernel, std::int64_t tokens);

  std::int64_t pairs;  // of a token and an expert that is held here
  std::int64_t hidden, width;
  std::vector<std::int64_t> rows;  // of each expert; empty: as the kernel says

  TileShape first() const { return {pairs, 2 * width, hidden}; }
  TileShape second() const { return {pairs, hidden, width}; }
};

}  // namespace warploom
