// Habitat's method (Yu, Gao, Golikov, Pekhimenko, USENIX ATC 2021).
//
// Wave scaling, where the same operator was measured on another GPU (o) with the same library and its kernel
// is not one that a library chooses per GPU (matrix products and mixtures of experts are):
//   T = T_o * ceil(B / W) / ceil(B / W_o) * (D_o / D * W / W_o)^g * (C_o / C)^(1-g)
// B blocks, W blocks that a GPU holds at once, D memory bandwidth, C clock; g = 1 - x / 2R below the ridge R
// of arithmetic intensity x, R / 2x above. Otherwise a network from sizes and the GPU's memory, bandwidth,
// SMs and peak rate to latency, with relative error as loss: one per library's kernel and data type, over all
// GPUs; the published ones have eight layers of 1024, these three of 48 on at most 8,000 rows.
#pragma once

#include <unordered_map>
#include <vector>

#include "warploom/baselines/baseline.h"
#include "warploom/baselines/cell_lookup.h"
#include "warploom/baselines/network/dense_network.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom::baselines {

class HabitatModel : public LatencyModel {
 public:
  HabitatModel(const BaselineRows& rows, const GpuCatalog& catalog);
  LatencyEstimate estimate(const Operator& op, const GpuSpec& gpu,
                           const KernelContext& context) const override;

 private:
  struct Origin {
    const GpuSpec* gpu = nullptr;
    double seconds = 0;
  };
  const Origin* origin(const Operator& op, const CircleKeys& keys, const GpuSpec& gpu) const;

  std::unordered_map<std::uint64_t, DenseNetwork> networks_;         // by Circle::Library
  std::unordered_map<std::uint64_t, std::vector<Origin>> measured_;  // by library and shape
};

// The factor from T_o to T; 1 between equal GPUs.
double wave_scaling(const Operator& op, const GpuSpec& from, const GpuSpec& to);

}  // namespace warploom::baselines
