// Products and mixtures of experts inside an engine's step: few tokens read every weight once.
//
// Public tables time one product after the other, over and over, and one mixture of experts per replay of a
// CUDA graph. Inside a step the same kernels are faster: between them stand small kernels that let the memory
// rest, and no graph begins. Long mixtures are slower: a step lasts long enough to meet the power limit.
#pragma once

#include <string_view>

#include "warploom/hardware/gpu_spec.h"
#include "warploom/kernels/latency_model.h"
#include "warploom/kernels/operator.h"
#include "warploom/steps/step_rules.h"

namespace warploom {

// Changes `answer`, the measured time of a product or a mixture of experts, to what the kernel takes inside a
// step, its interval in proportion; nothing where no rule speaks of the kernel. In another release, and at
// sizes that the steps did not have, the interval also holds that nothing changes.
void price_in_step(const StepRules& rules, const Operator& op, const GpuSpec& gpu,
                   const KernelContext& context, LatencyEstimate& answer);

}  // namespace warploom
