// Options with the flag names of engines other than vLLM.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/setup_scope.h"

namespace warploom {

class Command;

// Sets the field that `flag` (underscores) of the config's engine stands for. False when the engine has no
// such flag. Throws InvalidInput on a bad value, in a message that starts with `where`.
bool apply_engine_flag(ServingConfig& config, std::string_view flag, const std::string& text,
                       const std::string& where);

// The engine that fields of a ServingConfig name, or the one that is meant where they name none.
std::string engine_in(const Json& config);

class EngineFlagOptions {
 public:
  // Adds every flag of every engine that is not the name of a field, with dashes and with underscores.
  explicit EngineFlagOptions(Command& command);
  // Into the fields of a ServingConfig. Throws InvalidInput on a flag of another engine, naming the right
  // one.
  void write(Json& config) const;
  // The options that were given, with the fields they stand for under `engine`.
  std::vector<std::pair<std::string, std::string>> given_options(std::string_view engine) const;

 private:
  struct Entry {
    std::string flag, text;
    bool given = false;
  };
  std::shared_ptr<std::vector<std::unique_ptr<Entry>>> entries_;
};

}  // namespace warploom
