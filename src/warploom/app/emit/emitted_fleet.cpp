#include "warploom/app/emit/emitted_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/plan/configured_setups.h"
#include "warploom/app/serving/engine_start.h"
#include "warploom/base/error.h"
#include "warploom/hardware/node_catalog.h"
#include "warploom/models/memory_footprint.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// A volume holds the weights as counted, a share for what is not counted (heads that predict several tokens,
// vision towers, tokenizers), and room for a draft and the cache's own files. Chosen, not measured.
constexpr double kVolumeShare = 1.15, kVolumeExtraGib = 20, kVolumeStepGib = 10;

// The label nvidia.com/gpu.product of GPU feature discovery: the device's name with dashes; empty: not known.
std::string gpu_product(const GpuSpec& gpu) {
  if (gpu.vendor != Vendor::Nvidia) return {};
  std::string label = gpu.device_name;
  std::replace(label.begin(), label.end(), ' ', '-');
  return label;
}

void name_gpu(EmittedPool& pool, GpuCatalog& catalog, const ServingSetupRequest& setup) {
  const GpuSpec& gpu = catalog.load_gpu(setup.gpu, setup.files);
  pool.gpu = gpu.name;
  pool.gpu_title = gpu.title;
  pool.gpu_label = gpu_product(gpu);
  pool.gpus_per_node = NodeCatalog(catalog).node_of(gpu).gpus_per_node;
}

std::string tag_of(const EmittedPool& pool) {
  const bool release = !pool.version.empty() && pool.version.front() >= '0' && pool.version.front() <= '9';
  return (release ? pool.manifest->tag_prefix : std::string()) + pool.version;
}

// The flags that tell a pool that it computes prompts or produces tokens.
void add_role(EmittedPool& pool) {
  if (!pool.apart()) return;
  const EngineManifests& manifests = pool.engine->manifests;
  const std::string_view flags = pool.role == "prefill" ? manifests.prefill_flags : manifests.decode_flags;
  if (flags.empty())
    throw Unsupported(
        fmt::format("emit: {} starts prefill and decode apart from a file of its own, which is not "
                    "written, expected `pools` aggregated or the format dynamo",
                    pool.engine->name));
  add_words(pool.command.words, flags);
}

EmittedPool pool_of(const PlanRequest& request, const PlanPoint& point, const std::string& model,
                    const std::string& role, const EngineShape& shape, std::int64_t instances) {
  const ServingSetupRequest setup = setup_request_of(request, point.configuration, shape);
  EmittedPool pool{.role = role, .instances = instances, .gpus = shape.gpus(), .shape = shape};
  pool.engine = &engine_named(setup.config.engine);
  pool.manifest = &engine_manifest(pool.engine->name);
  if (!setup.quantization.empty() && setup.quantization != "fp8")
    throw Unsupported(fmt::format(
        "emit: {} is a scheme that a checkpoint is stored in, expected `quantizations` stored with such a "
        "checkpoint as `model`",
        setup.quantization));
  GpuCatalog catalog;
  name_gpu(pool, catalog, setup);
  pool.version = setup.version.empty() ? std::string(pool.engine->version_row("").newest) : setup.version;
  pool.image = fmt::format("{}:{}", pool.engine->manifests.image, tag_of(pool));
  pool.command = served_command(setup, model);
  return pool;
}

// As the routers spell them. What a router cannot do is done by the nearest that it can.
std::string policy_of(RoutingPolicy policy) {
  switch (policy) {
    case RoutingPolicy::WaitingFirst:
    case RoutingPolicy::LeastLoaded:
      return "power_of_two";
    case RoutingPolicy::PrefixAware:
    case RoutingPolicy::SessionSticky:
    case RoutingPolicy::Weighted:
    case RoutingPolicy::KvCost:
    case RoutingPolicy::CacheAware:
      return "cache_aware";
    case RoutingPolicy::Engine:
    case RoutingPolicy::RoundRobin:
      break;
  }
  return "round_robin";
}

// What is planned and started by hand.
void refuse_unwritten(const Configuration& configuration) {
  const auto refuse = [](bool given, std::string_view what, std::string_view expected) {
    if (given) throw Unsupported(fmt::format("emit: {} is not written, expected {}", what, expected));
  };
  refuse(configuration.encoders > 0,
         "what starts encoders apart (their --ec-transfer-config and the proxy before them)",
         "`encoder_instances` 0");
  refuse(configuration.shared_caches,
         "what starts a store or joins peers (a --kv-transfer-config of its own)", "`shared_caches` off");
}

double volume_of(const PlanRequest& request) {
  const ModelArchitecture model = load_model(request.model, request.files);
  const double weights = to_gibibytes(weight_footprint(model, Sharding{}).total());
  return std::ceil((weights * kVolumeShare + kVolumeExtraGib) / kVolumeStepGib) * kVolumeStepGib;
}

}  // namespace

void add_words(std::vector<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string EmittedPool::words() const {
  return comment_text(fmt::format("{} {}, {} {}", gpus, gpu_title, engine->name, version));
}

std::int64_t EmittedFleet::instances() const {
  std::int64_t all = 0;
  for (const EmittedPool& pool : pools) all += pool.instances;
  return all;
}

EmittedFleet emitted_fleet(const PlanRequest& request, const PlanResult& plan, std::size_t point) {
  const PlanPoint& chosen = plan.search.points[point];
  refuse_unwritten(chosen.configuration);
  EmittedFleet fleet{.model = repository_of_model(request.model, request.files),
                     .name = {},
                     .pools = {},
                     .volume_gib = volume_of(request),
                     .router_policy = policy_of(request.routing_policy),
                     .point = &chosen};
  fleet.name = kubernetes_name(fleet.model);
  const bool apart = chosen.configuration.decode.has_value();
  fleet.pools.push_back(pool_of(request, chosen, fleet.model, apart ? "prefill" : "engine",
                                chosen.configuration.shape, chosen.fleet.instances));
  if (apart)
    fleet.pools.push_back(
        pool_of(request, chosen, fleet.model, "decode", *chosen.configuration.decode, chosen.fleet.decode));
  return fleet;
}

void add_pool_roles(EmittedFleet& fleet) {
  for (EmittedPool& pool : fleet.pools) add_role(pool);
}

std::vector<std::string> router_words(const EmittedFleet& fleet, const std::vector<std::string>& engines,
                                      const std::vector<std::string>& decoders) {
  const EngineManifest& manifest = *fleet.pools.front().manifest;
  std::vector<std::string> words = manifest.router_program;
  words.insert(words.end(),
               {"--host", "0.0.0.0", "--port", std::to_string(kServedPort), "--policy", fleet.router_policy});
  if (!fleet.apart()) {
    words.emplace_back("--worker-urls");
    words.insert(words.end(), engines.begin(), engines.end());
    return words;
  }
  words.push_back(manifest.router_pools);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    words.insert(words.end(), {"--prefill", engines[i]});
    if (!manifest.bootstrap_flag.empty())
      words.push_back(std::to_string(manifest.first_bootstrap + std::int64_t(i)));
  }
  for (const std::string& decoder : decoders) words.insert(words.end(), {"--decode", decoder});
  return words;
}

void check_within_node(const EmittedPool& pool, std::string_view format) {
  if (pool.nodes() <= 1) return;
  throw Unsupported(fmt::format(
      "emit: an instance of {} GPUs spans {} machines of {} {}, which {} does not hold, expected the "
      "format {} or dynamo, or sizes within a machine",
      pool.gpus, pool.nodes(), pool.gpus_per_node, pool.gpu_title, format, pool.engine->name));
}

}  // namespace warploom
