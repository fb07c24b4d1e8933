// Weights of llm-d's endpoint picker are those of our router.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/manifests/manifest_texts_test.h"

namespace warploom {
namespace {

// The engines of the fixture behind another picker.
std::string with_picker(const std::string& picker) {
  const std::string text = fixture("llm_d_with_picker.yaml");
  return text.substr(0, text.find("---\n") + 4) + picker;
}

const std::string kHead =
    "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n"
    "- {type: running-requests-size-scorer, name: running}\n- type: prefix-cache-scorer\n"
    "- type: lora-affinity-scorer\nschedulingProfiles:\n";

TEST(ManifestPicker, ReadsTheWeightsOfItsScorers) {
  const ManifestSetup setup = read(fixture("llm_d_with_picker.yaml"));
  EXPECT_EQ(setup.setup["config"]["routing_policy"], "weighted");
  EXPECT_EQ(setup.router["router_prefix_weight"], 4);
  EXPECT_EQ(setup.router["router_queue_weight"], 1.5);
  EXPECT_EQ(setup.router["router_kv_weight"], 1);  // none is written
  EXPECT_EQ(setup.router["router_cold_weight"], 0);
  EXPECT_EQ(setup.router["router_remembers_routed"], true);
}

TEST(ManifestPicker, KnowsWhatEnginesHaveCachedWhereTheyTellIt) {
  const ManifestSetup setup =
      read(with_picker("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n"
                       "- type: precise-prefix-cache-scorer\n- type: no-hit-lru-scorer\nschedulingProfiles:\n"
                       "- name: default\n  plugins: [{pluginRef: precise-prefix-cache-scorer, weight: 3}, "
                       "{pluginRef: no-hit-lru-scorer, weight: 2}]\n"));
  EXPECT_FALSE(setup.router.contains("router_remembers_routed"));
  EXPECT_EQ(setup.router["router_prefix_weight"], 3);
  EXPECT_EQ(setup.router["router_cold_weight"], 2);
  EXPECT_EQ(setup.router["router_queue_weight"], 0);
}

TEST(ManifestPicker, IsFoundInAConfigMapAndInValuesOfItsChart) {
  const std::string config =
      "    apiVersion: llm-d.ai/v1alpha1\n    kind: EndpointPickerConfig\n"
      "    plugins: [{type: queue-scorer}]\n"
      "    schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-scorer, weight: 7}]}]\n";
  const ManifestSetup map = read(
      with_picker("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: epp}\ndata:\n  a.yaml: |\n" + config));
  EXPECT_EQ(map.router["router_queue_weight"], 7);
  const std::string chart = "inferenceExtension:\n  replicas: 1\n  pluginsConfigFile: a.yaml\n";
  EXPECT_EQ(read(with_picker(chart + "  pluginsCustomConfig:\n   a.yaml: |\n" + config))
                .router["router_queue_weight"],
            7);
  const ManifestSetup usual = read(with_picker("inferenceExtension:\n  replicas: 1\n"));
  EXPECT_EQ(usual.router["router_prefix_weight"], 3);
  EXPECT_EQ(usual.router["router_queue_weight"], 2);
  EXPECT_HAS(refusal(with_picker(chart)), "a.yaml is no file of pluginsCustomConfig");
}

TEST(ManifestPicker, NamesOrRefusesWhatOurRouterHasNot) {
  const ManifestSetup named = read(with_picker(
      kHead + "- {name: a, plugins: [{pluginRef: queue-scorer}, {pluginRef: lora-affinity-scorer}]}\n"));
  EXPECT_TRUE(left_out(named, "lora-affinity-scorer"));
  EXPECT_HAS(refusal(with_picker(kHead + "- {name: a, plugins: [{pluginRef: running}]}\n")),
             "running-requests-size-scorer says where requests go and is not modelled");
  EXPECT_EQ(refusal(with_picker(kHead + "- {name: a, plugins: [{pluginRef: running, weight: 0}]}\n")),
            "was taken");
  EXPECT_HAS(refusal(with_picker(kHead + "- {name: a, plugins: [{pluginRef: queue-scorr}]}\n")),
             "did you mean 'queue-scorer'");
  EXPECT_HAS(refusal(with_picker("apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n"
                                 "plugins: [{type: queue-scores}]\n")),
             "queue-scores is no plugin that is known (did you mean 'queue-scorer'");
  EXPECT_HAS(refusal(with_picker(kHead + "- {name: a, plugins: [{pluginRef: queue-scorer}]}\n"
                                         "- {name: b, plugins: [{pluginRef: queue-scorer, weight: 2}]}\n")),
             "profiles that weigh otherwise");
  EXPECT_HAS(refusal(with_picker(kHead + "- {name: a, plugins: [{pluginRef: queue-scorer, weight: -1}]}\n")),
             "expected a number, not below 0");
  EXPECT_HAS(refusal(with_picker("apiVersion: llm-d.ai/v1\nkind: EndpointPickerConfig\nplugins: []\n")),
             "llm-d.ai/v1alpha1");
  EXPECT_HAS(refusal(with_picker(kHead + "[]\nfeatureGates: [flowControl]\n")), "flow control");
}

TEST(ManifestPicker, ProfilesOfPoolsThatAreAlikeAreOne) {
  EXPECT_EQ(read(with_picker(kHead + "- {name: prefill, plugins: [{pluginRef: queue-scorer, weight: 2}]}\n"
                                     "- {name: decode, plugins: [{pluginRef: queue-scorer, weight: 2}]}\n"))
                .router["router_queue_weight"],
            2);
}

}  // namespace
}  // namespace warploom
