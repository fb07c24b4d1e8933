// What a machine room must have for a deployment: nodes, their power, and the racks that they stand in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/hardware/node_spec.h"
#include "warploom/planner/configuration.h"

namespace warploom {

// A record of data/rooms: what a node takes at most.
struct NodeDemand {
  std::string node;             // its name in the catalogue
  double power_kw = 0;          // of a rack that comes whole: a node's share, switches included
  std::int64_t rack_units = 0;  // its height; 0: it stands in no rack, or comes as one
  std::string source;
  static FieldTable describe();
};

// The shipped record of a node; nothing where there is none.
std::optional<NodeDemand> node_demand(std::string_view node);

// One GPU of the space.
struct NodeRoom {
  std::int64_t gpus = 1;      // of a node
  double power_kw = 0;        // that a node takes at most; 0: unknown
  std::int64_t per_rack = 0;  // nodes in a rack; 0: unknown
  bool whole_racks = false;   // it comes as racks: what stands in one is powered whole
};

// Nodes whose links join a rack come as racks of them. Of others a rack holds as many as its units and the
// power that it supplies allow; without `rack_kw` nobody knows. Throws InvalidInput "rack_power_kw: ..."
// where a rack cannot supply one node, or a rack that comes whole.
NodeRoom node_room(const NodeSpec& node, std::optional<double> rack_kw);

struct FleetRoom {
  std::int64_t nodes = 0;
  std::optional<std::int64_t> racks;  // absent: unknown
  std::optional<double> power_kw;     // the same
};

// `rooms`: of each GPU of the space. No instance lies across more nodes than it must; two pools of one GPU
// share nodes as rented_gpus says. GPUs of different kinds stand in racks of their own.
FleetRoom room_of(const std::vector<NodeRoom>& rooms, const Configuration& configuration, const Fleet& fleet);

}  // namespace warploom
