// Deployments as others write them are read as what they start.
#include "warploom/manifests/files/manifest_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "warploom/app/emit/emitted_files_test.h"
#include "warploom/manifests/manifest_texts_test.h"

namespace warploom {
namespace {

ManifestSetup setup_of(const std::string& name) {
  return manifest_setup(read_manifest(manifest_path(name)), SetupUse::Run);
}

// The error of a fixture in which one text is replaced.
std::string refusal_with(const std::string& name, const std::string& from, const std::string& to) {
  return refusal(replaced(fixture(name), from, to));
}

TEST(ManifestFile, ReadsAGraphOfDynamoWithPoolsAndItsRouter) {
  const ManifestSetup read = setup_of("dynamo_v1alpha1.yaml");
  ASSERT_TRUE(read.prefill && read.decode);
  EXPECT_EQ((*read.prefill)["model"], "Qwen/Qwen3-8B");
  EXPECT_EQ((*read.prefill)["gpu"], "h200_sxm");
  EXPECT_EQ((*read.prefill)["engine_version"], "0.23.0");
  EXPECT_EQ((*read.prefill)["config"]["instances"], 2);
  EXPECT_EQ((*read.prefill)["config"]["max_num_batched_tokens"], 4096);
  EXPECT_EQ((*read.decode)["config"]["instances"], 3);
  EXPECT_EQ((*read.decode)["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ((*read.decode)["config"]["routing_policy"], "kv_cost");
}

TEST(ManifestFile, ReadsTheNewerGraphOfDynamo) {
  const ManifestSetup read = setup_of("dynamo_v1beta1.yaml");
  EXPECT_FALSE(read.prefill);
  EXPECT_EQ(read.setup["config"]["engine"], "sglang");
  EXPECT_EQ(read.setup["engine_version"], "0.5.14");
  EXPECT_EQ(read.setup["config"]["instances"], 2);
  EXPECT_EQ(read.setup["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ(read.setup["config"]["routing_policy"], "round_robin");
}

TEST(ManifestFile, ReadsValuesOfLlmD) {
  const ManifestSetup read = setup_of("llm_d_values.yaml");
  ASSERT_TRUE(read.prefill && read.decode);
  EXPECT_EQ((*read.decode)["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ((*read.decode)["config"]["max_num_seqs"], 128);
  EXPECT_EQ((*read.decode)["config"]["instances"], 2);
  EXPECT_FALSE((*read.prefill)["config"].contains("instances"));
  EXPECT_EQ((*read.prefill)["gpu"], "h200_sxm");
}

TEST(ManifestFile, ReadsValuesOfTheProductionStack) {
  const Json setup = setup_of("production_stack_values.yaml").setup;
  EXPECT_EQ(setup["model"], "Qwen/Qwen3-8B");
  EXPECT_EQ(setup["engine_version"], "0.33.0");
  EXPECT_EQ(setup["config"]["instances"], 2);
  EXPECT_EQ(setup["config"]["tensor_parallel_size"], 2);
  EXPECT_EQ(setup["config"]["max_num_seqs"], 64);
  EXPECT_EQ(setup["config"]["max_model_len"], 16384);
  EXPECT_EQ(setup["config"]["kv_offloading_size"], 40);  // 20 a GPU
  EXPECT_EQ(setup["config"]["routing_policy"], "session_sticky");
}

TEST(ManifestFile, ReadsObjectsOfKubernetes) {
  const Json deployment = setup_of("deployment.yaml").setup;
  EXPECT_EQ(deployment["gpu"], "h100_sxm");
  EXPECT_EQ(deployment["config"]["instances"], 4);
  EXPECT_EQ(deployment["config"]["max_num_seqs"], 96);  // a variable of the container
  const Json group = setup_of("leader_worker_set.yaml").setup;
  EXPECT_EQ(group["config"]["tensor_parallel_size"], 8);
  EXPECT_EQ(group["config"]["pipeline_parallel_size"], 2);
  EXPECT_EQ(group["config"]["instances"], 2);
}

TEST(ManifestFile, ReadsAScriptOfSlurm) {
  const Json setup = setup_of("job.sbatch").setup;
  EXPECT_EQ(setup["model"], "Qwen/Qwen3-8B");
  EXPECT_EQ(setup["gpu"], "h200_sxm");
  EXPECT_EQ(setup["config"]["tensor_parallel_size"], 4);
  EXPECT_EQ(setup["config"]["max_num_batched_tokens"], 8192);
  EXPECT_EQ(setup["config"]["max_num_seqs"], 80);
  EXPECT_EQ(setup["config"]["instances"], 4);  // two lines, two tasks of the array
}

TEST(ManifestFile, NamesWhatHasNoEffect) {
  const ManifestSetup read = setup_of("deployment.yaml");
  for (const char* name : {"selector", "ports", "--port"}) EXPECT_TRUE(left_out(read, name)) << name;
}

TEST(ManifestFile, RefusesFieldsAndKindsOfOtherVersionsWithThePlaceAndTheNearestName) {
  const std::string version = refusal_with("dynamo_v1alpha1.yaml", "v1alpha1", "v1alpha2");
  EXPECT_HAS(version, "line 1");
  EXPECT_HAS(version, "nvidia.com/v1alpha1 or nvidia.com/v1beta1");
  EXPECT_HAS(refusal_with("dynamo_v1alpha1.yaml", "services:", "servces:"), "did you mean 'services'");
  EXPECT_HAS(refusal_with("dynamo_v1beta1.yaml", "components:", "services:"), "services is no field");
  EXPECT_HAS(refusal_with("deployment.yaml", "kind: Deployment", "kind: Deploymnet"),
             "did you mean 'Deployment'");
  EXPECT_HAS(refusal_with("deployment.yaml", "replicas:", "replica:"),
             "spec: replica is no field of this version");
  EXPECT_HAS(refusal_with("llm_d_values.yaml", "parallelism: {tensor", "parallelism: {tensors"),
             "did you mean 'tensor'");
  EXPECT_HAS(refusal_with("production_stack_values.yaml", "maxModelLen", "maxModelLength"),
             "did you mean 'maxModelLen'");
  EXPECT_HAS(refusal_with("job.sbatch", "--job-name", "--job-nam"), "line 2: #SBATCH: job-nam is no field");
  EXPECT_HAS(refusal_with("production_stack_values.yaml", "servingEngineSpec", "servingEngineSpecs"),
             "did you mean 'servingEngineSpec'");
}

TEST(ManifestFile, RefusesWhatChangesTimesAndIsNotModelled) {
  EXPECT_HAS(refusal_with("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment",
                          "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler"),
             "scales the engines");
  EXPECT_HAS(refusal_with("dynamo_v1alpha1.yaml", "value: kv", "value: random"),
             "'random', which is not modelled");
  EXPECT_HAS(refusal_with("dynamo_v1alpha1.yaml", "componentType: worker", "componentType: planner"),
             "planner");
  EXPECT_HAS(refusal_with("llm_d_values.yaml", "decode:", "encode: {create: true}\ndecode:"),
             "encode changes times");
  EXPECT_HAS(
      refusal_with("production_stack_values.yaml", "    vllmConfig:", "    raySpec: {}\n    vllmConfig:"),
      "raySpec changes times");
  EXPECT_HAS(refusal_with("job.sbatch", "srun --ntasks=1", "for i in 1 2; do\nsrun --ntasks=1"),
             "a loop starts");
}

TEST(ManifestFile, RefusesWhatDoesNotHoldTogether) {
  EXPECT_HAS(refusal_with("deployment.yaml", "--max-num-seqs", "--tensor-parallel-size"), "takes 96 GPUs");
  EXPECT_HAS(refusal_with("deployment.yaml", "replicas: 4", "replicas: -1"), "expected a whole number");
  EXPECT_HAS(refusal_with("deployment.yaml", "replicas: 4", "replicas: 0"), "starts no instance");
  EXPECT_HAS(refusal_with("dynamo_v1alpha1.yaml", "--is-decode-worker", "--is-prefill-worker"), "prefill");
  EXPECT_HAS(refusal_with("job.sbatch", "--max-num-batched-tokens 8192", "--max-num-batched-tokens 1024"),
             "started otherwise");
  EXPECT_THROW(read("[]"), InvalidInput);
  EXPECT_THROW(read(""), InvalidInput);
  EXPECT_THROW(read("kind: &a {b: *a}\n"), InvalidInput);
  EXPECT_THROW(read("#!/bin/sh\nvllm serve 'x\n"), InvalidInput);
}

// What `plan --emit` writes.

ManifestSetup read_back(const std::string& engine, const std::string& format,
                        const Configuration& configuration, const Fleet& fleet) {
  const Files files = emitted(engine, format, configuration, fleet);
  for (const char* name : {"start.sh", "deployment.yaml", "values.yaml", "dynamo.yaml"}) {
    const auto file = files.find(name);
    if (file == files.end()) continue;
    Manifest read = parse_manifest(file->second, name);
    for (const auto& [beside, contents] : files)
      if (beside.ends_with("_options.yaml")) read.files.push_back({beside, contents});
    return manifest_setup(read, SetupUse::Run);
  }
  throw NotFound("no manifest");
}

TEST(ManifestFile, ReadsBackWhatAPlanEmits) {
  Configuration configuration;
  configuration.shape.tensor_parallel = 4;
  for (const std::string& engine : kEngines)
    for (const std::string& format : std::vector<std::string>{engine, "k8s", "dynamo", "llm-d"}) {
      if (format == "llm-d" && engine != "vllm") continue;
      const Json setup = read_back(engine, format, configuration, {.instances = 2}).setup;
      EXPECT_EQ(setup["config"]["engine"], engine) << format;
      EXPECT_EQ(setup["config"]["tensor_parallel_size"], 4) << engine << format;
      EXPECT_EQ(setup["config"]["instances"], 2) << engine << format << setup.dump();
      EXPECT_EQ(setup["model"], "meta-llama/Llama-3.1-70B-Instruct") << engine << format;
      const std::string gpu = format == engine ? "" : "h100_sxm";  // a script names none
      EXPECT_EQ(setup.value("gpu", ""), gpu) << engine << format;
    }
}

TEST(ManifestFile, ReadsBackPoolsThatAPlanEmits) {
  const Configuration configuration = pools_of(4, 2);
  for (const auto& [engine, format] :
       std::vector<std::pair<std::string, std::string>>{{"vllm", "vllm"},
                                                        {"vllm", "k8s"},
                                                        {"vllm", "llm-d"},
                                                        {"vllm", "dynamo"},
                                                        {"sglang", "sglang"},
                                                        {"sglang", "k8s"},
                                                        {"sglang", "dynamo"},
                                                        {"trtllm", "dynamo"}}) {
    const ManifestSetup read = read_back(engine, format, configuration, {.instances = 2, .decode = 3});
    ASSERT_TRUE(read.prefill && read.decode) << engine << format;
    EXPECT_EQ((*read.prefill)["config"]["tensor_parallel_size"], 4) << engine << format;
    EXPECT_EQ((*read.prefill)["config"]["instances"], 2) << engine << format;
    EXPECT_EQ((*read.decode)["config"]["tensor_parallel_size"], 2) << engine << format;
    EXPECT_EQ((*read.decode)["config"]["instances"], 3) << engine << format;
  }
}

}  // namespace
}  // namespace warploom
