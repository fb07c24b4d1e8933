#include "warploom/app/emit/llm_d_values.h"

#include <fmt/format.h>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/emit/kubernetes_manifest.h"
#include "warploom/base/error.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// Where the engine listens behind the chart's sidecar, which takes the served port of decoding pods.
constexpr std::int64_t kBehindSidecar = 8200;
constexpr std::size_t kWordsOfTheChart = 3;  // the program, "serve" and the model

std::string environment(const EmittedPool& pool) {
  const EngineManifest& manifest = *pool.manifest;
  if (!pool.apart() || manifest.side_channel_host.empty()) return {};
  return fmt::format(
      "    env:\n    - name: {}\n      valueFrom:\n        fieldRef: {{fieldPath: status.podIP}}\n"
      "    - {{name: {}, value: '{}'}}\n",
      manifest.side_channel_host, manifest.side_channel_port, manifest.first_side_channel);
}

std::string probes(std::int64_t port) {
  const auto one = [&](const char* kind, int failures) {
    return fmt::format(
        "    {}:\n      httpGet: {{path: /health, port: {}}}\n      periodSeconds: 10\n"
        "      failureThreshold: {}\n",
        kind, port, failures);
  };
  return one("startupProbe", 360) + one("readinessProbe", 3) + one("livenessProbe", 6);
}

std::string pool_values(const char* key, const EmittedPool& pool) {
  check_within_node(pool, "llm-d");
  std::vector<std::string> words(pool.command.words.begin() + kWordsOfTheChart, pool.command.words.end());
  words.insert(words.end(), {"--host", "0.0.0.0"});
  // The chart asks for `tensor` times `data` GPUs whatever limits say, and puts its own flags before these.
  const std::int64_t each = pool.gpus / pool.shape.data_parallel;
  if (each != pool.shape.tensor_parallel)
    words.insert(words.end(), {"--tensor-parallel-size", std::to_string(pool.shape.tensor_parallel)});
  const std::int64_t port = pool.role == "decode" ? kBehindSidecar : kServedPort;
  const std::string selector =
      pool.gpu_label.empty()
          ? std::string()
          : fmt::format("  acceleratorTypes: {{labelKey: nvidia.com/gpu.product, labelValues: [{}]}}\n",
                        pool.gpu_label);
  return fmt::format(
             "# {}\n{}:\n  create: true\n  replicas: {}\n{}  parallelism: {{tensor: {}, data: {}}}\n"
             "  containers:\n  - name: vllm\n    image: {}\n    modelCommand: vllmServe\n    args:\n{}",
             pool.words(), key, pool.instances, selector, each, pool.shape.data_parallel,
             yaml_text(pool.image), yaml_words(words, "    ")) +
         environment(pool) + fmt::format("    ports:\n    - containerPort: {}\n", port) + probes(port) +
         fmt::format(
             "    resources:\n      limits: {{nvidia.com/gpu: {}}}\n    mountModelVolume: true\n"
             "    volumeMounts:\n    - {{name: shm, mountPath: /dev/shm}}\n  volumes:\n  - name: shm\n"
             "    emptyDir: {{medium: Memory, sizeLimit: {}Gi}}\n",
             pool.gpus, kSharedMemoryGib);
}

}  // namespace

std::string llm_d_values(const EmittedFleet& fleet) {
  const EmittedPool& last = fleet.pools.back();
  if (last.engine->name != default_engine())
    throw Unsupported(
        fmt::format("emit: llm-d serves with {}, expected `engines` {}", default_engine(), default_engine()));
  const std::string text = fmt::format(
      "modelArtifacts:\n  name: {0}\n  uri: {1}\n  size: {2:.0f}Gi\n  authSecretName: {3}\n"
      "  labels:\n    llm-d.ai/inferenceServing: 'true'\n    llm-d.ai/model: {4}\n"
      "routing:\n  servicePort: {5}\n  proxy:\n    enabled: {6}\n    targetPort: {7}\n",
      yaml_text(fleet.model), yaml_text("hf://" + fleet.model), fleet.volume_gib, kTokenSecret, fleet.name,
      kServedPort, fleet.apart(), kBehindSidecar);
  return text + pool_values("decode", last) +
         (fleet.apart() ? pool_values("prefill", fleet.pools.front())
                        : std::string("prefill:\n  create: false\n"));
}

}  // namespace warploom
