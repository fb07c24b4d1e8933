// The instances of a run that encode images and nothing else.
#pragma once

#include <memory>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/simulate_request.h"
#include "warploom/serving/cluster/deployment.h"

namespace warploom {

// `plan` points into `setup`: moving the whole is fine.
struct EncoderSetup {
  ServingSetup setup;  // whose pricer prices images alone
  EncoderPlan plan;
};

// Throws InvalidInput where no request has images, on weights that do not fit and on nodes without a network
// where no bandwidth is given; what resolve_serving and vision_of throw.
EncoderSetup encoder_setup(const SimulateRequest& request,
                           const std::shared_ptr<const LatencyModel>& latency);

}  // namespace warploom
