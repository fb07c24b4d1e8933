// The rows of one configuration file: a configuration per key of the engines' ladder, and what it is expected
// to gain over what the engine launches without a file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/fused_moe/config_model.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/tuner/runtime_table.h"

namespace warploom {

// Speed-ups are default time / row's time, geometric means over the token counts that look up the row.
struct MoeConfigRow {
  std::int64_t tokens = 1;  // the key
  MoeConfig config, engine_default;
  bool is_default = false;  // kept: nothing is expected to be clearly faster
  double speedup = 1, speedup_p10 = 1, speedup_p90 = 1;
};

struct MoeConfigTable {
  MoeEngine engine = MoeEngine::Vllm;
  MoeLayer layer;
  std::string gpu;                // canonical name
  Tier tier = Tier::CrossGpu;     // Measured: from a tuner table of this GPU
  std::vector<std::string> from;  // GPUs that were measured
  std::vector<MoeConfigRow> rows;
};

// From other GPUs' searches: the configuration with most of their votes (config_votes.h) takes a row when it
// has enough of them, and clearly more than the default. Left out are tiles that these products cannot fill:
// fewer steps along the inner length than stages, less than 32 KiB of weights a tile, or an inner length
// padded by more than a quarter. Throws Unsupported on weights that are not 16 bits wide: no search of them
// was learned from. About 0.2 s.
MoeConfigTable predicted_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                 const ConfigModel& model);
// From a tuner table of grouped products. Throws InvalidInput when the table is of another kernel, GPU,
// number of experts or top-k, or of operands of another size.
MoeConfigTable measured_configs(const MoeLayer& layer, MoeEngine engine, const GpuSpec& gpu,
                                const RuntimeTable& table);

// {"<tokens>": {"BLOCK_SIZE_M", ...}}: what the engine loads. Nothing beside the keys: some of its readers
// take every key for a number.
Json engine_json(std::span<const MoeConfigRow> rows);
// The sidecar: schema "warploom_moe_config", tier, what it rests on, the default and the expected gain of
// each row.
Json sidecar_json(const MoeConfigTable& table);
MoeConfigTable moe_config_from_json(const Json& document, std::string_view where);

}  // namespace warploom
