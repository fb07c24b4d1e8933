// A file that says how engines are deployed, as others have it: objects of Kubernetes (Deployment,
// StatefulSet, LeaderWorkerSet, DynamoGraphDeployment), values of the charts of llm-d and of vLLM's
// production stack, and scripts of a shell or of Slurm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/cli/engine_command.h"

namespace warploom {

// Instances that are started by the same words.
struct ManifestPool {
  std::string role;   // "prefill" or "decode"; empty: not said
  std::string place;  // where it stands, for errors
  std::vector<std::vector<std::string>> commands;
  std::int64_t replicas = 1;
  std::int64_t gpus = 0;  // of an instance; 0: not said
  std::string gpu;        // as the file names it; empty: not said
  std::string image;      // with its tag; empty: none
  std::int64_t kv_offloading_gib_per_gpu = 0;
};

struct Manifest {
  std::vector<ManifestPool> pools;
  std::string routing_policy;         // by ServingConfig's names; empty: not said
  std::vector<std::string> left_out;  // what has no effect on time
  std::vector<HeldFile> files;        // that it carries for the engines
};

// Throws IoError; InvalidInput and Unsupported with the place: text that cannot be read, unknown kinds and
// fields (with the nearest name), what changes times and is not modelled, no engine at all.
Manifest read_manifest(const std::filesystem::path& path);
// The same of its text; `where` stands for the path.
Manifest parse_manifest(std::string_view text, const std::string& where);

}  // namespace warploom
