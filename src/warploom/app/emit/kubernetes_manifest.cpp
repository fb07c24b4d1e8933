#include "warploom/app/emit/kubernetes_manifest.h"

#include <fmt/format.h>

#include "warploom/app/emit/emitted_text.h"
#include "warploom/app/serving/engine_start.h"
#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"

namespace warploom {
namespace {

constexpr std::string_view kOptionsFolder = "/etc/engine", kOptionsName = "options.yaml";
constexpr std::string_view kRouterImage = "python:3.12-slim";
// An engine may load weights for this long before it is taken for broken. Chosen, not measured.
constexpr int kProbeSeconds = 10, kStartProbes = 360;

std::string own_name(const EmittedFleet& fleet, const std::string& role) {
  return fmt::format("{}-{}", fleet.name, role);
}

std::string probe(std::string_view kind, int failures) {
  return fmt::format(
      "        {}:\n          httpGet: {{path: /health, port: {}}}\n          periodSeconds: {}\n"
      "          failureThreshold: {}\n",
      kind, kServedPort, kProbeSeconds, failures);
}

std::string environment(const EmittedPool& pool) {
  const EngineManifest& manifest = *pool.manifest;
  std::string text = fmt::format(
      "        env:\n        - {{name: HF_HOME, value: {}}}\n        - name: HF_TOKEN\n          valueFrom:\n"
      "            secretKeyRef: {{name: {}, key: HF_TOKEN, optional: true}}\n",
      kWeightsFolder, kTokenSecret);
  if (!pool.apart() || manifest.side_channel_host.empty()) return text;
  return text + fmt::format(
                    "        - name: {}\n          valueFrom:\n            fieldRef: {{fieldPath: "
                    "status.podIP}}\n        - {{name: {}, value: '{}'}}\n",
                    manifest.side_channel_host, manifest.side_channel_port, manifest.first_side_channel);
}

std::vector<std::string> container_words(const EmittedPool& pool) {
  std::vector<std::string> words = pool.command.words;
  words.insert(words.end(), {"--host", "0.0.0.0", "--port", std::to_string(kServedPort)});
  if (!pool.command.file.empty())
    words.insert(words.end(),
                 {options_flag(*pool.engine), fmt::format("{}/{}", kOptionsFolder, kOptionsName)});
  if (pool.role == "prefill" && !pool.manifest->bootstrap_flag.empty())
    words.insert(words.end(),
                 {pool.manifest->bootstrap_flag, std::to_string(pool.manifest->first_bootstrap)});
  return words;
}

std::string options_map(const EmittedFleet& fleet, const EmittedPool& pool) {
  if (pool.command.file.empty()) return {};
  return fmt::format(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}-options\ndata:\n  {}: |\n{}---\n",
      own_name(fleet, pool.role), kOptionsName, indented(options_text(pool.command) + "\n", "    "));
}

std::string volumes(const EmittedFleet& fleet, const EmittedPool& pool) {
  std::string text = fmt::format(
      "      volumes:\n      - name: shm\n        emptyDir: {{medium: Memory, sizeLimit: {0}Gi}}\n"
      "      - name: weights\n        persistentVolumeClaim: {{claimName: {1}-weights}}\n",
      kSharedMemoryGib, fleet.name);
  if (!pool.command.file.empty())
    text += fmt::format("      - name: options\n        configMap: {{name: {}-options}}\n",
                        own_name(fleet, pool.role));
  return text;
}

std::string mounts(const EmittedPool& pool) {
  std::string text = fmt::format(
      "        volumeMounts:\n        - {{name: shm, mountPath: /dev/shm}}\n"
      "        - {{name: weights, mountPath: {}}}\n",
      kWeightsFolder);
  if (!pool.command.file.empty())
    text += fmt::format("        - {{name: options, mountPath: {}}}\n", kOptionsFolder);
  return text;
}

std::string pool_deployment(const EmittedFleet& fleet, const EmittedPool& pool) {
  const std::string own = own_name(fleet, pool.role);
  const EngineManifest& manifest = *pool.manifest;
  std::string notes, selector;
  if (pool.role == "prefill" && !manifest.bootstrap_annotation.empty())
    notes = fmt::format("      annotations: {{{}: '{}'}}\n", manifest.bootstrap_annotation,
                        manifest.first_bootstrap);
  if (!pool.gpu_label.empty())
    selector = fmt::format("      nodeSelector: {{nvidia.com/gpu.product: {}}}\n", pool.gpu_label);
  return fmt::format(
             "# {0}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {1}\nspec:\n  replicas: {2}\n"
             "  selector:\n    matchLabels: {{app: {1}}}\n  template:\n    metadata:\n"
             "      labels: {{app: {1}, serves: {3}, role: {4}}}\n{5}    spec:\n{6}"
             "      containers:\n      - name: engine\n        image: {7}\n        command:\n{8}",
             pool.words(), own, pool.instances, fleet.name, pool.role, notes, selector, yaml_text(pool.image),
             yaml_words(container_words(pool), "        ")) +
         environment(pool) + fmt::format("        ports:\n        - containerPort: {}\n", kServedPort) +
         probe("startupProbe", kStartProbes) + probe("readinessProbe", 3) + probe("livenessProbe", 6) +
         fmt::format("        resources:\n          limits: {{nvidia.com/gpu: {}}}\n", pool.gpus) +
         mounts(pool) + volumes(fleet, pool) + "---\n";
}

// It finds its engines by their labels, and asks the cluster for the pods that have them.
std::string router_objects(const EmittedFleet& fleet) {
  const EngineManifest& manifest = *fleet.pools.front().manifest;
  const std::string own = own_name(fleet, "router");
  std::vector<std::string> words = manifest.router_program;
  words.insert(words.end(),
               {"--host", "0.0.0.0", "--port", std::to_string(kServedPort), "--policy", fleet.router_policy,
                "--service-discovery", "--service-discovery-port", std::to_string(kServedPort)});
  if (fleet.apart())
    words.insert(words.end(),
                 {manifest.router_pools, "--prefill-selector", "app=" + own_name(fleet, "prefill"),
                  "--decode-selector", "app=" + own_name(fleet, "decode")});
  else
    words.insert(words.end(), {"--selector", "app=" + own_name(fleet, "engine")});
  const std::string line = fmt::format(
      "pip install --no-cache-dir {} && exec {} --service-discovery-namespace "
      "\"$NAMESPACE\"",
      shell_line({manifest.router_package}), shell_line(words));
  return fmt::format(
      "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {0}\n---\n"
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: {0}\nrules:\n"
      "- apiGroups: ['']\n  resources: [pods]\n  verbs: [get, list, watch]\n---\n"
      "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: {0}\nroleRef:\n"
      "  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: {0}\nsubjects:\n"
      "- {{kind: ServiceAccount, name: {0}}}\n---\n"
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {0}\nspec:\n  replicas: 1\n  selector:\n"
      "    matchLabels: {{app: {0}}}\n  template:\n    metadata:\n      labels: {{app: {0}}}\n    spec:\n"
      "      serviceAccountName: {0}\n      containers:\n      - name: router\n        image: {1}\n"
      "        command: [sh, -c]\n        args:\n{2}        env:\n        - name: NAMESPACE\n"
      "          valueFrom:\n            fieldRef: {{fieldPath: metadata.namespace}}\n"
      "        ports:\n        - containerPort: {3}\n---\n",
      own, kRouterImage, yaml_words({line}, "        "), kServedPort);
}

}  // namespace

std::string weights_claim(const EmittedFleet& fleet) {
  const bool shared = fleet.instances() > 1;
  return fmt::format(
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: {}-weights\nspec:\n"
      "  accessModes: [{}]\n  resources:\n    requests: {{storage: {:.0f}Gi}}\n",
      fleet.name, shared ? "ReadWriteMany" : "ReadWriteOnce", fleet.volume_gib);
}

std::string kubernetes_manifest(const EmittedFleet& fleet) {
  if (fleet.apart() && !fleet.has_router())
    throw Unsupported(fmt::format(
        "emit: k8s: {} brings no router between pools of prompts and tokens, expected the format dynamo or "
        "`pools` aggregated",
        fleet.pools.front().engine->name));
  std::string text = weights_claim(fleet) + "---\n";
  for (const EmittedPool& pool : fleet.pools) {
    check_within_node(pool, "k8s");
    text += options_map(fleet, pool) + pool_deployment(fleet, pool);
  }
  const bool routed = fleet.needs_router() && fleet.has_router();
  if (routed) text += router_objects(fleet);
  return text + fmt::format(
                    "apiVersion: v1\nkind: Service\nmetadata:\n  name: {}\nspec:\n  selector: {{app: {}}}\n"
                    "  ports:\n  - {{port: {}, targetPort: {}}}\n",
                    fleet.name, own_name(fleet, routed ? "router" : "engine"), kServedPort, kServedPort);
}

}  // namespace warploom
