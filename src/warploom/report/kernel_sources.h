// What the prices of a run's kernels rested on: which measured implementation answered, and how well known.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/base/json.h"

namespace warploom {

// "vllm 0.24.0 vllm_flash_attn_fa3"; "-" where physics alone answered.
std::string source_text(const KernelSource& source);
// The same of the source with most time, and how many more there are: "... + 2".
std::string source_text(const LabelledKernel& kernel);

// {family: {"time_s", "tier_shares": {tier: share}, "kernels": [{"framework", "version", "kernel", "tier",
// "extrapolated", "time_s", "share"}]}}, shares of the family's time, kernels with most time first.
Json kernel_sources_json(std::span<const KernelTime> kernels);

}  // namespace warploom
