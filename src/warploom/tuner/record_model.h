// Wave models without a measurement on the GPU: from its record alone, or from a model measured elsewhere.
// Tables of them are of tier cross_gpu.
#pragma once

#include <span>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuner/known_formulas.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// What a step of each configuration takes by the record: matrix instructions and the shared memory that feeds
// them, L2 and DRAM by their bandwidths, latencies in the depth of the pipeline. Residuals are set to what
// such estimates err by (kRecordResidual). Throws InvalidInput when `space` is empty or the GPU has no matrix
// units of the operands' size.
inline constexpr float kRecordResidual = 0.3F;
WaveModel model_from_record(const TileKernel& kernel, const GpuSpec& gpu, std::span<const TileConfig> space);

// Coefficients measured on `from`, each scaled by the rate that it stands for; configurations that `to`
// cannot run are left out. Throws InvalidInput when none is left.
WaveModel scaled_model(const TileKernel& kernel, std::span<const FittedConfig> measured, const GpuSpec& from,
                       const GpuSpec& to);
// The same, of formulas known on `from`.
WaveModel known_model(const TileKernel& kernel, const KnownFormulas& known, const GpuSpec& from,
                      const GpuSpec& to);

}  // namespace warploom
