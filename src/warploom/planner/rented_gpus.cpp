#include "warploom/planner/rented_gpus.h"

#include <algorithm>

namespace warploom {
namespace {

std::int64_t divided_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

std::int64_t nodes_of(std::int64_t instance, std::int64_t instances, std::int64_t node) {
  return instance >= node ? instances * divided_up(instance, node) : divided_up(instances, node / instance);
}

// Whether instances of both sizes fill nodes without a gap, however many there are of each.
bool fill_nodes(std::int64_t one, std::int64_t other, std::int64_t node) {
  const auto [small, large] = std::minmax(one, other);
  return large <= node && node % large == 0 && large % small == 0;
}

}  // namespace

RentedGpus rented_gpus(const std::vector<std::int64_t>& node_gpus, const Configuration& configuration,
                       const Fleet& fleet) {
  const auto node_of = [&](const EngineShape& shape) {
    return node_gpus.empty() ? std::int64_t(1) : node_gpus[shape.gpu];
  };
  const EngineShape& shape = configuration.shape;
  RentedGpus rented{.first = shape.gpus() * fleet.instances + configuration.encoders};
  const std::int64_t node = node_of(shape);
  if (node > 1) {
    // Encoders take one GPU each, so they fill what instances leave of their nodes.
    rented.nodes = std::max(nodes_of(shape.gpus(), fleet.instances, node), divided_up(rented.first, node));
    rented.first = rented.nodes * node;
  }
  if (!configuration.decode) return rented;
  const EngineShape& decode = *configuration.decode;
  rented.decode = decode.gpus() * fleet.decode;
  const std::int64_t other = node_of(decode);
  if (other <= 1) return rented;
  std::int64_t more = nodes_of(decode.gpus(), fleet.decode, other);
  if (decode.gpu == shape.gpu && fill_nodes(shape.gpus(), decode.gpus(), node))
    more = divided_up(gpus_of(configuration, fleet), node) - rented.nodes;
  rented.decode = more * other;
  rented.nodes += more;
  return rented;
}

}  // namespace warploom
