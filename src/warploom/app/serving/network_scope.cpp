#include "warploom/app/serving/network_scope.h"

#include <fmt/format.h>

#include <variant>

#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"

namespace warploom {

std::string_view first_given(const NodeNetwork& network) {
  for (const Field& field : fields_of<NodeNetwork>().fields)
    if (!std::holds_alternative<std::monostate>(field.get(&network))) return field.name;
  return {};
}

void check_network_scope(const ServingSetupRequest& request, const ServingSetup& setup) {
  const std::string_view given = first_given(request.network);
  if (given.empty() || setup.graph.ranks_per_node > 0) return;
  const GpuCatalog gpus;
  const NodeSpec node = NodeCatalog(gpus).node_of(*setup.gpu);
  throw InvalidInput(fmt::format(
      "{}: says what lies between nodes, but the {} GPUs of a replica share one link domain of {} "
      "({} GPUs), expected more GPUs or none of nic_gb_s, nics_per_node, oversubscription",
      given, setup.sharding.gpus_per_replica(), node.title, node.gpus_per_domain()));
}

}  // namespace warploom
