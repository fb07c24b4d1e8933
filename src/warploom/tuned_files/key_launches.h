// What a kernel may be launched with at one key of a tuned file, and what each takes by the GPU's record.
#pragma once

#include <vector>

#include "warploom/fused_moe/config_model.h"
#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuned_files/tuned_file.h"
#include "warploom/tuner/record_rules.h"

namespace warploom {

struct KeyLaunches {
  std::int64_t key = 1;  // of kMoeLadder
  MoeConfig usual;       // the engine's, without a file, at the key
  // The compiler takes them; the default stands among them where it does.
  std::vector<MoeConfig> configs;
  // ln(time) of each, up to a constant: the mean over the token counts that look the key up.
  std::vector<double> log_times;
  TimeErrors errors;  // of log_times

  std::vector<TileConfig> tiles() const;
};

// What the engine launches for the file's kernel without a file, at any number of tokens. Asks for a file
// with a layer or a product.
MoeConfig default_launch(const TunedFile& file, MoeEngine engine, std::int64_t tokens);

// For each key of the ladder. fp8: every legal configuration, by the record (tuner/record_model.h,
// block_scales.h); 16-bit experts: those that searches on other GPUs voted for, the most voted first. Throws
// InvalidInput on a GPU without matrix units for fp8, and as check_moe_layer.
std::vector<KeyLaunches> key_launches(const TunedFile& file, MoeEngine engine, const GpuSpec& gpu,
                                      const ConfigModel& searches);

}  // namespace warploom
