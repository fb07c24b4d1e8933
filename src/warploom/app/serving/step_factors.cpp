#include "warploom/app/serving/step_factors.h"

#include <utility>

namespace warploom {
namespace {

class ScaledPricer final : public StepPricer {
 public:
  ScaledPricer(std::unique_ptr<StepPricer> pricer, StepFactors factors)
      : pricer_(std::move(pricer)), factors_(factors) {}

  StepCost price(const StepBatch& batch) override {
    StepCost cost = pricer_->price(batch);
    const double factor = batch.chunks.empty() ? factors_.decode : factors_.prompt;
    unscaled_ += cost.p50;
    for (Seconds* time : {&cost.p10, &cost.p50, &cost.p90, &cost.collectives}) *time = *time * factor;
    scaled_ += cost.p50;
    return cost;
  }
  // Kernels of both kinds of steps are one entry, so all have the mean factor.
  std::vector<KernelTime> breakdown() const override {
    std::vector<KernelTime> kernels = pricer_->breakdown();
    if (unscaled_.value() > 0)
      for (KernelTime& kernel : kernels) kernel.time = kernel.time * (scaled_ / unscaled_);
    return kernels;
  }
  std::unique_ptr<StepPricer> clone() const override {
    return std::make_unique<ScaledPricer>(pricer_->clone(), factors_);
  }
  std::size_t coupled_replicas() const override { return pricer_->coupled_replicas(); }

 private:
  std::unique_ptr<StepPricer> pricer_;
  StepFactors factors_;
  Seconds unscaled_, scaled_;
};

// Steps with prompts launch pieces or kernels, those without a graph or kernels.
HostModel scaled_host(HostModel host, StepFactors factors) {
  const Seconds common = host.launch_kernels - host.prompt_launch;
  host.launch_graph = host.launch_graph * factors.decode;
  host.decode_launch = (common + host.decode_launch) * factors.decode - common * factors.prompt;
  for (Seconds* launch : {&host.launch_pieces, &host.launch_kernels, &host.prompt_launch})
    *launch = *launch * factors.prompt;
  return host;
}

}  // namespace

ScaledDeployment::ScaledDeployment(Deployment deployment, StepFactors factors)
    : deployment_(std::move(deployment)) {
  for (PoolPlan& pool : deployment_.pools) {
    pricers_.push_back(std::make_unique<ScaledPricer>(pool.pricer->clone(), factors));
    pool.pricer = pricers_.back().get();
    pool.config.host = scaled_host(pool.config.host, factors);
  }
}

}  // namespace warploom
