#include "warploom/app/serving/serving_engines.h"

#include <fmt/format.h>

#include <array>

#include "warploom/app/serving/encoder_setup.h"
#include "warploom/app/serving/kv_transfer_setup.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/app/serving/shared_kv_setup.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

std::size_t pool_named(const FailureRequest& failure, const Deployment& deployment) {
  for (std::size_t i = 0; i < deployment.pools.size(); ++i)
    if (deployment.pools[i].name == failure.pool || (failure.pool.empty() && deployment.pools.size() == 1))
      return i;
  throw InvalidInput(fmt::format("failure: no pool '{}', expected {}", failure.pool,
                                 deployment.disaggregated() ? "prefill or decode" : "engine"));
}

// The setup of a pool; `prompts`: whether it computes them, and so holds the encoder of images.
ServingSetupRequest pool_setup(ServingSetupRequest setup, const SimulateRequest& request, bool prompts) {
  if (!prompts) setup.vision_encoder.clear();
  setup.reads_images = prompts && request.source.images.has_value();
  return setup;
}

}  // namespace

ServingEngines engines_of(const SimulateRequest& request, std::vector<ServingSetup> setups) {
  constexpr std::array<const char*, 2> kTwoPools{"prefill", "decode"};
  ServingEngines engines;
  engines.setups = std::move(setups);
  const bool apart = engines.setups.size() > 1;
  if (apart) {
    const KvTransferSetup transfer =
        kv_transfer_of(engines.setups[0], engines.setups[1],
                       request.disaggregation ? request.disaggregation->transfer : KvTransferRequest());
    engines.deployment.transfer = transfer.plan;
    engines.kv_transfer = name_of(transfer.path);
  }
  for (std::size_t i = 0; i < engines.setups.size(); ++i) {
    PoolPlan pool = engines.setups[i].pool(apart ? kTwoPools[i] : "engine");
    pool.autoscaling = request.autoscaling;
    engines.deployment.pools.push_back(std::move(pool));
  }
  for (const FailureRequest& failure : request.failures) {
    InstanceFailure planned{.pool = pool_named(failure, engines.deployment),
                            .instance = failure.instance,
                            .at = to_sim_time(failure.at)};
    if (failure.down) planned.down = to_sim_duration(*failure.down);
    engines.deployment.failures.push_back(planned);
  }
  engines.deployment.rules = request.fleet;
  std::vector<const ServingSetup*> of_pools;
  for (const ServingSetup& setup : engines.setups) of_pools.push_back(&setup);
  set_shared_kv(engines.deployment, of_pools, request.shared_kv);
  engines.deployment.seed = request.source.seed;
  return engines;
}

ServingEngines engines_of(const SimulateRequest& request,
                          const std::shared_ptr<const LatencyModel>& latency) {
  std::vector<ServingSetup> setups;
  if (request.disaggregation) {
    setups.push_back(resolve_serving(pool_setup(request.disaggregation->prefill, request, true), latency));
    setups.push_back(resolve_serving(pool_setup(request.disaggregation->decode, request, false), latency));
  } else {
    setups.push_back(resolve_asked(pool_setup(request.setup, request, true), latency));
  }
  ServingEngines engines = engines_of(request, std::move(setups));
  if (request.encoder.on()) {
    EncoderSetup encoders = encoder_setup(request, latency);
    engines.deployment.pools.front().config.most_image_tokens = encoders.setup.config.most_image_tokens;
    engines.deployment.encoders = std::move(encoders.plan);
    engines.encoder = std::move(encoders.setup);
  }
  return engines;
}

Deployment at_end(const ServingEngines& engines, StepTime step_time) {
  Deployment deployment = engines.deployment;
  if (step_time == StepTime::Mid) return deployment;
  for (std::size_t i = 0; i < engines.setups.size(); ++i)
    deployment.pools[i].config.host_at_end = engines.setups[i].host_at(step_time);
  if (deployment.encoders) deployment.encoders->pool.config.host_at_end = engines.encoder->host_at(step_time);
  set_at_end(deployment.shared_kv, step_time);
  return deployment;
}

}  // namespace warploom
