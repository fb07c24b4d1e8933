// Configurations of the endpoint picker of llm-d and the Gateway API Inference Extension: weights of its
// scorers as those of our router.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "warploom/base/error.h"
#include "warploom/base/nearest_name.h"
#include "warploom/manifests/files/manifest_readers.h"

namespace warploom {
namespace {

const Json& picker_data() { return manifest_fields_data().at("picker"); }

bool lists(const char* list, const std::string& type) {
  const Json& types = picker_data().at(list);
  return std::find(types.begin(), types.end(), type) != types.end();
}

void check_type(const ManifestValue& plugin, const std::string& type) {
  std::vector<std::string> known;
  for (const char* list : {"without_effect", "named", "changes_times"})
    for (const Json& each : picker_data().at(list)) known.push_back(each.get<std::string>());
  for (const auto& [scorer, field] : picker_data().at("scorers").items()) known.push_back(scorer);
  if (std::find(known.begin(), known.end(), type) == known.end())
    throw InvalidInput(
        fmt::format("{}: {} is no plugin that is known{}", plugin.place(), type, did_you_mean(type, known)));
}

// Weights by fields of the router's rules.
using Weights = std::map<std::string, double>;

class PickerReader {
 public:
  PickerReader(Manifest& manifest, const ManifestValue& config) : manifest_(manifest), config_(config) {}

  void read() {
    config_.checked("picker");
    check_gates();
    for (const ManifestValue& plugin : config_.at("plugins").items()) add(plugin.checked("picker_plugin"));
    const std::vector<ManifestValue> profiles = config_.at("schedulingProfiles").items();
    if (profiles.empty()) {
      for (const auto& [name, type] : types_) weigh(weights_, config_, type, 1);
    } else {
      weights_ = weights_of(profiles.front());
      for (const ManifestValue& profile : profiles) check_alike(profile);
    }
    write();
  }

 private:
  void check_gates() const {
    for (const std::string& gate : config_.at("featureGates").texts())
      if (gate == "flowControl" || gate == "flowControl=true")
        throw Unsupported(fmt::format(
            "{}: flow control holds requests back, which is not read from a manifest, expected it off, and "
            "--max-queued-requests",
            config_.at("featureGates").place()));
  }

  void add(const ManifestValue& plugin) {
    const std::string type = plugin.at("type").text();
    check_type(plugin, type);
    types_[plugin.at("name").text(type)] = type;
    told_ = told_ || lists("told_by_engines", type) ||
            plugin.at("parameters").at("mode").text() == "cache_tracking";
  }

  void weigh(Weights& weights, const ManifestValue& place, const std::string& type, double weight) {
    const Json& scorers = picker_data().at("scorers");
    if (const auto scorer = scorers.find(type); scorer != scorers.end()) {
      weights[scorer->get<std::string>()] += weight;
    } else if (lists("named", type)) {
      auto& left_out = manifest_.left_out;
      if (std::find(left_out.begin(), left_out.end(), type) == left_out.end()) left_out.push_back(type);
    } else if (lists("changes_times", type) && weight != 0) {
      throw Unsupported(
          fmt::format("{}: {} says where requests go and is not modelled, expected a profile "
                      "without it, or --routing-policy and the weights of its options",
                      place.place(), type));
    }
  }

  Weights weights_of(const ManifestValue& profile) {
    profile.checked("picker_profile");
    Weights weights;
    for (const ManifestValue& plugin : profile.at("plugins").items()) {
      plugin.checked("picker_reference");
      const std::string name = plugin.at("pluginRef").text();
      const auto type = types_.find(name);
      if (type == types_.end()) {
        std::vector<std::string> known;
        for (const auto& [each, of] : types_) known.push_back(each);
        throw InvalidInput(fmt::format("{}: pluginRef {} names no plugin{}", plugin.place(), name,
                                       did_you_mean(name, known)));
      }
      weigh(weights, plugin, type->second, plugin.at("weight").real(1));
    }
    return weights;
  }

  void check_alike(const ManifestValue& profile) {
    if (weights_of(profile) != weights_)
      throw Unsupported(fmt::format(
          "{}: profiles that weigh otherwise than the first are not modelled, expected one router for "
          "all pools",
          profile.place()));
  }

  void write() {
    manifest_.router_rules.clear();
    manifest_.routing_policy = "round_robin";  // equal scores have their turn
    if (std::none_of(weights_.begin(), weights_.end(), [](const auto& each) { return each.second > 0; }))
      return;
    manifest_.routing_policy = "weighted";
    for (const auto& [rule, value] : picker_data().at("rules").items())
      manifest_.router_rules[rule] = value.dump();
    for (const auto& [scorer, field] : picker_data().at("scorers").items())
      manifest_.router_rules[field.get<std::string>()] = Json(weights_[field.get<std::string>()]).dump();
    if (!told_) manifest_.router_rules["router_remembers_routed"] = "true";
  }

  Manifest& manifest_;
  const ManifestValue& config_;
  std::map<std::string, std::string> types_;  // by name
  Weights weights_;
  bool told_ = false;  // engines tell what they have cached
};

}  // namespace

bool holds_picker(const std::string& text) {
  return text.find("kind: EndpointPickerConfig") != std::string::npos;
}

void take_picker(Manifest& manifest, const ManifestValue& config) { PickerReader(manifest, config).read(); }

void take_picker(Manifest& manifest, const std::string& text, const std::string& where) {
  for (const YamlNode& node : parse_yaml_documents(text, where))
    take_picker(manifest, ManifestValue(&node, where, &manifest.left_out));
}

void take_pool_values(Manifest& manifest, const ManifestValue& values) {
  values.checked("pool_values");
  const ManifestValue extension = values.object("inferenceExtension", "pool_extension");
  const std::string named = extension.at("pluginsConfigFile").text();
  for (const auto& [name, text] : extension.at("pluginsCustomConfig").members())
    if (named.empty() || name == named) return take_picker(manifest, text.text(), text.place());
  if (!named.empty() && named != picker_data().at("default_file").get<std::string>())
    throw InvalidInput(fmt::format("{}: pluginsConfigFile {} is no file of pluginsCustomConfig, expected one",
                                   extension.place(), named));
  const std::string usual = picker_data().at("default").dump();  // JSON is YAML
  take_picker(manifest, usual, extension.place());
}

}  // namespace warploom
