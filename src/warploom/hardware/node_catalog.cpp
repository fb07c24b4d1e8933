#include "warploom/hardware/node_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/folded_name.h"
#include "warploom/hardware/record_version.h"
#include "warploom_embedded/node_records.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_node";
constexpr std::int64_t kVersion = 1;

const GpuSpec& gpu_of(const Json& document, const GpuCatalog& gpus, std::string_view where) {
  const auto gpu = document.find("gpu");
  if (gpu == document.end() || !gpu->is_string()) {
    throw InvalidInput(
        fmt::format("{}: 'gpu' is missing or no text, expected the name of the node's GPU", where));
  }
  try {
    return gpus.get(gpu->get<std::string>());
  } catch (const NotFound& error) {
    throw NotFound(fmt::format("{}: 'gpu': {}", where, error.what()));
  }
}

}  // namespace

NodeSpec node_from_json(const Json& document, const GpuCatalog& gpus, std::string_view where) {
  check_record_version(document, kSchema, kVersion, where);
  const GpuSpec& gpu = gpu_of(document, gpus, where);
  NodeSpec node = default_node(gpu);
  node.title.clear();
  read_fields(document, fields_of<NodeSpec>(), &node, where);
  node.gpu = gpu.name;
  if (!document.contains("nics_per_node")) node.nics_per_node = node.gpus_per_node;
  if (node.title.empty()) node.title = node.name;
  // A record that states its number of GPUs need not repeat it for the bus that joins them.
  if (node.gpus_per_node == 1)
    node.host_bus = {};
  else if (node.host_bus.exists() && !node.host_bus.spans(node.gpus_per_node) &&
           !document.contains("host_bus")) {
    node.host_bus.domain_size = node.gpus_per_node;
  }
  node.check(where);
  return node;
}

Json node_to_json(const NodeSpec& node) {
  Json document = Json::object();
  document["schema"] = kSchema;
  document["version"] = kVersion;
  document.update(to_json(node));
  return document;
}

NodeCatalog::NodeCatalog(const GpuCatalog& gpus) {
  std::vector<NodeSpec> specs;
  for (const EmbeddedFile& record : embedded::node_records()) {
    specs.push_back(node_from_json(parse_json(record.contents, record.name), gpus, record.name));
  }
  std::sort(specs.begin(), specs.end(), [](const NodeSpec& a, const NodeSpec& b) { return a.name < b.name; });
  for (NodeSpec& spec : specs) add(std::move(spec), "built-in node records");
}

const NodeSpec* NodeCatalog::find(std::string_view name) const {
  auto entry = by_name_.find(folded_name(name));
  if (entry == by_name_.end()) entry = by_name_.find(folded_name_without_brand(name));
  return entry == by_name_.end() ? nullptr : entry->second;
}

const NodeSpec& NodeCatalog::get(std::string_view name) const {
  if (const NodeSpec* node = find(name)) return *node;
  throw NotFound(
      fmt::format("node '{}' is not known{}; expected a node's name", name, did_you_mean(name, names())));
}

NodeSpec NodeCatalog::node_of(const GpuSpec& gpu) const {
  for (const NodeSpec& node : nodes_) {
    if (node.gpu == gpu.name) return node;
  }
  return default_node(gpu);
}

std::vector<std::string> NodeCatalog::names() const {
  std::vector<std::string> result;
  result.reserve(nodes_.size());
  for (const NodeSpec& node : nodes_) result.push_back(node.name);
  return result;
}

const NodeSpec& NodeCatalog::add(NodeSpec node, std::string_view where) {
  std::vector<std::string> keys{node.name};
  keys.insert(keys.end(), node.aliases.begin(), node.aliases.end());
  for (const std::string& key : keys) {
    if (const NodeSpec* taken = find(key)) {
      throw InvalidInput(fmt::format("{}: '{}' already names node '{}', expected a name of its own", where,
                                     key, taken->name));
    }
  }
  const NodeSpec& kept = nodes_.emplace_back(std::move(node));
  for (const std::string& key : keys) by_name_.emplace(folded_name(key), &kept);
  return kept;
}

}  // namespace warploom
