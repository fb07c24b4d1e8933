// The readers behind manifest_file, one for each kind of file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/manifests/files/manifest.h"
#include "warploom/manifests/files/manifest_value.h"

namespace warploom {

// Variables of an environment or a script.
using ManifestVariables = std::map<std::string, std::string, std::less<>>;

// Puts variables in for $(NAME), ${NAME}, ${NAME:-DEFAULT} and $NAME; others stay as they are.
std::string with_variables(const std::string& text, const ManifestVariables& variables);

// The commands of a container or a line: what `sh -c` is given is split as a shell does.
std::vector<std::vector<std::string>> started_commands(const std::vector<std::string>& words,
                                                       const ManifestVariables& variables,
                                                       const std::string& place);

// Adds what the commands start: an engine joins the pools, a router names its policy. Workers of Dynamo are
// taken by their engine's own flags; ranks of an instance behind its first are left out. False where they
// start neither. `pool` says all but commands.
bool take_commands(Manifest& manifest, ManifestPool pool, std::vector<std::vector<std::string>> commands,
                   const ManifestVariables& variables);

// GPUs that resources limit or request; 0: none.
std::int64_t gpus_of(const ManifestValue& resources);

// The GPU that a pod asks for by the labels of its node, in nodeSelector or in all terms of its affinity;
// empty: none, or several.
std::string gpu_of_node(const ManifestValue& pod);
std::string gpu_of_terms(const ManifestValue& terms);

// What a pod starts. `count`: pods of an instance.
struct ManifestPod {
  ManifestValue spec, labels;
  std::string name;
  std::int64_t replicas = 1, count = 1;
};
void take_pod(Manifest& manifest, const ManifestPod& pod);

// A container with a role and GPUs that its chart or graph says.
void take_container(Manifest& manifest, const ManifestValue& container, ManifestPool pool,
                    ManifestVariables variables = {});

void take_kubernetes_object(Manifest& manifest, const ManifestValue& document);
void take_dynamo_graph(Manifest& manifest, const ManifestValue& spec, std::string_view version);
void take_llm_d_values(Manifest& manifest, const ManifestValue& values);
void take_stack_values(Manifest& manifest, const ManifestValue& values);
// Takes a router by its name in a map of manifest_fields.json: policy, rules, what of it is not modelled.
void take_router(Manifest& manifest, std::string_view map, const std::string& name, const std::string& place);
// An EndpointPickerConfig, or a text that is one.
void take_picker(Manifest& manifest, const ManifestValue& config);
void take_picker(Manifest& manifest, const std::string& text, const std::string& where);
bool holds_picker(const std::string& text);
// Values of the chart inferencepool, which starts the picker.
void take_pool_values(Manifest& manifest, const ManifestValue& values);
void take_script(Manifest& manifest, std::string_view text, const std::string& where);

}  // namespace warploom
