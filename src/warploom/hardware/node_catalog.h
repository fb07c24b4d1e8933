// Every node that is known: the built-in records (data/nodes/*.json). A record says only what differs from
// default_node() of its GPU.
//
// Specs handed out stay where they are for the catalog's life. Const methods may run concurrently.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/hardware/node_spec.h"

namespace warploom {

// Reads a record over the default node of its GPU and checks it. Throws InvalidInput, NotFound (its GPU),
// Unsupported (a newer version).
NodeSpec node_from_json(const Json& document, const GpuCatalog& gpus, std::string_view where);
Json node_to_json(const NodeSpec& node);

class NodeCatalog {
 public:
  // The built-in records. Each names GPUs of `gpus`.
  explicit NodeCatalog(const GpuCatalog& gpus);
  NodeCatalog(const NodeCatalog&) = delete;
  NodeCatalog& operator=(const NodeCatalog&) = delete;

  // By name or alias, spelled as GpuCatalog::find takes it. nullptr when unknown.
  const NodeSpec* find(std::string_view name) const;
  // The same; throws NotFound with the nearest names.
  const NodeSpec& get(std::string_view name) const;
  // The node a GPU is usually sold in: the first record of that GPU, else default_node(gpu).
  NodeSpec node_of(const GpuSpec& gpu) const;

  const std::deque<NodeSpec>& nodes() const { return nodes_; }
  std::vector<std::string> names() const;

 private:
  const NodeSpec& add(NodeSpec node, std::string_view where);

  std::deque<NodeSpec> nodes_;
  std::unordered_map<std::string, const NodeSpec*> by_name_;  // folded names and aliases
};

}  // namespace warploom
