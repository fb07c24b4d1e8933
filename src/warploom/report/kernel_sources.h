// What the prices of a run's kernels rested on: which measured implementation answered, and how well known.
#pragma once

#include <span>
#include <string>

#include "warploom/app/serving/labelled_kernels.h"
#include "warploom/base/json.h"

namespace warploom {

// "vllm 0.24.0 vllm_flash_attn_fa3"; "-" where physics alone answered; "trtllm 1.0 linear for fp8_static"
// where the nearest kernel measured stands in; "..., in a step" where its time was changed to that.
std::string source_text(const KernelSource& source);
// The same of the source with most time, and how many more there are: "... + 2".
std::string source_text(const LabelledKernel& kernel);

// ", experts routed uniform"; empty where there are none.
std::string routing_text(const std::string& expert_routing);

// "kernel time 96.1 % measured, 3.9 % roofline, 2.0 % of it outside the measured domain"
std::string trust_text(const KernelTrust& trust);
// Adds "tier", "tier_shares", "extrapolated" and "outside_share".
void add_trust(Json& document, const KernelTrust& trust);

// Whether any of them is of a kernel that stands in for another.
bool any_stands_in(std::span<const KernelTime> kernels);
// Adds "stands_in", "stands_in_for", "in_step" and, where it is not the operator's own, "scheme_priced".
void add_stand_in(Json& document, const KernelSource& source);

// {family: {"time_s", "tier_shares": {tier: share}, "kernels": [{"framework", "version", "kernel", "tier",
// "extrapolated", "stands_in", "stands_in_for", "in_step", "scheme_priced" (where it is another), "time_s",
// "share"}]}}, shares of the family's time, kernels with most time first.
Json kernel_sources_json(std::span<const KernelTime> kernels);

}  // namespace warploom
