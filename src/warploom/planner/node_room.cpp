#include "warploom/planner/node_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/planner/rented_gpus.h"
#include "warploom_embedded/node_room_files.h"

namespace warploom {
namespace {

constexpr double kRackUnits = 42;  // of a usual rack (EIA-310)

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

void add_nodes(const NodeRoom& room, std::int64_t nodes, FleetRoom& all) {
  all.nodes += nodes;
  const auto racks = room.per_rack > 0 ? std::optional(divided_up(nodes, room.per_rack)) : std::nullopt;
  all.racks = all.racks && racks ? std::optional(*all.racks + *racks) : std::nullopt;
  const std::int64_t powered = room.whole_racks && racks ? *racks * room.per_rack : nodes;
  all.power_kw = all.power_kw && room.power_kw > 0
                     ? std::optional(*all.power_kw + room.power_kw * double(powered))
                     : std::nullopt;
}

}  // namespace

FieldTable NodeDemand::describe() {
  using D = NodeDemand;
  return FieldList<D>("node_demand")
      .add("node", &D::node, {.doc = "name of the node", .required = true})
      .add("power_kw", &D::power_kw, {.unit = "kW", .doc = "that it takes at most", .required = true})
      .add("rack_units", &D::rack_units, {.doc = "its height in a rack", .required = true})
      .add("source", &D::source, {.doc = "where that stands", .required = true})
      .table();
}

std::optional<NodeDemand> node_demand(std::string_view node) {
  for (const EmbeddedFile& file : embedded::node_room_files()) {
    const Json document = parse_json(file.contents, file.name);
    for (const Json& entry : document["nodes"])
      if (text_member_or(entry, "node", "") == node) return object_from_json<NodeDemand>(entry, file.name);
  }
  return std::nullopt;
}

NodeRoom node_room(const NodeSpec& node, std::optional<double> rack_kw) {
  const auto demand = node_demand(node.name);
  NodeRoom room{.gpus = node.gpus_per_node, .power_kw = demand ? demand->power_kw : 0};
  const std::int64_t domain = node.gpus_per_domain();
  room.whole_racks = domain > node.gpus_per_node;
  if (room.whole_racks) room.per_rack = domain / node.gpus_per_node;
  if (!rack_kw || !(room.power_kw > 0)) return room;
  const double least = room.power_kw * double(room.whole_racks ? room.per_rack : 1);
  if (least > *rack_kw)
    throw InvalidInput(
        fmt::format("rack_power_kw is {:g}, and {} takes {:g} kW, expected at least that", *rack_kw,
                    room.whole_racks ? "a rack of " + node.title : "one " + node.title, least));
  if (room.whole_racks) return room;
  double fit = *rack_kw / room.power_kw;
  if (demand->rack_units > 0) fit = std::min(fit, kRackUnits / double(demand->rack_units));
  room.per_rack = std::max<std::int64_t>(1, std::int64_t(std::floor(fit + 1e-9)));
  return room;
}

FleetRoom room_of(const std::vector<NodeRoom>& rooms, const Configuration& configuration,
                  const Fleet& fleet) {
  std::vector<std::int64_t> node_gpus;
  for (const NodeRoom& room : rooms) node_gpus.push_back(room.gpus);
  const RentedGpus held = rented_gpus(node_gpus, configuration, fleet);
  const NodeRoom& first = rooms[configuration.shape.gpu];
  FleetRoom room{.nodes = 0, .racks = 0, .power_kw = 0};
  std::int64_t nodes = divided_up(held.first, first.gpus);
  if (configuration.decode) {
    const NodeRoom& decode = rooms[configuration.decode->gpu];
    const std::int64_t others = divided_up(held.decode, decode.gpus);
    if (configuration.decode->gpu == configuration.shape.gpu)
      nodes += others;
    else
      add_nodes(decode, others, room);
  }
  add_nodes(first, nodes, room);
  return room;
}

}  // namespace warploom
