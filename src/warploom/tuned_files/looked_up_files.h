// Which tuned files an engine looks for when it serves a model on a GPU.
//
// Rules are those of the releases in data/tuned_files, read in their sources: vLLM 0.33 (fused_moe.py,
// fp8_utils.py, mamba_ssm.py, lora/ops/triton_ops/utils.py) and SGLang 0.5.23 (fused_moe_triton_config.py,
// fp8_kernel.py, int8_kernel.py, lora_tuning_config.py). SGLang's names of adapters' files have the rank, so
// that they are listed with one alone. What reads no file: unfiled_kernels.h.
#pragma once

#include <vector>

#include "warploom/tuned_files/file_look_up.h"
#include "warploom/tuned_files/tuned_file.h"

namespace warploom {

// Each once, in the model's order. Throws InvalidInput on a model that does not split so, Unsupported on a
// GPU whose driver's name is not known.
std::vector<TunedFile> looked_up_files(const FileLookUp& asked);

}  // namespace warploom
