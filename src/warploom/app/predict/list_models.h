// Use case `models`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warploom/base/file_scope.h"
#include "warploom/base/units.h"

namespace warploom {

// A kind of kernel that the model launches, and on which GPUs its family was measured.
struct MeasuredBlock {
  std::string block;              // the kernel's role in the model, as a step's breakdown names it
  std::string family;             // of its operator
  std::vector<std::string> gpus;  // none: answered by the structural model alone
};

struct ModelListing {
  std::string name;
  std::vector<std::string> aliases;
  std::string architecture;  // class name of the checkpoint
  std::int64_t layers = 0;
  double parameters = 0, active_parameters = 0;  // counts; active = touched by one token
  Bytes weights;                                 // on one GPU, unsharded
  Bytes kv_per_token;                            // on one GPU, unsharded
  std::string source;
  std::vector<std::string> notes;     // what is left out, or priced as something else
  std::vector<MeasuredBlock> blocks;  // of prompts and of new tokens, in the order of a step
};

// Every built-in model, by name; or the one that `name_or_path` names (a config.json of `files` or its folder
// works).
std::vector<ModelListing> list_models(const std::string& name_or_path = {},
                                      const FileScope& files = FileScope::machine());

}  // namespace warploom
