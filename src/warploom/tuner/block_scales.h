// Products of fp8 values with a scale for each row and block of k, as the engines' Triton kernels multiply
// them.
//
// Their loop adds each step's sums, scaled, to sums of its own: two operations an element outside the matrix
// unit. Where that unit yields whole tiles beside the warps it is more (record_rules.h), since sums are
// cleared and moved too, both sums stand in registers, and its work of a step must end before the next
// begins: few stages then wait for whole loads.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/tuner/record_rules.h"
#include "warploom/tuner/wave_model.h"

namespace warploom {

// Adds that to the formulas of plain products, and leaves out configurations whose sums the registers do not
// hold, or whose steps do not divide a block: those yield wrong results. Where the matrix unit yields whole
// tiles, steps are whole blocks. Throws InvalidInput when none is left.
void add_block_scales(WaveModel& model, const GpuSpec& gpu, std::int64_t block_k,
                      const BlockScaleRule& rule = record_rules().block_scales);

}  // namespace warploom
