// Products of low-rank adapters that one tuned file has rows for.
#pragma once

#include <cstdint>
#include <vector>

#include "warploom/models/architecture.h"
#include "warploom/models/sharding.h"

namespace warploom {

// `slices` products side by side, each C[m, n] = A[m, k] B[n, k]^T for each adapter; n: of the widest,
// outputs: of all together.
struct AdapterProduct {
  std::int64_t slices = 1, k = 1, n = 1, outputs = 1;

  auto operator<=>(const AdapterProduct&) const = default;
};

struct AdapterFile {
  bool shrinks = true;        // down to the rank; else up from it
  bool adds = false;          // up from it: onto what the layer's own product wrote
  std::int64_t rank = 16;     // that the engine makes room for
  std::int64_t adapters = 1;  // of one step: tokens are shared out over them evenly
  std::vector<AdapterProduct> products;
  // A mixture's experts that the GPU holds: rows of a product are then pairs of a token and an expert.
  std::int64_t experts = 0, top_k = 1;  // 0: of dense layers
  std::int64_t hidden = 1, width = 1;   // of an expert: what file names' sizes are
};

// Each once, ascending. Layers whose kind takes no adapters are left out.
std::vector<AdapterProduct> adapter_products(const ModelArchitecture& model, const Sharding& sharding,
                                             std::int64_t rank, bool shrinks);

}  // namespace warploom
