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

// Steps with prompts launch pieces or kernels, those without a graph or kernels. What the host does for every
// step goes with those without, so that these are longer or shorter as a whole.
HostModel scaled_host(HostModel host, StepFactors factors) {
  const Seconds kernels = host.launch_kernels - host.prompt_launch;
  host.decode_launch = (kernels + host.decode_launch) * factors.decode - kernels * factors.prompt;
  for (Seconds* launch : {&host.launch_pieces, &host.launch_kernels, &host.prompt_launch})
    *launch = *launch * factors.prompt;
  for (Seconds* part : {&host.schedule, &host.schedule_per_sequence, &host.prepare,
                        &host.prepare_per_sequence, &host.launch_graph, &host.finish,
                        &host.finish_per_sequence, &host.gap, &host.gap_per_sequence, &host.pause})
    *part = *part * factors.decode;
  return host;
}

}  // namespace

ScaledDeployment::ScaledDeployment(Deployment deployment, StepFactors factors)
    : deployment_(std::move(deployment)) {
  for (PoolPlan& pool : deployment_.pools) {
    pricers_.push_back(std::make_unique<ScaledPricer>(pool.pricer->clone(), factors));
    pool.pricer = pricers_.back().get();
    pool.config.host = scaled_host(pool.config.host, factors);
    if (HostModel* end = pool.config.host_at_end ? &*pool.config.host_at_end : nullptr)
      *end = scaled_host(*end, factors);
  }
}

}  // namespace warploom
