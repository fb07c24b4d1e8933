// A deployment as values of the Helm chart llm-d-modelservice, and for NVIDIA Dynamo's operator.
#pragma once

#include <string>

#include "warploom/app/emit/emitted_fleet.h"

namespace warploom {

// The chart puts `vllm serve MODEL --port PORT --served-model-name MODEL` before the words. Throws
// Unsupported on other engines and on instances that span machines.
std::string llm_d_values(const EmittedFleet& fleet);

// A DynamoGraphDeployment and the claim for its weights; instances may span machines. Workers take the flags
// as Dynamo spells them, roles of pools included. Throws Unsupported where an engine needs a file of options.
std::string dynamo_graph(const EmittedFleet& fleet);

}  // namespace warploom
