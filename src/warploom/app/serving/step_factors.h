// Factors on a deployment's steps, by which it takes the times that a server measured.
#pragma once

#include <memory>
#include <vector>

#include "warploom/serving/cluster/deployment.h"

namespace warploom {

// What prices miss differs between steps with parts of prompts and those without.
struct StepFactors {
  double prompt = 1, decode = 1;
};

// `deployment` with GPU times and the host's multiplied; it must not outlive this, nor this the original's
// pricers.
class ScaledDeployment {
 public:
  ScaledDeployment(Deployment deployment, StepFactors factors);
  const Deployment& deployment() const { return deployment_; }

 private:
  Deployment deployment_;
  std::vector<std::unique_ptr<const StepPricer>> pricers_;
};

}  // namespace warploom
