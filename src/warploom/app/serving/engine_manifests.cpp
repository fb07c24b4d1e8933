#include "warploom/app/serving/engine_manifests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/embedded_document.h"
#include "warploom/base/json.h"
#include "warploom_embedded/engine_manifests.h"

namespace warploom {
namespace {

std::vector<EngineManifest> read_manifests(const Json& document, std::string_view where) {
  std::vector<EngineManifest> found;
  for (const Json& engine : document.at("engines"))
    found.push_back(object_from_json<EngineManifest>(engine, where));
  return found;
}

const std::vector<EngineManifest>& manifests() {
  static const std::vector<EngineManifest> read =
      from_embedded(embedded::engine_manifests(), "warploom_engine_manifests", read_manifests);
  return read;
}

}  // namespace

FieldTable EngineManifest::describe() {
  using M = EngineManifest;
  return FieldList<M>("engine_manifest")
      .add("engine", &M::engine, {.required = true})
      .add("tag_prefix", &M::tag_prefix)
      .add("serve_flags", &M::serve_flags)
      .add("router_package", &M::router_package)
      .add("router_program", &M::router_program)
      .add("router_pools", &M::router_pools)
      .add("rank_flags", &M::rank_flags)
      .add("rank_port", &M::rank_port)
      .add("side_channel_host", &M::side_channel_host)
      .add("side_channel_port", &M::side_channel_port)
      .add("first_side_channel", &M::first_side_channel)
      .add("bootstrap_flag", &M::bootstrap_flag)
      .add("bootstrap_annotation", &M::bootstrap_annotation)
      .add("first_bootstrap", &M::first_bootstrap)
      .add("draft_algorithms", &M::draft_algorithms)
      .add("host_cache_flag", &M::host_cache_flag)
      .add("host_cache_switch", &M::host_cache_switch)
      .add("kv_cache_types", &M::kv_cache_types)
      .add("dynamo_releases", &M::dynamo_releases)
      .add("dynamo_pools_since", &M::dynamo_pools_since)
      .add("dynamo_old_prefill", &M::dynamo_old_prefill)
      .add("dynamo_old_decode", &M::dynamo_old_decode)
      .table();
}

const EngineManifest& engine_manifest(std::string_view engine) {
  const auto& all = manifests();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const EngineManifest& each) { return each.engine == engine; });
  WARPLOOM_ASSERT(found != all.end());  // every engine of the registry has one
  return *found;
}

std::string_view second_of(const std::vector<std::string>& entries, std::string_view key) {
  for (const std::string& entry : entries) {
    const std::size_t colon = entry.find(':');
    if (std::string_view(entry).substr(0, colon) == key) return std::string_view(entry).substr(colon + 1);
  }
  return {};
}

}  // namespace warploom
