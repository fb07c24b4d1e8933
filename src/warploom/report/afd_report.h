// What an answer says of attention and feed-forward apart.
#pragma once

#include <string>

#include "warploom/app/serving/afd_breakdown.h"
#include "warploom/base/json.h"

namespace warploom {

std::string afd_text(const AfdBreakdown& afd);
std::string afd_text(const AfdLabel& label);
// {"attention_gpus", "feed_forward_gpus", "micro_batches", "gate_on_attention", "attention_weights_gib",
// "feed_forward_weights_gib" (of one GPU), "rests_on"}
Json afd_json(const AfdLabel& label);
// The same and {"layers", "layer_us": {"attention", "a2f", "feed_forward", "f2a"}, "limit", "attention_busy",
// "feed_forward_busy"}
Json afd_json(const AfdBreakdown& afd);

}  // namespace warploom
