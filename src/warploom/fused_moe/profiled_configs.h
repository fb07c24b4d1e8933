// Rows from measurements of the layer itself on the GPU: what to time, and which row the times give.
//
// First round ("search"): 64 configurations with most votes of other GPUs' searches at every key of the
// ladder, and the engines' defaults. Second round: the three fastest of a key and both engines' defaults,
// timed together with another routing at the first and last token count that look the key up and at the key.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/fused_moe/config_table.h"

namespace warploom {

// CSV for python/warploom/moe_profile.py: kind (search, default), key, tokens, bm, bn, bk, warps, stages,
// group. Throws Unsupported on weights of another width than 16 bits and on expert parallelism, which the
// timed kernel does not have.
std::string moe_profile_plan(const MoeLayer& layer, const GpuSpec& gpu, const ConfigModel& model);

// The configurations with most votes of other GPUs' searches at kMoeLadder[key], at most `most`; of those
// that differ in their group alone the first. 16-bit weights.
std::vector<MoeConfig> most_voted(const MoeLayer& layer, std::size_t key, const GpuSpec& gpu,
                                  const ConfigModel& model, std::size_t most);

struct MoeSample {
  std::int64_t tokens = 1;
  MoeConfig config;
  int seed = 0, rounds = 0;  // of the routing; timings of which this is the median, in threes
  double us = 0;             // both products
};
inline constexpr int kVerifySeed = 2;

// What moe_profile.py wrote (gzip too); refused configurations are left out. Throws IoError, InvalidInput.
std::vector<MoeSample> read_moe_samples(const std::filesystem::path& path);

// A row takes the fastest of the second round, as a geometric mean over the token counts that look it up,
// where it beats the default by more than the timings' noise (1 %) and is nowhere slower than by that; else
// it keeps the default. Throws InvalidInput when a key was not measured to the end of the second round.
MoeConfigTable profiled_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                const std::vector<MoeSample>& samples);

}  // namespace warploom
