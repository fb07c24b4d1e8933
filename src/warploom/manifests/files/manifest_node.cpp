// The GPU that a pod asks for by the labels of its node.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/manifests/files/manifest_readers.h"

namespace warploom {
namespace {

bool names_gpu(const std::string& label) {
  const Json& labels = manifest_fields_data().at("gpu_labels");
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// Names of a cloud as those of our records; others stay as they are.
std::string gpu_named(const std::string& value) {
  return manifest_fields_data().at("gpu_names").value(value, value);
}

}  // namespace

std::string gpu_of_terms(const ManifestValue& terms) {
  std::vector<std::string> named;
  for (const ManifestValue& term : terms.items())
    for (const ManifestValue& match : term.at("matchExpressions").items())
      if (names_gpu(match.at("key").text()) && match.at("operator").text() == "In")
        for (const std::string& value : match.at("values").texts())
          if (std::find(named.begin(), named.end(), value) == named.end()) named.push_back(value);
  return named.size() == 1 ? gpu_named(named.front()) : "";
}

std::string gpu_of_node(const ManifestValue& pod) {
  for (const auto& [label, value] : pod.at("nodeSelector").members())
    if (names_gpu(label)) return gpu_named(value.text());
  return gpu_of_terms(pod.at("affinity")
                          .at("nodeAffinity")
                          .at("requiredDuringSchedulingIgnoredDuringExecution")
                          .at("nodeSelectorTerms"));
}

}  // namespace warploom
