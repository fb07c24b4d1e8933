// Options that say which model runs on which GPU and how the engine is started.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/cli/engine_flag_options.h"
#include "warploom/cli/field_options.h"

namespace warploom {

// Adds an option per constant of the host model; the result has those that were given. `inside`: the command
// whose figures begin in the engine's queue, so that what comes before it is refused; else empty.
std::function<HostSettings()> add_host_options(Command& command, const std::string& inside = {});
// The heading under which help shows a field of ServingConfig.
std::string group_of_field(std::string_view field);

class SetupOptions {
 public:
  // Adds --model, --gpu, --predictor, --engine-version, --quantization, --expert-routing, --tp, --pp, --dp,
  // --from-command, an option per field of ServingConfig, NodeNetwork and HostModel, and the flags of each
  // engine.
  SetupOptions(Command& command, SetupUse use);
  // What was asked for, over the defaults or over the flags of --from-command. Throws InvalidInput (also on
  // options that do not bear on the command), Unsupported.
  ServingSetupRequest parsed() const;
  // What --gpu says, for commands that also work without a model.
  const std::string& gpu() const { return request_->gpu; }
  bool has_model() const { return !request_->model.empty() || !engine_command_->empty(); }
  // An option of the engine that was given; empty when none was.
  std::string first_given() const;

 private:
  struct ShortNames {
    std::optional<std::int64_t> tensor_parallel, pipeline_parallel, data_parallel;
  };
  void check_options(const ServingConfig& config) const;
  void check_said_once() const;

  SetupUse use_;
  std::shared_ptr<ServingSetupRequest> request_;
  std::shared_ptr<ShortNames> short_;
  std::shared_ptr<std::string> engine_command_;
  std::shared_ptr<FieldOptionValues> config_, network_, host_;
  std::shared_ptr<EngineFlagOptions> flags_;
};

}  // namespace warploom
