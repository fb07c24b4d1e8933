// When an engine splits its steps in two halves, from its flags.
#pragma once

#include "warploom/hardware/gpu_spec.h"
#include "warploom/serving/config/serving_config.h"
#include "warploom/serving/pricing/batch_overlap.h"
#include "warploom/serving/pricing/kernel_names.h"

namespace warploom {

// vLLM's dual-batch overlap begins at a number of tokens of the smallest rank
// (vllm/v1/worker/gpu/dp_utils.py and ubatch_utils.py of 0.33.0) and wants DeepEP (vllm/config/vllm.py).
// SGLang's two-batch overlap halves every decoding step, and steps with prompts where their exchange is not
// the low-latency one (batch_overlap/two_batch_overlap.py, TboDPAttentionPreparer). Throws InvalidInput
// without an exchange.
BatchOverlap overlap_of(const ServingConfig& config, ExpertTransport transport, const GpuSpec& gpu);

}  // namespace warploom
