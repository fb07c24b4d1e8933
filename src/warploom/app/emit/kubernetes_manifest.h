// A deployment as objects of plain Kubernetes.
#pragma once

#include <string>
#include <string_view>

#include "warploom/app/emit/emitted_fleet.h"

namespace warploom {

// One YAML text: a volume for the weights, a Deployment for each pool, a Service, and, of several instances,
// the engine's router with the rights that it needs to find them. Throws Unsupported where an instance spans
// machines, and on pools apart of an engine without a router.
std::string kubernetes_manifest(const EmittedFleet& fleet);

// The claim for the weights alone, in YAML without a separator.
std::string weights_claim(const EmittedFleet& fleet);

inline constexpr std::string_view kWeightsFolder = "/model-cache";
inline constexpr std::string_view kTokenSecret = "hf-token-secret";  // with the key HF_TOKEN
// Size of /dev/shm, through which the processes of an engine exchange batches. Chosen, not measured.
inline constexpr int kSharedMemoryGib = 16;

}  // namespace warploom
