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
