#include "warploom/judge/report/asked_run.h"

#include <nlohmann/json.hpp>

namespace warploom {
namespace {

// The members of `value` that `usual` has otherwise, or not at all.
Json changed(const Json& value, const Json& usual) {
  Json kept = Json::object();
  for (const auto& [name, member] : value.items()) {
    const Json known = usual.value(name, Json());
    if (member == known) continue;
    kept[name] = member.is_object() && known.is_object() ? changed(member, known) : member;
  }
  return kept;
}

Json setup_json(const ServingSetupRequest& setup) {
  return changed(to_json(setup), to_json(ServingSetupRequest()));
}

}  // namespace

Json asked_run_json(const SimulateRequest& request) {
  Json document = changed(to_json(request), to_json(SimulateRequest()));
  if (request.source.random) document["source"]["random"] = to_json(*request.source.random);
  if (!request.disaggregation) return document;
  const DisaggregationRequest& pools = *request.disaggregation;
  ServingSetupRequest shared = pools.decode;
  shared.config.instances = ServingConfig().instances;
  document["setup"] = setup_json(shared);
  document["disaggregation"] = {{"prefill", setup_json(pools.prefill)}, {"decode", setup_json(pools.decode)}};
  if (const Json transfer = changed(to_json(pools.transfer), to_json(KvTransferRequest())); !transfer.empty())
    document["disaggregation"]["transfer"] = transfer;
  return document;
}

}  // namespace warploom
