#include "warploom/cli/setup_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "warploom/base/error.h"
#include "warploom/cli/command.h"
#include "warploom/cli/engine_command.h"

namespace warploom {

std::function<void(HostModel&)> add_host_options(CLI::App& command) {
  const auto values = add_field_options(command, fields_of<HostModel>());
  return [values](HostModel& host) { values->apply(&host); };
}

SetupOptions::SetupOptions(CLI::App& command)
    : request_(std::make_shared<ServingSetupRequest>()),
      short_(std::make_shared<ShortNames>()),
      engine_command_(std::make_shared<std::string>()) {
  command.add_option("--model", request_->model,
                     "a name (see `warploom models`) or the path of a config.json");
  command.add_option("--gpu", request_->gpu, "a name (see `warploom gpus`) or the path of a record")
      ->required();
  command.add_option("--predictor", request_->predictor, "a folder that `train` wrote, or roofline");
  command.add_option("--engine-version", request_->version, "version whose kernels are priced");
  command.add_option("--quantization", request_->quantization,
                     "every linear layer in this scheme, for example fp8");
  command.add_option(
      "--from-command", *engine_command_,
      "a whole `vllm serve`, `sglang serve` or `trtllm-serve` command line; other options override it");
  command.add_option("--tp", short_->tensor_parallel, "short for --tensor-parallel-size");
  command.add_option("--pp", short_->pipeline_parallel, "short for --pipeline-parallel-size");
  command.add_option("--dp", short_->data_parallel, "short for --data-parallel-size");
  config_ = add_field_options(command, fields_of<ServingConfig>());
  flags_ = std::make_shared<EngineFlagOptions>(command);
  request_->host_changes = add_host_options(command);
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
    throw InvalidInput("--model is missing, expected a name or the path of a config.json");
  config_->apply(&request.config);
  ServingConfig& config = request.config;
  for (const Field& field : fields_of<ServingConfig>().fields)
    if (config_->given(field.name)) check_field_engine(config, field.name, option_name(field.name));
  flags_->apply(config);
  config.tensor_parallel_size = short_->tensor_parallel.value_or(config.tensor_parallel_size);
  config.pipeline_parallel_size = short_->pipeline_parallel.value_or(config.pipeline_parallel_size);
  config.data_parallel_size = short_->data_parallel.value_or(config.data_parallel_size);
  return request;
}

}  // namespace warploom
