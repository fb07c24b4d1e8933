#include "warploom/cli/option_scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "warploom/app/serving/host_settings.h"
#include "warploom/base/error.h"
#include "warploom/cli/field_options.h"

namespace warploom {
namespace {

// The field of that name, of the engine's configuration or of its host; topics need no more.
const Field& field_named(std::string_view name) {
  const Field* field = fields_of<ServingConfig>().find(name);
  if (field == nullptr) field = fields_of<HostSettings>().find(name);
  WARPLOOM_ASSERT(field != nullptr);
  return *field;
}

std::string_view command_of(SetupUse use) {
  return use == SetupUse::Step ? "step" : use == SetupUse::StaticBatch ? "static" : "diagnose";
}

// Why fields about `topic` do not bear on `use`; empty when they do.
std::string_view reason_of(SetupUse use, const EngineSpec& engine, std::string_view topic) {
  if (use == SetupUse::Run) return {};
  if (topic == kQueueTopic || topic == kPromptTopic || topic == kReplicaTopic)
    return "its requests are one batch that waits for nothing";
  if (topic == kTierTopic) return "nothing is evicted from one batch";
  if (topic == kDraftTopic) return "drafts need requests that end at different times";
  if (topic == kAdapterTopic && use != SetupUse::StaticBatch) return "adapters are not among its kernels";
  const bool limits = topic == kBatchTopic;
  if ((limits || topic == kMemoryTopic) && use == SetupUse::Diagnosis)
    return "it looks at kernels and no memory limit";
  // What lies outside of the share of memory leaves it as it is, whatever a step holds.
  if (limits && engine.memory_share == MemoryShare::StaticPart) return "its batch is given";
  if (topic == kGraphTopic && !engine.graphs_prompts && use != SetupUse::StaticBatch)
    return "its kernels are priced at the size of the batch and not of a CUDA graph";
  return {};
}

bool differs_from_default(const ServingConfig& config, std::string_view name) {
  static const ServingConfig defaults;
  const Field& field = field_named(name);
  return field.get(&config) != field.get(&defaults);
}

}  // namespace

void check_scope(SetupUse use, std::string_view engine, std::string_view field, std::string_view option) {
  const std::string_view reason = reason_of(use, engine_named(engine), field_named(field).options.topic);
  if (reason.empty()) return;
  throw InvalidInput(fmt::format("{} is not modelled by `{}`: {}; expected it with `warploom simulate`",
                                 option, command_of(use), reason));
}

void check_companion(const ServingConfig& config, std::string_view field, std::string_view option) {
  const auto needs = field_named(field).options.needs;
  const auto present = [&](std::string_view needed) { return differs_from_default(config, needed); };
  if (needs.empty() || std::any_of(needs.begin(), needs.end(), present)) return;
  std::vector<std::string> expected;
  for (const std::string_view needed : needs) expected.push_back(option_name(needed));
  throw InvalidInput(
      fmt::format("{} changes nothing by itself, expected {} too", option, fmt::join(expected, " or ")));
}

void check_drafts(SetupUse use, const ServingConfig& config) {
  const bool speculates = !config.speculative_config.empty() || !config.speculative_algorithm.empty();
  if (use != SetupUse::Run && speculates)
    check_scope(use, config.engine, "speculative_config", "speculative decoding");
}

void check_decode_scope(std::string_view field, std::string_view option) {
  if (field_named(field).options.topic != kPromptTopic) return;
  throw InvalidInput(
      fmt::format("{} is not modelled: a decode pool computes no prompts, expected it of the "
                  "prefill pool",
                  option));
}

}  // namespace warploom
