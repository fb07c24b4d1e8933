#include "warploom/judge/validate/concurrency_question.h"

#include "warploom/base/error.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/attention_groups.h"
#include "warploom/serving/engines/parallelism.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {
namespace {

// As the load generators of these benchmarks send them; the first of each slot wait for each other.
constexpr std::int64_t kRequestsPerSlot = 10;

void name_model(AskedEngines& asked, const ConcurrencyTruth& row,
                const std::optional<AssumedCheckpoint>& assumed, const ModelCatalog& catalog) {
  asked.setup.model = assumed && !assumed->model.empty() ? assumed->model : row.model;
  asked.model = catalog.get(asked.setup.model);
  if (!assumed) {
    asked.setup.quantization = quantization_of(row, asked.model);
  } else if (assumed->linears) {
    asked.setup.quantization = name_of(*assumed->linears);
  } else if (assumed->experts) {
    asked.without_a_field = "the experts' scheme alone";
    for (LayerGroup& group : asked.model.layers)
      if (group.mixture() != nullptr) group.schemes.experts = *assumed->experts;
  }
  if (!asked.setup.quantization.empty())
    asked.model =
        quantize_linears(asked.model, parse_enum<MatmulScheme>(asked.setup.quantization, "quantisation"));
}

// The engine's own flags for the sharding, where it has them; else the sharding in vLLM's terms, which goes
// with a model that no field names too.
void ask_for_sharding(AskedEngines& asked) {
  ServingConfig config = asked.setup.config;
  config.tensor_parallel_size = asked.sharding.tensor_parallel;
  config.pipeline_parallel_size = asked.sharding.pipeline_parallel;
  asked.setup.config = config;
  asked.setup.config.data_parallel_size = asked.sharding.attention_data_parallel;
  if (!asked.without_a_field.empty()) return;
  try {
    config.enable_expert_parallel = asked.sharding.expert_parallel > 1;
    if (asked.sharding.attention_data_parallel > 1)
      config = ask_for_groups(std::move(config), asked.sharding.attention_data_parallel);
    if (sharding_of(spread_attention(config, asked.model), asked.model) == asked.sharding) {
      asked.setup.config = config;
      return;
    }
  } catch (const Error&) {
    // The engine has no flags for it.
  }
  asked.without_a_field = "how experts or attention are spread over GPUs";
}

}  // namespace

AskedEngines asked_engines(const ConcurrencyTruth& row, const ConcurrencyLaunch& launch,
                           const LaunchedPool& pool, const StatedPlace& stated, std::int64_t instances,
                           const std::optional<AssumedCheckpoint>& assumed,
                           const ValidateConcurrencyRequest& validation, const ModelCatalog& catalog) {
  AskedEngines asked;
  name_model(asked, row, assumed, catalog);
  StatedPlace place = stated;
  if (pool.attention_data_parallel) {
    place.attention_dp = place.attention_dp.value_or(1) * place.tp.value_or(1);
    place.tp = 1;
  }
  asked.sharding = sharding_of(place, asked.model);
  if (launch.experts_whole) asked.sharding.expert_parallel = asked.sharding.moe_ranks();
  ServingSetupRequest& setup = asked.setup;
  setup.config = pool.config;
  // One set of flags serves both pools of a row; a pool whose attention is not spread has no use for these.
  if (!spreads_experts(asked.sharding)) setup.config.moe_a2a_backend = ServingConfig().moe_a2a_backend;
  setup.files = validation.files;
  setup.gpu = row.system;
  // The name of a build that is no release says its day, if anything.
  const std::string_view named_day = day_of_build(row.version);
  if (is_release(row.version))
    setup.version = row.version;
  else
    setup.day = named_day.empty() ? row.day : std::string(named_day);
  setup.predictor = validation.predictor;
  setup.host = validation.host;
  if (asked.model.mixture() != nullptr) setup.expert_routing = validation.expert_routing;
  setup.config.instances = instances;
  ask_for_sharding(asked);
  return asked;
}

WorkloadRequestSource asked_load(const ConcurrencyTruth& row, double range_ratio, std::uint64_t seed) {
  WorkloadRequestSource source;
  source.random = RandomPrompts{.input_len = row.input_tokens, .output_len = row.output_tokens};
  if (range_ratio < 1) {
    source.random->range_ratio = range_ratio;
    source.random->range = LengthRange::UpTo;
  }
  source.requests = kRequestsPerSlot * *row.concurrency;
  source.max_concurrency = row.concurrency;
  source.seed = seed;
  return source;
}

}  // namespace warploom
