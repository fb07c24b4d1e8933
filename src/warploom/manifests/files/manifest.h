// What a file that deploys engines starts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warploom/manifests/lines/engine_command.h"

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
  std::string routing_policy;  // by ServingConfig's names; empty: not said
  // Fields of FleetRules, their values as JSON.
  std::map<std::string, std::string> router_rules;
  std::vector<std::string> left_out;  // what has no effect on time
  std::vector<HeldFile> files;        // that it carries for the engines
};

}  // namespace warploom
