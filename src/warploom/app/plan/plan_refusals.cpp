#include "warploom/app/plan/plan_refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/serving/serving_setup.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/moe/expert_routing.h"
#include "warploom/planner/load_profile.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/speculation/speculation_defaults.h"
#include "warploom/serving/speculation/speculative_config.h"

namespace warploom {
namespace {

constexpr std::size_t kLongestCount = 6;  // digits of a number of drafted tokens

void check_fleet(const PlanRequest& request) {
  check_autoscaling(request.autoscaling);
  std::vector<RoutingPolicy> policies{request.routing_policy};
  if (!request.space.routing_policies.empty()) {
    if (request.routing_policy != RoutingPolicy::Engine)
      throw InvalidInput(
          "routing_policy: the plan chooses among `routing_policies`, expected one of the two fields");
    policies.clear();
    for (const std::string& name : request.space.routing_policies)
      policies.push_back(parse_enum<RoutingPolicy>(name, "routing_policies"));
  }
  const bool follows_load = std::any_of(policies.begin(), policies.end(), [](RoutingPolicy policy) {
    return policy != RoutingPolicy::Engine && policy != RoutingPolicy::RoundRobin;
  });
  if (request.fleet.signal_interval.value() > 0 && !follows_load)
    throw InvalidInput(
        "router_signal_interval_s: requests go to instances in turn, expected another `routing_policy`, for "
        "example weighted");
  if (request.fleet.request_timeout.value() > 0 && request.space.pools != PoolLayout::Aggregated)
    throw InvalidInput(
        "request_timeout_s: is not modelled where prefill and decode are apart, expected `pools` "
        "aggregated");
  if (request.unserved_share > 0 && !request.fleet.turns_away())
    throw InvalidInput(
        "unserved_share: no request is turned away, expected `max_queued_requests` or `request_timeout_s` "
        "too");
  const bool scales = request.autoscaling.on();
  if (scales && (request.gpu_count > 0 || request.find_max_rate || request.spare_instances > 0))
    throw InvalidInput(
        "max_instances: the number of instances follows the load, expected it without `gpu_count`, "
        "`find_max_rate` and `spare_instances`");
  if (request.start_hour > 0 && (!scales || request.day_price.empty()))
    throw InvalidInput(
        "start_hour: matters where pools scale and prices change, expected `max_instances` and `day_price` "
        "too");
}

// What goes with images alone, and with encoders apart not at all.
void check_encoders(const PlanRequest& request) {
  const std::vector<std::int64_t>& encoders = request.space.encoder_instances;
  const bool apart =
      std::any_of(encoders.begin(), encoders.end(), [](std::int64_t each) { return each > 0; });
  if (!apart) return;
  if (!request.source.images)
    throw InvalidInput("encoder_instances changes nothing by itself, expected `images_per_request` too");
  if (request.autoscaling.on() || request.spare_instances > 0)
    throw InvalidInput(
        "encoder_instances: encoders that scale or may fail are not modelled, expected it without "
        "`max_instances` and `spare_instances`");
}

void check_shared_caches(const PlanRequest& request) {
  const bool store = request.shared_kv.store_size.has_value();
  if (request.kv_store_price > 0 && !store)
    throw InvalidInput("kv_store_price: there is no store, expected `kv_store_size` too");
  const SharedKv usual;
  if (!request.shared_kv.any()) {
    for (const Field& field : fields_of<SharedKv>().fields)
      if (field.get(&request.shared_kv) != field.get(&usual))
        throw InvalidInput(fmt::format(
            "{}: instances share no caches, expected `kv_store_size` or `kv_peers` too", field.name));
    return;
  }
  if (request.space.shared_caches == Tried::Off)
    throw InvalidInput(
        "shared_caches: off, so a store and peers change nothing, expected on or both, or neither "
        "`kv_store_size` nor `kv_peers`");
  if (request.space.prefix_caching != Tried::On)
    throw InvalidInput(fmt::format("{}: prefixes are shared, expected `prefix_caching` on",
                                   store ? "kv_store_size" : "kv_peers"));
}

void check_load(const PlanRequest& request, const Workload& workload) {
  if (request.find_max_rate && (workload.concurrency || workload.most_in_flight))
    throw InvalidInput(
        "find_max_rate: the load is a closed loop, which has no rate to find, expected it without "
        "`concurrency`");
  const bool rated = request.source.rate || request.source.request_rate;
  if (request.find_max_rate && rated)
    throw InvalidInput("rate: is what is to be found, expected it without `find_max_rate`");
  if (!request.find_max_rate && !workload.concurrency && !(arrival_rate(workload) > 0))
    throw InvalidInput(
        "rate: all requests come at once, expected `rate`, `concurrency`, or `gpu_count` for the highest "
        "rate of so many GPUs");
}

void check_engines(const std::vector<std::string>& engines) {
  const std::vector<std::string> known = engine_names();
  for (const std::string& entry : engines) {
    const auto [name, version] = engine_and_version(entry);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw NotFound(fmt::format("engines: '{}' is not known{}, expected one of: {}", name,
                                 did_you_mean(name, known), fmt::join(known, ", ")));
    const bool versioned = entry.find(':') != std::string::npos;
    if (versioned && (version.empty() || std::isdigit(static_cast<unsigned char>(version[0])) == 0))
      throw InvalidInput(fmt::format("engines: '{}' is no version of {}, expected for example {}:0.24.0",
                                     version, name, name));
  }
}

bool acceptance_known(const PlanRequest& request, const std::string& draft, const ModelArchitecture& model) {
  ServingConfig config;
  config.speculative_config = draft_config(draft);
  config.acceptance_length = request.acceptance_length;
  complete_speculation(config, model, request.files);
  return config.acceptance_length.has_value();
}

void check_drafts(const PlanRequest& request, const ModelArchitecture& model) {
  bool any = false;
  for (const std::string& draft : request.space.speculations) {
    if (draft_config(draft).empty()) continue;
    any = true;
    if (!acceptance_known(request, draft, model))
      throw InvalidInput(fmt::format(
          "speculations: needs the acceptance of drafts, of which none is published for {} of {}; "
          "expected `acceptance_length` too",
          draft, model.name));
  }
  if (!any && request.acceptance_length)
    throw InvalidInput("acceptance_length: changes nothing without drafts, expected `speculations` too");
}

// What only experts have.
void check_expert_fields(const SearchSpace& space, const ModelArchitecture& model) {
  const auto refuse = [&](bool given, std::string_view field, std::string_view what) {
    if (given && model.mixture() == nullptr)
      throw InvalidInput(fmt::format("{}: {}, which {} has not, expected 0", field, what, model.name));
  };
  const auto any = [](const std::vector<std::int64_t>& list) {
    return std::any_of(list.begin(), list.end(), [](std::int64_t value) { return value > 0; });
  };
  refuse(any(space.feed_forward_ranks), "num_ffn_ranks", "holds experts apart");
  refuse(any(space.redundant_experts), "num_redundant_experts", "are replicas of experts");
  for (const std::string& exchange : space.moe_exchanges)
    (void)parse_enum<MoeExchange>(exchange, "moe_exchanges");
  const auto& groups = space.data_parallel;
  const bool spread = space.expert_parallel != Tried::Off &&
                      std::any_of(groups.begin(), groups.end(), [](std::int64_t each) { return each > 1; });
  if (!space.moe_exchanges.empty() && model.mixture() == nullptr)
    throw InvalidInput(fmt::format("moe_exchanges: {} has no experts, expected none", model.name));
  if (!space.moe_exchanges.empty() && !spread)
    throw InvalidInput(
        "moe_exchanges: tokens of several groups are exchanged, expected `data_parallel_sizes` above 1 and "
        "`expert_parallel` on or both");
  if (!any(space.feed_forward_ranks) && space.micro_batches != SearchSpace().micro_batches)
    throw InvalidInput("num_afd_stages: changes nothing by itself, expected `num_ffn_ranks` too");
}

void check_sizes_of_space(const SearchSpace& space) {
  if (space.gpus.empty()) throw InvalidInput("gpu_names: is empty, expected at least one GPU to choose from");
  const auto least = [](const std::vector<std::int64_t>& sizes) {
    return sizes.empty() ? 1 : *std::min_element(sizes.begin(), sizes.end());
  };
  const std::int64_t smallest =
      least(space.tensor_parallel) * least(space.pipeline_parallel) * least(space.data_parallel);
  if (smallest > space.max_gpus)
    throw InvalidInput(
        fmt::format("max_gpus is {}, and the smallest instance of the space takes {}, expected at least that",
                    space.max_gpus, smallest));
}

}  // namespace

std::string draft_config(const std::string& entry) {
  if (entry.empty() || entry == "none") return {};
  const std::size_t colon = entry.find(':');
  const std::size_t second = colon == std::string::npos ? colon : entry.find(':', colon + 1);
  const std::string tokens = colon == std::string::npos ? "" : entry.substr(colon + 1, second - colon - 1);
  if (tokens.empty() || tokens.size() > kLongestCount ||
      tokens.find_first_not_of("0123456789") != std::string::npos || second + 1 == entry.size())
    throw InvalidInput(fmt::format(
        "speculations: '{}' is no draft, expected none, METHOD:TOKENS or METHOD:TOKENS:MODEL, for "
        "example eagle3:3",
        entry));
  Json told = {{"method", entry.substr(0, colon)}, {"num_speculative_tokens", std::stoll(tokens)}};
  if (second != std::string::npos) told["model"] = entry.substr(second + 1);
  ServingConfig config;
  config.speculative_config = told.dump();
  config.acceptance_length = 1;
  try {
    (void)speculation_of(config);
  } catch (const Error& error) {
    throw InvalidInput(fmt::format("speculations: '{}' is no draft: {}", entry, error.what()));
  }
  return config.speculative_config;
}

void check_plan_request(const PlanRequest& request, const Workload& workload,
                        const ModelArchitecture& model) {
  requires_measured(request.require_tier);
  if (request.top > 1 && request.emit.empty())
    throw InvalidInput("top: nothing is written, expected `emit` too");
  if (!request.rent.empty() && request.price_kind != PriceKind::OnDemand)
    throw InvalidInput("price_kind: `rent` says how each part is rented, expected one of the two");
  check_fleet(request);
  check_encoders(request);
  check_shared_caches(request);
  check_load(request, workload);
  check_sizes_of_space(request.space);
  check_expert_fields(request.space, model);
  check_engines(request.space.engines);
  for (const std::string& scheme : request.space.quantizations)
    if (scheme != "stored") (void)parse_enum<MatmulScheme>(scheme, "quantizations");
  (void)kv_cache_type(request.kv_cache_dtype);
  check_drafts(request, model);
  if (request.expert_routing.empty()) return;
  parse_expert_routing(request.expert_routing, "expert_routing");
  if (model.mixture() == nullptr)
    throw InvalidInput(fmt::format(
        "expert_routing: says how tokens choose experts, which {} has not, expected none", model.name));
}

}  // namespace warploom
