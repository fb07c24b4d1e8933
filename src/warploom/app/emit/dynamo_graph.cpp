#include <fmt/format.h>

#include <algorithm>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/emit/kubernetes_manifest.h"
#include "warploom/app/emit/llm_d_values.h"
#include "warploom/base/error.h"
#include "warploom/base/version.h"

namespace warploom {
namespace {

struct DynamoRelease {
  std::string release, engine;
};

// The newest whose engine is no newer than the simulated one; the oldest known where all are.
DynamoRelease release_of(const EmittedPool& pool) {
  DynamoRelease found;
  for (const std::string& entry : pool.manifest->dynamo_releases) {
    const std::size_t colon = entry.find(':');
    const DynamoRelease each{entry.substr(0, colon), entry.substr(colon + 1)};
    if (found.release.empty() || compare_versions(each.engine, pool.version) <= 0) found = each;
  }
  return found;
}

// What the engine's own program takes from a file of options, as flags of Dynamo's worker. Throws Unsupported
// where it has none.
void add_options(std::vector<std::string>& words, const EmittedPool& pool) {
  const auto& keys = pool.engine->command_line.file_keys;
  const auto& renamed = pool.engine->manifests.dynamo_flags;
  for (const auto& [name, value] : pool.command.file) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&key = name](const FileKey& each) { return each.key == key; });
    const auto flag = std::find_if(renamed.begin(), renamed.end(), [&](const RenamedFlag& each) {
      return key != keys.end() && each.own == key->flag;
    });
    if (flag == renamed.end())
      throw Unsupported(fmt::format(
          "emit: {} takes {} from a file of options, which dynamo does not hold, expected the format {}",
          pool.engine->name, name, pool.engine->name));
    if (key->takes == FileValue::Switch && value != "true") continue;
    words.emplace_back(flag->there);
    if (key->takes != FileValue::Switch) words.push_back(value);
  }
}

// What tells a worker its role in this release.
std::string_view role_flags(const EmittedPool& pool, const std::string& release) {
  const EngineManifests& manifests = pool.engine->manifests;
  const EngineManifest& manifest = *pool.manifest;
  const bool prefill = pool.role == "prefill";
  if (!manifest.dynamo_pools_since.empty() && compare_versions(release, manifest.dynamo_pools_since) < 0)
    return prefill ? manifest.dynamo_old_prefill : manifest.dynamo_old_decode;
  return prefill ? manifests.dynamo_prefill_flags : manifests.dynamo_decode_flags;
}

std::vector<std::string> worker_words(const EmittedFleet& fleet, const EmittedPool& pool,
                                      const std::string& release) {
  const EngineManifests& manifests = pool.engine->manifests;
  std::vector<std::string> words{std::string(manifests.dynamo_model_flag), fleet.model};
  const auto& own = pool.command.words;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == manifests.dynamo_model_flag) {
      ++i;  // its value stands there already
    } else if (own[i].starts_with("--") || words.size() > 2) {
      words.push_back(own[i]);
    }
  }
  for (std::string& word : words)
    for (const RenamedFlag& flag : manifests.dynamo_flags)
      if (word == flag.own) word = flag.there;
  add_options(words, pool);
  if (pool.apart()) add_words(words, role_flags(pool, release));
  return words;
}

std::string worker(const EmittedFleet& fleet, const EmittedPool& pool, const std::string& image,
                   const std::string& release) {
  std::string text =
      fmt::format("    # {}\n    {}Worker:\n      envFromSecret: {}\n      componentType: worker\n",
                  pool.words(), pool.role == "prefill" ? "Prefill" : "Decode", kTokenSecret);
  if (pool.apart()) text += fmt::format("      subComponentType: {}\n", pool.role);
  text += fmt::format("      replicas: {}\n", pool.instances);
  if (pool.nodes() > 1) text += fmt::format("      multinode:\n        nodeCount: {}\n", pool.nodes());
  text += fmt::format(
      "      resources:\n        limits:\n          gpu: \"{}\"\n      sharedMemory:\n        size: {}Gi\n"
      "      envs:\n      - {{name: HF_HOME, value: {}}}\n      volumeMounts:\n"
      "      - {{name: {}-weights, mountPoint: {}}}\n      extraPodSpec:\n",
      std::min(pool.gpus, pool.gpus_per_node), kSharedMemoryGib, kWeightsFolder, fleet.name, kWeightsFolder);
  if (!pool.gpu_label.empty())
    text += fmt::format("        nodeSelector: {{nvidia.com/gpu.product: {}}}\n", pool.gpu_label);
  return text + fmt::format(
                    "        mainContainer:\n          image: {}\n          command:\n          - python3\n"
                    "          - -m\n          - {}\n          args:\n{}",
                    image, pool.engine->manifests.dynamo_module,
                    yaml_words(worker_words(fleet, pool, release), "          "));
}

}  // namespace

std::string dynamo_graph(const EmittedFleet& fleet) {
  const EmittedPool& first = fleet.pools.front();
  const DynamoRelease release = release_of(first);
  const std::string image = fmt::format("{}:{}", first.engine->manifests.dynamo_image, release.release);
  std::string text = weights_claim(fleet) + "---\n";
  text += fmt::format(
      "# Dynamo {0} holds {1} {2}; simulated was {3}.\napiVersion: nvidia.com/v1alpha1\n"
      "kind: DynamoGraphDeployment\nmetadata:\n  name: {4}\nspec:\n  pvcs:\n"
      "  - {{name: {4}-weights, create: false}}\n  services:\n    Frontend:\n      componentType: frontend\n"
      "      replicas: 1\n      extraPodSpec:\n        mainContainer:\n          image: {5}\n",
      release.release, first.engine->name, release.engine, comment_text(first.version), fleet.name, image);
  for (const EmittedPool& pool : fleet.pools) text += worker(fleet, pool, image, release.release);
  return text;
}

}  // namespace warploom
