#include "warploom/cli/setup_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/help.h"
#include "warploom/cli/missing_option.h"
#include "warploom/cli/options.h"
#include "warploom/manifests/lines/engine_command.h"
#include "warploom/manifests/lines/engine_flag_values.h"

namespace warploom {

void check_option_names(const FieldOptionValues& values, const Json& config) {
  const ServingConfig named{.engine = engine_in(config)};
  for (const auto& [option, field] : values.given_options()) check_field_engine(named, field, option);
}

std::string group_of_field(std::string_view field) {
  const Field* known = fields_of<ServingConfig>().find(field);
  const std::string_view topic = known == nullptr ? std::string_view() : known->options.topic;
  if (topic == kParallelTopic || topic == kReplicaTopic) return std::string(kParallelGroup);
  if (topic == kTierTopic || topic == kAdapterTopic) return std::string(kMemoryGroup);
  return std::string(topic == kDraftTopic ? kSpeculationGroup : kEngineGroup);
}

namespace {

// Fields that other options write, or that bear on runs alone.
std::vector<std::string> skipped_fields(SetupUse use) {
  std::vector<std::string> skipped{"config", "network", "host", "vision_encoder", "image_tokens"};
  if (!has_requests(use)) skipped.emplace_back("engine_day");
  return skipped;
}

}  // namespace

SetupOptions::SetupOptions(Command& command, SetupUse use)
    : use_(use),
      manifest_(std::make_shared<std::optional<ManifestOutline>>()),
      short_(std::make_shared<ShortNames>()),
      engine_command_(std::make_shared<std::string>()) {
  // Images are part of a workload; a model may also come with --from-command, a GPU with --manifest.
  request_ = add_request_options<ServingSetupRequest>(
      command,
      {.skipped = skipped_fields(use), .group = std::string(kModelGroup), .elsewhere = {"model", "gpu"}});
  {
    const OptionGroup group(command, kModelGroup);
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
  network_ = add_field_options(command, fields_of<NodeNetwork>(), {.group = std::string(kParallelGroup)});
  host_ = add_field_options(command, fields_of<HostSettings>(), {.group = std::string(kHostGroup)});
}

Json SetupOptions::from_command() const {
  Json setup = Json::object();
  if (engine_command_->empty()) return setup;
  const EngineCommand started = parse_engine_command(*engine_command_);
  if (!started.model.empty()) setup["model"] = started.model;
  if (!started.quantization.empty()) setup["quantization"] = started.quantization;
  setup["config"] = started_fields(started.config, use_);
  if (!started.ignored.empty())
    print_note(fmt::format("--from-command: without effect on time, left out: {}",
                           fmt::join(started.ignored, ", ")));
  if (!started.approximated.empty())
    print_note(fmt::format("--from-command: simulated is what {} does without {}", started.config.engine,
                           fmt::join(started.approximated, ", ")));
  if (!started.unknown.empty())
    print_note(fmt::format("--from-command: not known and left out, as if without effect on time: {}",
                           fmt::join(started.unknown, ", ")));
  return setup;
}

void SetupOptions::read_outline() const {
  Json given = Json::object();
  request_->write(given);
  manifest_->reset();
  if (!given.contains("manifest")) return;
  if (!engine_command_->empty())
    throw InvalidInput("--manifest and --from-command both start engines, expected one of them");
  *manifest_ = manifest_outline(given["manifest"].get<std::string>(), use_);
}

void SetupOptions::write(Json& setup) const {
  read_outline();
  Json started = from_command();
  if (*manifest_) started["config"]["engine"] = (*manifest_)->engine;
  // Options are read over the engine that the line or file starts, whose names they have.
  Json options = Json::object();
  if (started.contains("config") && started["config"].contains("engine"))
    options["config"]["engine"] = started["config"]["engine"];
  write_options(options);
  started.merge_patch(options);
  if (started.contains("config") && started["config"].empty()) started.erase("config");
  for (const auto& [name, value] : started.items()) setup[name] = value;
  if (*manifest_) return;  // what neither it nor an option says is refused where it is read
  if (!setup.contains("gpu")) throw InvalidInput(missing_gpu_text());
  if (!setup.contains("model"))
    throw InvalidInput(
        "--model is missing, expected a name (see `warploom models`) or the path of a config.json");
}

void SetupOptions::write_options(Json& setup) const {
  Json config = setup.value("config", Json::object()), network = Json::object(), host = Json::object();
  request_->write(setup);
  config_->write(config);
  check_option_names(*config_, config);
  flags_->write(config);
  check_said_once();
  if (short_->tensor_parallel) config["tensor_parallel_size"] = *short_->tensor_parallel;
  if (short_->pipeline_parallel) config["pipeline_parallel_size"] = *short_->pipeline_parallel;
  if (short_->data_parallel) config["data_parallel_size"] = *short_->data_parallel;
  network_->write(network);
  host_->write(host);
  if (!config.empty()) setup["config"] = std::move(config);
  if (!network.empty()) setup["network"] = std::move(network);
  if (!host.empty()) setup["host"] = std::move(host);
}

void SetupOptions::name_fields(const Json& setup, GivenNames& names) const {
  names.add(config_->given_options());
  names.add(flags_->given_options(engine_in(setup.value("config", Json::object()))));
  names.add(network_->given_options());
  names.add(host_->given_options());
}

RequestCommand::WriteFields setup_writer(SetupOptions setup) {
  return [setup = std::move(setup)](Json& asked, GivenNames& names) {
    Json given = Json::object();
    setup.write(given);
    setup.name_fields(given, names);
    asked["setup"] = std::move(given);
  };
}

std::string SetupOptions::gpu() const {
  Json given = Json::object();
  request_->write(given);
  std::string said = given.value("gpu", std::string());
  if (!said.empty() || !given.contains("manifest")) return said;
  return manifest_outline(given["manifest"].get<std::string>(), use_).gpu;
}

bool SetupOptions::has_model() const {
  return request_->given("model") || !engine_command_->empty() || request_->given("manifest");
}

std::string SetupOptions::first_given() const {
  for (const FieldOptionValues* values : {config_.get(), network_.get(), host_.get()})
    if (values->any_given()) return values->given_options().front().first;
  for (const auto& [option, field] : request_->given_options())
    if (field != "gpu") return option;
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

}  // namespace warploom
