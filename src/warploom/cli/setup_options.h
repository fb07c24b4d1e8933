// Options that say which model runs on which GPU and how the engine is started.
#pragma once

#include <memory>
#include <optional>

#include "warploom/app/serving_setup.h"
#include "warploom/cli/field_options.h"

namespace warploom {

class SetupOptions {
 public:
  // Adds --model, --gpu, --predictor, --engine-version, --quantization, --tp, --pp, --dp,
  // and an option per field of ServingConfig and HostModel.
  explicit SetupOptions(CLI::App& command);
  // What was asked for, over the defaults. Throws InvalidInput, Unsupported.
  ServingSetupRequest parsed() const;

 private:
  struct ShortNames {
    std::optional<std::int64_t> tensor_parallel, pipeline_parallel, data_parallel;
  };
  std::shared_ptr<ServingSetupRequest> request_;
  std::shared_ptr<ShortNames> short_;
  std::shared_ptr<FieldOptionValues> config_, host_;
};

}  // namespace warploom
