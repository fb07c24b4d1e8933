#include "warploom/cli/setup_options.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/engine_command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/options.h"

namespace warploom {

std::string group_of_field(std::string_view field) {
  const Field* known = fields_of<ServingConfig>().find(field);
  const std::string_view topic = known == nullptr ? std::string_view() : known->options.topic;
  if (topic == kParallelTopic || topic == kReplicaTopic) return std::string(kParallelGroup);
  if (topic == kTierTopic || topic == kAdapterTopic) return std::string(kMemoryGroup);
  return std::string(topic == kDraftTopic ? kSpeculationGroup : kEngineGroup);
}

std::function<HostSettings()> add_host_options(Command& command, const std::string& inside) {
  const auto values =
      add_field_options(command, fields_of<HostSettings>(), {.group = std::string(kHostGroup)});
  return [values, inside] {
    for (const auto& [option, field] : values->given_options())
      if (!inside.empty() && field.starts_with("frontend"))
        throw InvalidInput(fmt::format("{} is not modelled by `{}`: its figures begin in the engine's queue",
                                       option, inside));
    HostSettings changes;
    values->apply(&changes);
    return changes;
  };
}

SetupOptions::SetupOptions(Command& command, SetupUse use)
    : use_(use),
      request_(std::make_shared<ServingSetupRequest>()),
      short_(std::make_shared<ShortNames>()),
      engine_command_(std::make_shared<std::string>()) {
  {
    const OptionGroup group(command, kModelGroup);
    command.add_option("--model", request_->model,
                       "a name (see `warploom models`) or the path of a config.json");
    command.add_option("--gpu", request_->gpu, "a name (see `warploom gpus`) or the path of a record")
        ->required();
    command.add_option("--quantization", request_->quantization,
                       "every linear layer in this scheme, for example fp8");
    command.add_option("--predictor", request_->predictor, "a folder that `train` wrote, or roofline");
    command.add_option(
        "--require-tier", request_->require_tier,
        "measured: refuse an answer that rests on kernels that were never measured on this GPU");
    command.add_option("--expert-routing", request_->expert_routing, std::string(kExpertRoutingDoc));
    command.add_option("--engine-version", request_->version, "version whose kernels are priced");
    command.add_option(
        "--from-command", *engine_command_,
        fmt::format("a whole command line that starts an engine, {}; other options override it",
                    engine_command_examples()));
  }
  {
    const OptionGroup group(command, kParallelGroup);
    command.add_option("--tp", short_->tensor_parallel, "short for --tensor-parallel-size");
    command.add_option("--pp", short_->pipeline_parallel, "short for --pipeline-parallel-size");
    command.add_option("--dp", short_->data_parallel, "short for --data-parallel-size");
  }
  config_ = add_fields_of<ServingConfig>(command, {.group_of = group_of_field});
  flags_ = std::make_shared<EngineFlagOptions>(command);
  host_ = add_field_options(command, fields_of<HostSettings>(), {.group = std::string(kHostGroup)});
}

ServingSetupRequest SetupOptions::parsed() const {
  ServingSetupRequest request = *request_;
  if (!engine_command_->empty()) {
    const EngineCommand started = parse_engine_command(*engine_command_);
    if (request.model.empty()) request.model = started.model;
    if (request.quantization.empty()) request.quantization = started.quantization;
    request.config = started.config;
    if (!started.ignored.empty()) {
      print_note(fmt::format("--from-command: without effect on time, left out: {}",
                             fmt::join(started.ignored, ", ")));
    }
  }
  if (request.model.empty())
    throw InvalidInput(
        "--model is missing, expected a name (see `warploom models`) or the path of a config.json");
  config_->apply(&request.config);
  flags_->apply(request.config);
  host_->apply(&request.host);
  ServingConfig& config = request.config;
  check_said_once();
  config.tensor_parallel_size = short_->tensor_parallel.value_or(config.tensor_parallel_size);
  config.pipeline_parallel_size = short_->pipeline_parallel.value_or(config.pipeline_parallel_size);
  config.data_parallel_size = short_->data_parallel.value_or(config.data_parallel_size);
  check_options(config);
  return request;
}

std::string SetupOptions::first_given() const {
  for (const FieldOptionValues* values : {config_.get(), host_.get()})
    if (values->any_given()) return values->given_options().front().first;
  if (!request_->require_tier.empty()) return "--require-tier";
  if (short_->tensor_parallel) return "--tp";
  if (short_->pipeline_parallel) return "--pp";
  return short_->data_parallel ? "--dp" : "";
}

void SetupOptions::check_said_once() const {
  const auto check = [&](const auto& short_name, const char* name, std::string_view field) {
    if (short_name && config_->given(field))
      throw InvalidInput(
          fmt::format("{} and {} say the same, expected one of them", name, option_name(field)));
  };
  check(short_->tensor_parallel, "--tp", "tensor_parallel_size");
  check(short_->pipeline_parallel, "--pp", "pipeline_parallel_size");
  check(short_->data_parallel, "--dp", "data_parallel_size");
}

void SetupOptions::check_options(const ServingConfig& config) const {
  std::vector<std::pair<std::string, std::string>> given = config_->given_options();
  for (const auto& [option, field] : given) check_field_engine(config, field, option);
  for (auto&& more : {flags_->given_options(config.engine), host_->given_options()})
    given.insert(given.end(), more.begin(), more.end());
  for (const auto& [option, field] : given) check_given_field(use_, config, field, option);
  check_drafts(use_, config);
}

}  // namespace warploom
