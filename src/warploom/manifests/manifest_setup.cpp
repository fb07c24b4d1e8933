#include "warploom/manifests/internal/manifest_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/app/predict/list_gpus.h"
#include "warploom/app/serving/engine_manifests.h"
#include "warploom/base/error.h"
#include "warploom/manifests/lines/started_fields.h"

namespace warploom {
namespace {

struct Started {
  std::string role, place;
  Json setup;  // without instances
  std::int64_t instances = 1;
};

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// By the label of GPU feature discovery, which is the device's name with dashes, or a name of ours; empty:
// not known.
std::string gpu_of(const std::string& label) {
  if (label.empty()) return {};
  for (const GpuSpec& gpu : list_gpus()) {
    std::string device = gpu.device_name;
    std::replace(device.begin(), device.end(), ' ', '-');
    if (device == label) return gpu.name;
  }
  try {
    return show_gpu(label, FileScope{}).name;
  } catch (const Error&) {
    return {};
  }
}

// The engine's version that an image's tag says; empty: none.
std::string version_of(const EngineSpec& engine, const std::string& image) {
  const std::size_t colon = image.rfind(':');
  if (colon == std::string::npos || image.find('/', colon) != std::string::npos) return {};
  const std::string repository = image.substr(0, colon);
  std::string tag = image.substr(colon + 1);
  const EngineManifest& manifest = engine_manifest(engine.name);
  if (repository.ends_with(engine.manifests.dynamo_image))
    return std::string(second_of(manifest.dynamo_releases, tag));
  if (!repository.ends_with(engine.manifests.image)) return {};
  if (!manifest.tag_prefix.empty() && tag.starts_with(manifest.tag_prefix))
    tag.erase(0, manifest.tag_prefix.size());
  tag.resize(std::min(tag.find('-'), tag.size()));  // "-cu126", "-x86_64": the same release
  const bool release = tag.find_first_not_of("0123456789.postrc") == std::string::npos && !tag.empty() &&
                       std::isdigit(static_cast<unsigned char>(tag.front())) != 0;
  return release ? tag : "";
}

// GPUs that an instance takes by its flags.
std::int64_t gpus_taken(const ServingConfig& config) {
  const std::int64_t rank = config.tensor_parallel_size * config.pipeline_parallel_size;
  return config.enable_dp_attention ? rank : rank * config.data_parallel_size;
}

class SetupReader {
 public:
  SetupReader(const Manifest& manifest, SetupUse use) : manifest_(manifest), use_(use) {
    for (const std::string& name : manifest.left_out) add_once(result_.left_out, name);
  }

  ManifestSetup read() {
    for (const ManifestPool& pool : manifest_.pools) add(started(pool));
    settle_roles();
    write_router();
    if (pools_.size() == 1) {
      result_.setup = whole(pools_.front());
      return std::move(result_);
    }
    for (const Started& pool : pools_)
      (pool.role == "prefill" ? result_.prefill : result_.decode) = whole(pool);
    return std::move(result_);
  }

 private:
  Started started(const ManifestPool& pool) {
    const EngineCommand command = parse_engine_commands(pool.commands, pool.place, manifest_.files);
    for (const auto* flags : {&command.ignored, &command.approximated})
      for (const std::string& flag : *flags) add_once(result_.left_out, flag);
    for (const std::string& flag : command.unknown) add_once(result_.left_out, flag + " (not known)");
    ServingConfig config = command.config;
    if (pool.kv_offloading_gib_per_gpu > 0)
      config.kv_offloading_size = double(pool.kv_offloading_gib_per_gpu * gpus_taken(config));
    check_gpus(pool, config);
    Started made{.role = pool.role, .place = pool.place, .setup = Json::object(), .instances = pool.replicas};
    if (!command.model.empty()) made.setup["model"] = command.model;
    if (!command.quantization.empty()) made.setup["quantization"] = command.quantization;
    if (const std::string version = version_of(engine_named(config.engine), pool.image); !version.empty())
      made.setup["engine_version"] = version;
    else if (!pool.image.empty())
      add_once(result_.left_out, "image " + pool.image);
    if (const std::string gpu = gpu_of(pool.gpu); !gpu.empty())
      made.setup["gpu"] = gpu;
    else if (!pool.gpu.empty())
      add_once(result_.left_out, "GPU " + pool.gpu);
    made.setup["config"] = started_fields(config, use_);
    return made;
  }

  void check_gpus(const ManifestPool& pool, const ServingConfig& config) {
    const std::int64_t taken = gpus_taken(config);
    if (pool.gpus == 0 || pool.gpus == taken) return;
    if (pool.gpus < taken)
      throw InvalidInput(
          fmt::format("{}: its instance takes {} GPUs by its flags and is given {}, expected {}", pool.place,
                      taken, pool.gpus, taken));
    add_once(result_.left_out,
             fmt::format("{} of {} GPUs that an instance leaves idle", pool.gpus - taken, pool.gpus));
  }

  void add(Started pool) {
    if (pool.instances == 0) return;  // scaled to nothing
    for (Started& other : pools_) {
      if (other.role != pool.role || other.setup != pool.setup) continue;
      other.instances += pool.instances;
      return;
    }
    pools_.push_back(std::move(pool));
  }

  void settle_roles() {
    if (pools_.empty())
      throw InvalidInput("the manifest starts no instance, expected replicas of at least 1");
    const auto has = [&](std::string_view role) {
      return std::any_of(pools_.begin(), pools_.end(),
                         [&](const Started& pool) { return pool.role == role; });
    };
    if (pools_.size() == 1) {
      if (has("prefill"))
        throw InvalidInput(fmt::format("{}: a pool that prefills is alone, expected one that decodes",
                                       pools_.front().place));
      return;
    }
    // Where one pool prefills, what is left decodes, as workers of Dynamo do that are told nothing.
    if (has("prefill"))
      for (Started& pool : pools_)
        if (pool.role.empty()) pool.role = "decode";
    if (pools_.size() == 2 && has("prefill") && has("decode")) return;
    throw Unsupported(fmt::format(
        "{}: engines that are started otherwise than those at {}, expected instances alike, or one pool that "
        "prefills and one that decodes",
        pools_.back().place, pools_.front().place));
  }

  // A router chooses where there is more than one instance.
  void write_router() {
    const bool chooses =
        std::any_of(pools_.begin(), pools_.end(), [](const Started& pool) { return pool.instances > 1; });
    if (!has_requests(use_) || !chooses) return;
    for (const auto& [rule, value] : manifest_.router_rules)
      result_.router[rule] = parse_json(value, "router: " + rule);
  }

  Json whole(const Started& pool) const {
    Json setup = pool.setup;
    if (!has_requests(use_)) return setup;
    if (pool.instances > 1) setup["config"]["instances"] = pool.instances;
    if (!manifest_.routing_policy.empty() && pool.instances > 1)
      setup["config"]["routing_policy"] = manifest_.routing_policy;
    return setup;
  }

  const Manifest& manifest_;
  SetupUse use_;
  std::vector<Started> pools_;
  ManifestSetup result_;
};

}  // namespace

ManifestSetup manifest_setup(const Manifest& manifest, SetupUse use) {
  return SetupReader(manifest, use).read();
}

}  // namespace warploom
