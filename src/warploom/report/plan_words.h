// A deployment of a plan in words.
#pragma once

#include <string>

#include "warploom/app/plan/make_plan.h"

namespace warploom {

// "2 x (h100_sxm, tp 4) vllm 0.19.0, fp8, max_num_seqs 128".
std::string deployment_words(const PlanLabel& label, const Configuration& configuration, const Fleet& fleet);

// "kernels 97 % measured", and what else it rests on.
std::string rests_words(const PlanLabel& label);

}  // namespace warploom
