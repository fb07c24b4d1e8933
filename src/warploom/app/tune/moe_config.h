// Use cases `moe-config` and `train-moe-configs`: the engines' fused_moe files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/fused_moe/config_table.h"
#include "warploom/fused_moe/config_training.h"

namespace warploom {

struct MoeConfigRequest {
  std::string model;  // a name or the path of a config.json: sizes of its experts; or
  MoeLayer layer;     // the sizes; of a model only dtype, blocks and parallelism are read
  std::string gpu;    // name, alias or path of a record
  MoeEngine engine = MoeEngine::Vllm;
  std::filesystem::path table;  // of `tune fit`, measured on the GPU; empty: predicted from other GPUs
  std::filesystem::path
      samples;           // of a profile of this layer on the GPU, CSV; with `profile` goes on from it
  bool profile = false;  // measure the layer here first: into `samples`, its plan beside it
  double seconds = 240;  // stop measuring after
  std::string python = "python3";          // with torch and triton
  std::filesystem::path package;           // the folder that holds the Python package `warploom`
  FileScope files = FileScope::machine();  // where names may be paths
  std::filesystem::path output;            // folder; empty: nothing is written
  static FieldTable describe();
};

struct MoeConfigResult {
  MoeConfigTable table;
  std::vector<std::filesystem::path> files;  // written: the engine's, the sidecar, a copy of `table`
};

// Throws InvalidInput on sizes that the engine would refuse, a model without experts or a profile that was
// stopped early; NotFound, Unsupported, IoError.
MoeConfigResult moe_config(const MoeConfigRequest& request);

struct TrainMoeConfigsRequest {
  std::filesystem::path gains, near_best, output;  // as read_config_rows takes them; output: a folder
  static FieldTable describe();
};
ConfigTraining train_moe_configs(const TrainMoeConfigsRequest& request);

}  // namespace warploom
