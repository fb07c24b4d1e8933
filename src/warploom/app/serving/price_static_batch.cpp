#include "warploom/app/serving/price_static_batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/predict/latency_models.h"
#include "warploom/app/serving/required_tier.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

FieldTable StaticBatchRequest::describe() {
  using R = StaticBatchRequest;
  return RequestFields<R>("static")
      .add("setup", &R::setup, {.doc = "model, GPU and engine"})
      .add("batch", &R::batch,
           {.doc = "requests that start together", .min = 1, .max = double(kMaxRequestTokens)})
      .add("input_tokens", &R::input_tokens,
           {.doc = "prompt tokens of each", .min = 1, .max = double(kMaxRequestTokens), .required = true})
      .add("output_tokens", &R::output_tokens,
           {.doc = "tokens that each produces", .min = 1, .max = double(kMaxRequestTokens), .required = true})
      .table();
}

namespace {

void check_size(const char* field, std::int64_t value) {
  if (value >= 1 && value <= kMaxRequestTokens) return;
  throw InvalidInput(fmt::format("{} is {}, expected 1 to {}", field, value, kMaxRequestTokens));
}

void check_request(const StaticBatchRequest& request) {
  check_size("batch", request.batch);
  check_size("input_tokens", request.input_tokens);
  check_size("output_tokens", request.output_tokens);
}

void check_cache(const StaticBatchRequest& request, const ServingSetup& setup) {
  const ServingConfig& config = setup.config;
  if (config.state_pool.slots > 0 && request.batch > config.state_pool.requests)
    throw InvalidInput(fmt::format(
        "static batch: {} requests need as many states of recurrent layers, expected at most {}: {} slots of "
        "{} fit on {}; try a smaller batch or a larger `mamba_full_memory_ratio`",
        request.batch, config.state_pool.requests, config.state_pool.slots, setup.model.name,
        setup.gpu->name));
  const std::int64_t each = request.input_tokens + request.output_tokens - 1;
  const std::int64_t blocks = config.kv_layout.most_blocks(
      each, std::min(each, max_num_batched_tokens_of(config)), *config.block_size);
  const std::int64_t fitting = *config.num_gpu_blocks_override / blocks;
  if (request.batch <= fitting) return;
  const std::int64_t tokens = request.batch * each, held = fitting * each;
  throw InvalidInput(fmt::format(
      "static batch: {} requests of {} tokens need keys and values of {} tokens, expected at most {}, which "
      "is what {} has "
      "room for; try a smaller batch, more GPUs (`tensor_parallel_size`) or `kv_cache_dtype` fp8",
      request.batch, request.input_tokens + request.output_tokens - 1, tokens, held, setup.gpu->name));
}

}  // namespace

StaticBreakdown price_static_batch(const StaticBatchRequest& request, const ServingSetup& setup) {
  check_request(request);
  check_cache(request, setup);
  const std::vector<std::int32_t> prompts(std::size_t(request.batch), std::int32_t(request.input_tokens));
  StaticBreakdown result;
  result.model = setup.model.name;
  result.gpu = setup.gpu->name;
  result.engine = setup.engine_text();
  result.expert_routing = setup.expert_routing();
  result.host_profile = setup.host_profile;
  result.gpus = setup.sharding.gpus_per_replica();
  result.kv_cache_tokens = setup.kv_cache_tokens();
  result.batch = request.batch;
  result.input_tokens = request.input_tokens;
  result.output_tokens = request.output_tokens;
  result.time = price_static_batch(prompts, request.output_tokens, *setup.pricer, setup.config);
  // Equal prompts that share a loop are all through when their work is done.
  result.client_way = setup.config.host.frontend_latency +
                      setup.config.host.frontend_per_token * double(request.batch * request.input_tokens);
  result.kernels = setup.pricer->breakdown();
  check_required_tier(request.setup.require_tier, result.kernels);
  return result;
}

StaticBreakdown price_static_batch(const StaticBatchRequest& request,
                                   std::shared_ptr<const LatencyModel> latency) {
  check_request(request);
  return price_static_batch(request, resolve_asked(request.setup, std::move(latency)));
}

StaticBreakdown price_static_batch(const StaticBatchRequest& request) {
  return price_static_batch(request, open_latency_model(request.setup.predictor, request.setup.files));
}

}  // namespace warploom
