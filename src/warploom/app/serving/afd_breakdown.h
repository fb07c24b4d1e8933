// A replica with attention and feed-forward apart: what reports say of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "warploom/base/units.h"
#include "warploom/serving/pricing/afd_pipeline.h"

namespace warploom {

// What stands behind figures of such a replica, beside its kernels.
inline constexpr std::string_view kAfdRestsOn =
    "structure: how both sides overlap follows from a model of the pipeline, and no measured run stands "
    "behind it";

struct AfdLabel {
  std::int64_t attention_gpus = 1, feed_forward_gpus = 1, micro_batches = 1;
  bool gate_on_attention = false;
  Bytes attention_weights, feed_forward_weights;  // of one GPU; 0 where the memory was not checked
};

// One step of it.
struct AfdBreakdown {
  AfdLabel label;
  std::int64_t layers = 1;                           // that have a part apart
  AfdTimes layer;                                    // seconds of a micro-batch in one of them, in the mean
  std::string limit;                                 // as afd_limit says
  double attention_busy = 0, feed_forward_busy = 0;  // shares of the step
};

}  // namespace warploom
