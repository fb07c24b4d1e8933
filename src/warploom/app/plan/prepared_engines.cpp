#include "warploom/app/plan/prepared_engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/app/plan/plan_refusals.h"
#include "warploom/base/error.h"
#include "warploom/models/model_split.h"
#include "warploom/serving/engines/engine_defaults.h"
#include "warploom/serving/engines/parallelism.h"
#include "warploom/serving/engines/start_command.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

std::string shape_text(const EngineShape& shape) {
  return fmt::format("{}/{}/{}/{}/{}/{}/{}/{}/{}", shape.gpu, shape.tensor_parallel, shape.pipeline_parallel,
                     shape.data_parallel, shape.expert_parallel, shape.redundant_experts,
                     shape.feed_forward_ranks, shape.micro_batches, shape.exchange);
}

}  // namespace

LentPricer::LentPricer(std::shared_ptr<EngineKind> kind) : kind_(std::move(kind)) {
  const std::scoped_lock lock(kind_->mutex);
  if (kind_->idle.empty()) {
    pricer_ = kind_->setup.pricer->clone();
  } else {
    pricer_ = std::move(kind_->idle.back());
    kind_->idle.pop_back();
  }
}

LentPricer::~LentPricer() {
  const std::scoped_lock lock(kind_->mutex);
  kind_->idle.push_back(std::move(pricer_));
}

PreparedEngines::PreparedEngines(const PlanRequest& request, const ModelArchitecture& model,
                                 std::shared_ptr<const LatencyModel> latency)
    : request_(request), model_(model), latency_(std::move(latency)) {}

const PreparedEngine& PreparedEngines::of(const Configuration& configuration,
                                          const EngineShape& shape) const {
  const std::string key =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", configuration.engine, configuration.quantization,
                  configuration.speculation, configuration.max_num_seqs, configuration.max_num_batched_tokens,
                  configuration.prefix_caching, configuration.kv_offloading_gib, shape_text(shape),
                  computes_prompts(configuration, shape));
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = prepared_.find(key); found != prepared_.end()) return *found->second;
  }
  auto made = prepare(configuration, shape);
  const std::scoped_lock lock(mutex_);
  return *prepared_.emplace(key, std::move(made)).first->second;  // the first of two that were made at once
}

std::shared_ptr<EngineKind> PreparedEngines::kind_of(const std::string& key, ServingSetup setup) const {
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<EngineKind>& kind = kinds_[key];
  if (!kind) {
    kind = std::make_shared<EngineKind>();
    kind->setup = std::move(setup);
  }
  return kind;
}

std::unique_ptr<PreparedEngine> PreparedEngines::prepare(const Configuration& configuration,
                                                         const EngineShape& shape) const {
  auto made = std::make_unique<PreparedEngine>();
  const auto refuse = [&](std::string_view reason, const std::exception& error) {
    made->refusal = Refusal{std::string(reason), error.what()};
    return std::move(made);
  };
  if (shape.data_parallel > 1 && model_.mixture() == nullptr) {
    made->refusal = Refusal{
        std::string(kNoSplit),
        fmt::format("data_parallel_sizes: {} has no experts for groups to share, expected 1 (instances are "
                    "counted anyway)",
                    model_.name)};
    return made;
  }
  ServingSetupRequest request;
  try {
    request = setup_request_of(request_, configuration, shape);
  } catch (const Unsupported& error) {
    return refuse(kNoEngine, error);
  }
  try {
    check_sharding(model_, sharding_of(spread_attention(request.config, model_), model_), "sharding");
  } catch (const Error& error) {
    return refuse(kNoSplit, error);
  }
  // Attention groups that the engine cannot be told of.
  try {
    if (shape.data_parallel > 1) (void)start_command(request.config, request.model, {});
  } catch (const Unsupported& error) {
    return refuse(kNoEngine, error);
  }
  try {
    ServingSetup setup = resolve_serving(request, latency_);
    made->config = setup.config;
    made->tiers = setup.tiers;
    made->kv_tokens = setup.kv_cache_tokens();
    const std::string key = fmt::format(
        "{}|{}|{}|{}|{}|{}|{}", configuration.engine, configuration.quantization, configuration.speculation,
        shape_text(shape), request.reads_images,
        fmt::join(graph_sizes_of(setup.config, speculation_of(setup.config).verified_tokens), ","),
        setup.config.enforce_eager);
    made->kind = kind_of(key, std::move(setup));
  } catch (const Unsupported& error) {
    return refuse(kNoKernels, error);
  } catch (const InvalidInput& error) {
    return refuse(fits_without_memory(request) ? kNoMemory : kNoEngine, error);
  }
  return made;
}

const PreparedEncoders& PreparedEngines::encoders_of(const Configuration& configuration) const {
  const std::string key =
      fmt::format("{}|{}|{}|{}|{}", configuration.engine, configuration.quantization,
                  configuration.max_num_seqs, configuration.max_num_batched_tokens, configuration.shape.gpu);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = encoders_.find(key); found != encoders_.end()) return *found->second;
  }
  auto made = std::make_unique<PreparedEncoders>();
  try {
    made->setup = encoder_setup(encoder_request_of(request_, configuration), latency_);
  } catch (const Unsupported& error) {
    made->refusal = Refusal{std::string(kNoEngine), error.what()};
  } catch (const InvalidInput& error) {
    made->refusal = Refusal{std::string(kNoMemory), error.what()};
  }
  const std::scoped_lock lock(mutex_);
  return *encoders_.emplace(key, std::move(made)).first->second;
}

// Whether it is memory alone that a setup lacks.
bool PreparedEngines::fits_without_memory(const ServingSetupRequest& request) const {
  try {
    (void)resolve_serving(request, latency_, MemoryCheck::None);
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

const KvTransferPlan& PreparedEngines::transfer_of(const EngineKind& prefill,
                                                   const EngineKind& decode) const {
  const std::pair key{&prefill, &decode};
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = transfers_.find(key); found != transfers_.end()) return found->second;
  }
  const KvTransferPlan plan = kv_transfer_of(prefill.setup, decode.setup, {}).plan;
  const std::scoped_lock lock(mutex_);
  return transfers_.emplace(key, plan).first->second;
}

std::optional<Refusal> refusal_of(const PreparedEngine& prepared, std::int64_t longest) {
  if (prepared.refusal) return prepared.refusal;
  if (prepared.config.max_model_len && longest > *prepared.config.max_model_len)
    return Refusal{std::string(kNoEngine), fmt::format("a request of {} tokens, max_model_len is {}", longest,
                                                       *prepared.config.max_model_len)};
  if (prepared.kv_tokens > 0 && longest > prepared.kv_tokens)
    return Refusal{std::string(kNoMemory),
                   fmt::format("a request of {} tokens, the KV cache holds {}", longest, prepared.kv_tokens)};
  return std::nullopt;
}

}  // namespace warploom
