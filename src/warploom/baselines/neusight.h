// NeuSight's method (Lee, Phanishayee, Mahajan, ASPLOS 2025; arXiv 2407.13853).
//
//   latency = waves * tile time;  tile time = tile's roofline on one SM / utilisation
//   tile's roofline = max(tile FLOP / SM peak, tile bytes / SM share of DRAM bandwidth)
//   utilisation = alpha - beta / waves, alpha and beta from a network with sigmoid outputs
// Inputs of the network: the tile's FLOP and bytes against the SM's peak, bandwidth, L2 and memory shares,
// and the number of waves. Loss: symmetric relative error. Tiles are those of this program's task grid (the
// published method looks them up in a table of profiled tiles). One network per library's kernel and data
// type, over all GPUs; the published ones have eight layers of 512, these three of 48 on at most 8,000 rows.
#pragma once

#include <unordered_map>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/baselines/network/dense_network.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

class NeuSightModel : public LatencyModel {
 public:
  NeuSightModel(const BaselineRows& rows, const GpuCatalog& catalog);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context) const override;

 private:
  std::unordered_map<std::uint64_t, DenseNetwork> networks_;  // by Circle::Library
};

}  // namespace warploom::baselines
