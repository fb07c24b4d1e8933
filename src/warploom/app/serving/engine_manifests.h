// What files and commands that start an engine on machines must name beside its own flags: tags of images,
// routers, addresses of pools, names of GPUs. Data: data/engines/manifests.json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"

namespace warploom {

struct EngineManifest {
  std::string engine;
  std::string tag_prefix;  // of an image's tag, before the version
  // Flags that the serving program takes, where it takes fewer than the engine has options; empty: all.
  std::vector<std::string> serve_flags;

  // In front of several instances; an empty package: the engine has none.
  std::string router_package;  // as pip takes it
  std::vector<std::string> router_program;
  std::string router_pools;             // flag that says that pools are apart
  std::vector<std::string> rank_flags;  // nodes, this node's rank, the first one's address; of later ones
  std::int64_t rank_port = 0;           // joined to that address; 0: it has none

  // Pools apart: where a pool's instances tell others how to fetch keys and values. Empty: no such.
  std::string side_channel_host, side_channel_port;  // variables of the environment
  std::int64_t first_side_channel = 0;
  std::string bootstrap_flag, bootstrap_annotation;
  std::int64_t first_bootstrap = 0;

  std::vector<std::string> draft_algorithms;       // "METHOD:NAME" where the engine calls a method otherwise
  std::string host_cache_flag, host_cache_switch;  // for host memory behind the KV cache, GB of one GPU
  std::vector<std::string> kv_cache_types;         // "TYPE:NAME" where the engine calls a type otherwise
  std::vector<std::string> dynamo_releases;        // "RELEASE:ENGINE VERSION", oldest first
  // Words that tell a worker of Dynamo its role, in releases before dynamo_pools_since.
  std::string dynamo_pools_since, dynamo_old_prefill, dynamo_old_decode;

  static FieldTable describe();
};

// The manifest of an engine of the registry.
const EngineManifest& engine_manifest(std::string_view engine);

// The second part of the entry "KEY:SECOND" of a list; empty: the list has no such key.
std::string_view second_of(const std::vector<std::string>& entries, std::string_view key);

}  // namespace warploom
