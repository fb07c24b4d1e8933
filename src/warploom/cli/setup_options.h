// Options that say which model runs on which GPU and how the engine is started.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/json.h"
#include "warploom/cli/engine_flag_options.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/request_command.h"
#include "warploom/manifests/lines/started_fields.h"
#include "warploom/manifests/manifest_request.h"

namespace warploom {

// Refuses options of `values` by the names of other engines than that of `config`: each engine has its own,
// also for what another has too.
void check_option_names(const FieldOptionValues& values, const Json& config);
// The heading under which help shows a field of ServingConfig.
std::string group_of_field(std::string_view field);

class SetupOptions {
 public:
  // Adds --model, --gpu, --predictor, --engine-version, --quantization, --expert-routing, --tp, --pp, --dp,
  // --from-command, --manifest, an option per field of ServingConfig, NodeNetwork and HostModel, and the
  // flags of each engine.
  SetupOptions(Command& command, SetupUse use);
  // What was given, as fields of a ServingSetupRequest, over the flags of --from-command. Throws InvalidInput
  // on options that cannot be read and, without --manifest, on a model or GPU that nothing says, Unsupported.
  void write(Json& setup) const;
  // What the options that were given stand for, under the setup's engine.
  void name_fields(const Json& setup, GivenNames& names) const;
  bool has_model() const;
  // Whether the file of --manifest has pools for prompts and for tokens. After write.
  bool has_pools() const { return *manifest_ && (*manifest_)->has_pools; }
  // What --gpu says, else the file of --manifest, for commands that also work without a model.
  std::string gpu() const;
  // An option of the engine that was given; empty when none was.
  std::string first_given() const;

 private:
  struct ShortNames {
    std::optional<std::int64_t> tensor_parallel, pipeline_parallel, data_parallel;
  };
  void check_said_once() const;
  void read_outline() const;
  Json from_command() const;
  void write_options(Json& setup) const;

  SetupUse use_;
  std::shared_ptr<std::optional<ManifestOutline>> manifest_;
  std::shared_ptr<ShortNames> short_;
  std::shared_ptr<std::string> engine_command_;
  std::shared_ptr<FieldOptionValues> request_, config_, network_, host_;
  std::shared_ptr<EngineFlagOptions> flags_;
};

// Writes them into the field `setup` of a request.
RequestCommand::WriteFields setup_writer(SetupOptions setup);

}  // namespace warploom
