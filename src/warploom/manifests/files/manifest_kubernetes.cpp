// Objects of Kubernetes, and graphs of Dynamo, which are such objects.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/manifests/files/manifest_readers.h"

namespace warploom {
namespace {

constexpr std::string_view kGpuResource = "nvidia.com/gpu", kOtherGpuResource = "amd.com/gpu";

ManifestVariables variables_of(const ManifestValue& list) {
  ManifestVariables variables;
  for (const ManifestValue& entry : list.items())
    if (entry.at("value").given()) variables[entry.at("name").text()] = entry.at("value").text();
  return variables;
}

bool has_word(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  return at != std::string_view::npos;
}

// What labels say, else the name.
std::string role_of(const ManifestValue& labels, const std::string& name) {
  for (const auto& [key, value] : labels.members()) {
    if (key != "role" && !key.ends_with("/role")) continue;
    std::string role = value.text();
    if (role == "prefill" || role == "decode") return role;
  }
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (has_word(lower, "prefill")) return "prefill";
  return has_word(lower, "decode") ? "decode" : "";
}

std::vector<std::string> kinds_of(const char* list) {
  return manifest_fields_data().at("kinds").at(list).get<std::vector<std::string>>();
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_kind(const ManifestValue& document, const std::string& kind,
                              const std::string& version) {
  std::vector<std::string> known = kinds_of("engines");
  std::string versions;
  for (const std::string& each : known)
    if (each.starts_with(kind + " "))
      versions += (versions.empty() ? "" : " or ") + each.substr(kind.size() + 1);
  if (!versions.empty())
    throw InvalidInput(fmt::format("{}: {} is of {}, expected {}", document.place(), kind,
                                   version.empty() ? "no version" : version, versions));
  std::vector<std::string> names;
  for (const char* list : {"engines", "without_effect", "files"})
    for (const std::string& each : kinds_of(list)) names.push_back(each.substr(0, each.find(' ')));
  throw InvalidInput(fmt::format("{}: kind {} is not known{}, expected for example {}", document.place(),
                                 kind, did_you_mean(kind, names), fmt::join(known, ", ")));
}

void hold_files(Manifest& manifest, const ManifestValue& document) {
  const std::string name = document.at("metadata").at("name").text();
  for (const auto& [key, value] : document.at("data").members()) {
    if (holds_picker(value.text())) take_picker(manifest, value.text(), value.place());
    manifest.files.push_back({fmt::format("{}/{}", name, key), value.text()});
  }
}

// Files of a ConfigMap lie where a container mounts it.
void mount_files(Manifest& manifest, const ManifestValue& pod, const ManifestValue& container) {
  for (const ManifestValue& volume : pod.at("volumes").items()) {
    const std::string map = volume.at("configMap").at("name").text();
    if (map.empty()) continue;
    for (const ManifestValue& mount : container.at("volumeMounts").items()) {
      if (mount.at("name").text() != volume.at("name").text()) continue;
      std::vector<HeldFile> mounted;
      for (const HeldFile& file : manifest.files)
        if (file.path.starts_with(map + "/"))
          mounted.push_back({mount.at("mountPath").text() + file.path.substr(map.size()), file.contents});
      manifest.files.insert(manifest.files.end(), mounted.begin(), mounted.end());
    }
  }
}

void take_group(Manifest& manifest, const ManifestValue& spec, const std::string& name) {
  const ManifestValue group = spec.object("leaderWorkerTemplate", "leader_worker_template");
  const ManifestValue leader = group.at("leaderTemplate");
  const ManifestValue pod = leader.given() ? group.object("leaderTemplate", "pod_template")
                                           : group.object("workerTemplate", "pod_template");
  take_pod(manifest, {.spec = pod.object("spec", "pod"),
                      .labels = pod.at("metadata").at("labels"),
                      .name = name,
                      .replicas = spec.at("replicas").whole(1),
                      .count = group.at("size").whole(1)});
}

// A service of a graph.
struct Component {
  ManifestValue value, pod, container;
  std::string name, type, sub_type;
  std::int64_t gpus = 0;
};

void take_component(Manifest& manifest, const Component& component, ManifestVariables variables) {
  const auto is = [&](const char* type) { return component.type == type || component.sub_type == type; };
  if (component.type == "planner" || component.type == "encode" || component.type == "epp")
    throw Unsupported(fmt::format(
        "{}: a component of type {} changes times and is not read from a manifest, expected a graph without "
        "it and the options of the command for it",
        component.value.place(), component.type));
  ManifestPool pool{.role = is("prefill")  ? "prefill"
                            : is("decode") ? "decode"
                                           : role_of(component.value.at("labels"), component.name),
                    .place = component.value.place(),
                    .commands = {},
                    .replicas = component.value.at("replicas").whole(1),
                    .gpus = component.gpus,
                    .gpu = gpu_of_node(component.pod)};
  pool.gpus *= component.value.object("multinode", "dynamo_multinode").at("nodeCount").whole(1);
  if (component.type == "frontend") {
    std::vector<std::string> words = component.container.at("command").words();
    const std::vector<std::string> args = component.container.at("args").words();
    words.insert(words.end(), args.begin(), args.end());
    words.emplace_back("dynamo.frontend");
    for (const auto& [name, value] : variables_of(component.container.at("env"))) variables[name] = value;
    take_commands(manifest, pool, {words}, variables);
    return;
  }
  if (!component.container.given())
    throw InvalidInput(
        fmt::format("{}: starts no container, expected the command of its engine", component.value.place()));
  mount_files(manifest, component.pod, component.container);
  take_container(manifest, component.container, std::move(pool), std::move(variables));
}

void take_services(Manifest& manifest, const ManifestValue& spec) {
  const ManifestVariables shared = variables_of(spec.at("envs"));
  for (const auto& [name, value] : spec.at("services").members()) {
    value.checked("dynamo_v1alpha1_component");
    const ManifestValue pod = value.object("extraPodSpec", "extra_pod");
    ManifestVariables variables = shared;
    for (const auto& [key, text] : variables_of(value.at("envs"))) variables[key] = text;
    take_component(manifest,
                   {.value = value,
                    .pod = pod,
                    .container = pod.at("mainContainer"),
                    .name = name,
                    .type = value.at("componentType").text(),
                    .sub_type = value.at("subComponentType").text(),
                    .gpus = gpus_of(value.at("resources"))},
                   variables);
  }
}

void take_components(Manifest& manifest, const ManifestValue& spec) {
  const ManifestVariables shared = variables_of(spec.at("env"));
  for (const ManifestValue& value : spec.at("components").items()) {
    value.checked("dynamo_v1beta1_component");
    const ManifestValue pod = value.object("podTemplate", "pod_template").object("spec", "pod");
    const std::vector<ManifestValue> containers = pod.at("containers").items();
    ManifestValue first = pod.at("mainContainer");
    for (const ManifestValue& container : containers)
      if (!first.given() || container.at("name").text() == "main") first = container;
    take_component(manifest,
                   {.value = value,
                    .pod = pod,
                    .container = first,
                    .name = value.at("name").text(),
                    .type = value.at("type").text(),
                    .sub_type = {},
                    .gpus = gpus_of(first.at("resources"))},
                   shared);
  }
}

}  // namespace

std::int64_t gpus_of(const ManifestValue& resources) {
  for (const char* list : {"limits", "requests"})
    for (const std::string_view key : {kGpuResource, kOtherGpuResource, std::string_view("gpu")})
      if (const ManifestValue count = resources.at(list).at(key); count.given()) return count.whole(0);
  return 0;
}

void take_container(Manifest& manifest, const ManifestValue& container, ManifestPool pool,
                    ManifestVariables variables) {
  container.checked("container");
  for (const auto& [name, value] : variables_of(container.at("env"))) variables[name] = value;
  std::vector<std::string> words = container.at("command").words();
  pool.image = container.at("image").text();
  if (words.empty() && !pool.image.empty()) words.push_back(pool.image);
  const bool of_shell = !words.empty() && words.back().starts_with('-') && words.back().ends_with('c');
  const ManifestValue given = container.at("args");
  const std::vector<std::string> args =
      of_shell && given.is_text() ? std::vector<std::string>{given.text()} : given.words();
  words.insert(words.end(), args.begin(), args.end());
  if (const std::int64_t gpus = gpus_of(container.at("resources")); gpus > 0 && pool.gpus == 0)
    pool.gpus = gpus;
  const std::string place = container.place();
  if (!take_commands(manifest, std::move(pool), started_commands(words, variables, place), variables))
    manifest.left_out.push_back(fmt::format("container {}", container.at("name").text("without a name")));
}

void take_pod(Manifest& manifest, const ManifestPod& pod) {
  for (const ManifestValue& container : pod.spec.at("containers").items()) {
    mount_files(manifest, pod.spec, container);
    const std::int64_t gpus = gpus_of(container.at("resources"));
    take_container(manifest, container,
                   {.role = role_of(pod.labels, pod.name),
                    .place = container.place(),
                    .commands = {},
                    .replicas = pod.replicas,
                    .gpus = gpus * pod.count,
                    .gpu = gpu_of_node(pod.spec)});
  }
}

void take_dynamo_graph(Manifest& manifest, const ManifestValue& spec, std::string_view version) {
  if (version.ends_with("v1alpha1"))
    take_services(manifest, spec.checked("dynamo_v1alpha1"));
  else
    take_components(manifest, spec.checked("dynamo_v1beta1"));
}

void take_kubernetes_object(Manifest& manifest, const ManifestValue& document) {
  const std::string kind = document.at("kind").text(), version = document.at("apiVersion").text();
  const std::string name = document.at("metadata").at("name").text();
  if (holds(kinds_of("without_effect"), kind)) {
    manifest.left_out.push_back(kind);
    return;
  }
  if (holds(kinds_of("files"), kind)) return hold_files(manifest, document);
  if (holds(kinds_of("changes_times"), kind))
    throw Unsupported(fmt::format(
        "{}: {} scales the engines, which is not read from a manifest, expected a file without it and "
        "--scaling-policy with --max-instances",
        document.place(), kind));
  if (!holds(kinds_of("engines"), kind + " " + version)) refuse_kind(document, kind, version);
  if (kind == "EndpointPickerConfig") return take_picker(manifest, document);
  if (kind == "List") {
    document.checked("list");
    for (const ManifestValue& item : document.at("items").items()) take_kubernetes_object(manifest, item);
    return;
  }
  document.checked("document");
  const ManifestValue spec = document.at("spec");
  if (kind == "DynamoGraphDeployment") return take_dynamo_graph(manifest, spec, version);
  if (kind == "LeaderWorkerSet") return take_group(manifest, spec.checked("leader_worker_set"), name);
  if (kind == "Pod")
    return take_pod(manifest, {.spec = spec.checked("pod"),
                               .labels = document.at("metadata").at("labels"),
                               .name = name,
                               .replicas = 1});
  spec.checked(kind == "Deployment" ? "deployment" : kind == "ReplicaSet" ? "replica_set" : "stateful_set");
  const ManifestValue pod = spec.object("template", "pod_template");
  take_pod(manifest, {.spec = pod.object("spec", "pod"),
                      .labels = pod.at("metadata").at("labels"),
                      .name = name,
                      .replicas = spec.at("replicas").whole(1)});
}

}  // namespace warploom
