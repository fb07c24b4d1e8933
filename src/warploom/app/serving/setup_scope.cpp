#include "warploom/app/serving/setup_scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "warploom/app/serving/engine_releases.h"
#include "warploom/app/serving/host_settings.h"
#include "warploom/app/serving/network_scope.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_defaults.h"

namespace warploom {
namespace {

// The field of that name, of the engine's configuration or of its host; topics need no more.
const Field& field_named(std::string_view name) {
  const Field* field = fields_of<ServingConfig>().find(name);
  if (field == nullptr) field = fields_of<HostSettings>().find(name);
  WARPLOOM_ASSERT(field != nullptr);
  return *field;
}

std::string_view name_of_use(SetupUse use) {
  switch (use) {
    case SetupUse::Step:
      return "step";
    case SetupUse::StaticBatch:
      return "static";
    case SetupUse::Diagnosis:
      return "diagnose";
    case SetupUse::Steps:
      return "Step";
    case SetupUse::Run:
      return "simulate";
    case SetupUse::Forecast:
      return "forecast";
  }
  WARPLOOM_NEVER("a use of a setup without a name");
  return {};
}

// Why fields about `topic` do not bear on `use`; empty when they do.
std::string_view reason_of(SetupUse use, const EngineSpec& engine, std::string_view topic) {
  if (has_requests(use))
    return use == SetupUse::Forecast && topic == kImageTopic ? "metrics tell of no images" : "";
  if (topic == kQueueTopic || topic == kPromptTopic || topic == kReplicaTopic)
    return "its requests are one batch that waits for nothing";
  if (topic == kTierTopic) return "nothing is evicted from one batch";
  if (topic == kImageTopic) return "its prompts have no images";
  if (topic == kDraftTopic) return "drafts need requests that end at different times";
  const bool whole_pricer = use == SetupUse::StaticBatch || use == SetupUse::Steps;
  if (topic == kAdapterTopic && !whole_pricer) return "adapters are not among its kernels";
  const bool limits = topic == kBatchTopic;
  if ((limits || topic == kMemoryTopic) && use == SetupUse::Diagnosis)
    return "it looks at kernels and no memory limit";
  // What lies outside of the share of memory leaves it as it is, whatever a step holds.
  if (limits && engine.memory_share == MemoryShare::StaticPart) return "its batch is given";
  if (topic == kGraphTopic && !engine.graphs_prompts && !whole_pricer)
    return "its kernels are priced at the size of the batch and not of a CUDA graph";
  return {};
}

bool differs_from_default(const ServingConfig& config, std::string_view name) {
  static const ServingConfig defaults;
  const Field& field = field_named(name);
  return field.get(&config) != field.get(&defaults);
}

void check_scope(SetupUse use, std::string_view engine, std::string_view field, std::string_view called) {
  const std::string_view reason = reason_of(use, engine_named(engine), field_named(field).options.topic);
  if (reason.empty()) return;
  throw FieldRefusal(called, fmt::format(" is not modelled by `{}`: {}; expected it with `simulate`",
                                         name_of_use(use), reason));
}

void check_companion(const ServingConfig& config, std::string_view field, std::string_view called) {
  const auto needs = field_named(field).options.needs;
  const auto present = [&](std::string_view needed) { return differs_from_default(config, needed); };
  if (needs.empty() || std::any_of(needs.begin(), needs.end(), present)) return;
  throw FieldRefusal(
      called, fmt::format(" changes nothing by itself, expected `{}` too", fmt::join(needs, "` or `")));
}

}  // namespace

FieldRefusal::FieldRefusal(std::string_view field, std::string_view reason, std::string_view place)
    : InvalidInput(fmt::format("{}{}", field, reason)), field_(field), reason_(reason), place_(place) {}

void check_field_engine(const ServingConfig& config, std::string_view field, std::string_view called) {
  const auto& owners = field_named(field).options.owners;
  if (owners.empty() || std::find(owners.begin(), owners.end(), config.engine) != owners.end()) return;
  throw FieldRefusal(called, fmt::format(" is a flag of {}, expected one of {}, or `engine` {}",
                                         fmt::join(owners, " and "), config.engine, owners.front()));
}

void check_given_field(SetupUse use, const ServingConfig& config, std::string_view field,
                       std::string_view called) {
  check_scope(use, config.engine, field, called);
  check_companion(config, field, called);
}

void check_drafts(SetupUse use, const ServingConfig& config) {
  const bool speculates = !config.speculative_config.empty() || !config.speculative_algorithm.empty();
  if (!has_requests(use) && speculates)
    check_scope(use, config.engine, "speculative_config", "speculative decoding");
}

void check_queue_host(const HostSettings& host, std::string_view use) {
  const auto refuse = [&](std::string_view name) {
    throw FieldRefusal(name,
                       fmt::format(" is not modelled by `{}`: its figures begin in the engine's queue", use));
  };
  if (host.measured_at != HostSettings().measured_at) refuse("measured_at");
  for (const auto& [name, value] : host.values)
    if (name.starts_with("frontend")) refuse(name);
}

void check_asked_version(const ServingSetupRequest& request) {
  // "0.24.0" or "v0.24.0"
  if (request.version.empty()) return;
  if (request.version.find_first_of("0123456789") <= 1)
    return check_release(request.framework.empty() ? request.config.engine : request.framework,
                         request.version, "engine_version");
  throw InvalidInput(
      fmt::format("engine_version: '{}' is no version, expected for example 0.24.0", request.version));
}

ServingSetup resolve_asked(const ServingSetupRequest& request, std::shared_ptr<const LatencyModel> latency) {
  check_asked_version(request);
  ServingSetup setup = resolve_serving(request, std::move(latency));
  check_network_scope(request, setup);
  return setup;
}

void check_decode_scope(std::string_view field, std::string_view called) {
  if (field_named(field).options.topic != kPromptTopic) return;
  throw FieldRefusal(called,
                     " is not modelled: a decode pool computes no prompts, expected it of the prefill pool");
}

}  // namespace warploom
