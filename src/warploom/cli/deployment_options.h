// Options of a run that say how many engines there are and what happens to them: pools for prefill and
// decode, scaling, failures.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "warploom/app/serving/simulate_serving.h"
#include "warploom/cli/field_options.h"
#include "warploom/cli/question.h"
#include "warploom/cli/setup_options.h"

namespace warploom {

class Command;

class DeploymentOptions {
 public:
  // Adds --prefill-... and --decode-... for the fields that pools usually differ in, --prefill-gpu,
  // --decode-gpu, --prefill-command, --decode-command, --kv-transfer-..., the scaling options and --fail-at.
  // Pools of its --manifest are taken from `setup`.
  DeploymentOptions(Command& command, const SetupOptions& setup);
  // Into the fields of a SimulateRequest, pools over its setup. Throws InvalidInput.
  void write(Json& request) const;
  void name_fields(GivenNames& names) const;

 private:
  struct PoolValues {
    std::string name, gpu, command;
    std::shared_ptr<FieldOptionValues> fields;
    std::optional<std::int64_t> tensor_parallel, pipeline_parallel, data_parallel;
    bool given() const;
    Json over(const Json& setup) const;
  };
  std::shared_ptr<PoolValues> add_pool(Command& command, const std::string& name);

  SetupOptions setup_;
  std::shared_ptr<PoolValues> prefill_, decode_;
  std::shared_ptr<FieldOptionValues> transfer_, autoscaling_;
  std::shared_ptr<std::vector<std::string>> failures_;
};

// "[POOL:]INSTANCE@SECONDS[+DOWN]", for example "decode:0@30+60". Throws InvalidInput.
FailureRequest parse_failure(const std::string& text);

}  // namespace warploom
