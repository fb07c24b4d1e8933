#include "warploom/cli/setup_options.h"

#include <CLI/CLI.hpp>

#include "warploom/base/error.h"

namespace warploom {

SetupOptions::SetupOptions(CLI::App& command)
    : request_(std::make_shared<ServingSetupRequest>()),
      short_(std::make_shared<ShortNames>()) {
  command.add_option("--model", request_->model, "a name (see `warploom models`) or the path of a config.json")->required();
  command.add_option("--gpu", request_->gpu, "a name (see `warploom gpus`) or the path of a record")->required();
  command.add_option("--predictor", request_->predictor, "a folder that `train` wrote, or roofline");
  command.add_option("--engine-version", request_->version, "version whose kernels are priced");
  command.add_option("--quantization", request_->quantization, "every linear layer in this scheme, for example fp8");
  command.add_option("--tp", short_->tensor_parallel, "short for --tensor-parallel-size");
  command.add_option("--pp", short_->pipeline_parallel, "short for --pipeline-parallel-size");
  command.add_option("--dp", short_->data_parallel, "short for --data-parallel-size");
  config_ = add_field_options(command, fields_of<ServingConfig>());
  host_ = add_field_options(command, fields_of<HostModel>());
}

ServingSetupRequest SetupOptions::parsed() const {
  ServingSetupRequest request = *request_;
  config_->apply(&request.config);
  host_->apply(&request.config.host);
  ServingConfig& config = request.config;
  config.tensor_parallel_size = short_->tensor_parallel.value_or(config.tensor_parallel_size);
  config.pipeline_parallel_size = short_->pipeline_parallel.value_or(config.pipeline_parallel_size);
  config.data_parallel_size = short_->data_parallel.value_or(config.data_parallel_size);
  return request;
}

}  // namespace warploom
