// Which configurations ran near the best in searches of alike products on alike GPUs: a share of votes each.
//
// A search lists what lies within 1 % of the best and nothing about the rest, so it ranks and does not
// time. A search counts exp(-d^2 / 2), d its distance in octaves: rows an expert and tiles to place an SM
// (1.5 each), inner length, outputs, SMs, shared memory, matrix rate over memory bandwidth (1 each), 4 for
// another generation of GPUs. Weights were chosen by leaving GPUs and layers of the searches out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "warploom/fused_moe/config_features.h"

namespace warploom {

struct SearchedGpu {
  std::string name;  // canonical
  Generation generation = Generation::Hopper;
  std::int64_t sms = 1;
  double ridge = 1;   // FLOP of 16-bit matrix units per byte of memory
  double shared = 1;  // bytes of shared memory of an SM
};
SearchedGpu searched_gpu(const GpuSpec& gpu);

struct ConfigSearch {
  std::uint16_t gpu = 0;  // into ConfigSearches::gpus
  GroupedProduct product;
  std::vector<std::uint16_t> near_best;  // into the candidates, ascending
};

struct ConfigSearches {
  std::vector<SearchedGpu> gpus;
  std::vector<ConfigSearch> searches;
};

// Share of the votes for each of `candidates` configurations, 0 to 1. `counts` leaves searches out (empty:
// all count). O(entries of the lists).
std::vector<double> config_votes(const ConfigSearches& searches, std::size_t candidates,
                                 const GroupedProduct& product, const SearchedGpu& gpu,
                                 const std::vector<char>& counts = {});

}  // namespace warploom
