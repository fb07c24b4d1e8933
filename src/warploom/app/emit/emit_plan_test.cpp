// What is emitted is taken by the programs and platforms that it is for.
#include "warploom/app/emit/emit_plan.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "warploom/app/emit/bench_script.h"
#include "warploom/app/emit/emitted_files_test.h"
#include "warploom/app/plan/plan_load.h"
#include "warploom/app/serving/engine_manifests.h"
#include "warploom/base/error.h"
#include "warploom/base/scratch_folder_test.h"
#include "warploom/base/yaml.h"
#include "warploom/planner/load_profile.h"
#include "warploom/serving/workload/trace_jsonl.h"

namespace warploom {
namespace {

std::set<std::string> flags_in(const std::string& file) {
  std::ifstream input(std::string(WARPLOOM_SOURCE_DIR) + "/tests/fixtures/engine_flags/" + file);
  EXPECT_TRUE(input.good()) << file;
  std::set<std::string> flags;
  for (std::string flag; std::getline(input, flag);) flags.insert(flag);
  return flags;
}

std::set<std::string> flags_of_engine(const std::string& engine) {
  if (engine == "vllm") {
    std::set<std::string> flags = flags_in("vllm_0_33_0.txt");
    for (const std::string& flag : std::set<std::string>(flags))  // argparse.BooleanOptionalAction
      if (flag.starts_with("--enable-")) flags.insert("--no-" + flag.substr(2));
    return flags;
  }
  if (engine == "sglang") return flags_in("sglang_0_5_23.txt");
  const auto& own = engine_manifest(engine).serve_flags;
  return {own.begin(), own.end()};
}

// Every long flag of a text that `known` lacks.
std::vector<std::string> unknown_flags(const std::string& text, const std::set<std::string>& known) {
  std::vector<std::string> unknown;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.starts_with('\'')) word = word.substr(1, word.size() - 2);  // a scalar of YAML
    if (word.starts_with("--") && !known.contains(word)) unknown.push_back(word);
  }
  return unknown;
}

std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != std::string::npos) return line;
  return {};
}

TEST(EmitPlan, StartsEnginesByFlagsThatTheyTake) {
  for (const std::string& engine : kEngines) {
    PlanRequest request = request_for(engine);
    request.kv_cache_dtype = "fp8";
    request.gpu_memory_utilization = 0.8;
    Configuration configuration{.max_num_seqs = 64, .max_num_batched_tokens = 4096, .prefix_caching = false};
    configuration.shape = {.tensor_parallel = 4, .pipeline_parallel = 2};
    const Files files = emitted(request, plan_with(request, configuration, {}), engine);
    const std::string& start = files.at("start.sh");
    EXPECT_EQ(unknown_flags(start, flags_of_engine(engine)), std::vector<std::string>()) << start;
    for (const char* words : {"meta-llama/Llama-3.1-70B-Instruct", "--host 0.0.0.0", "--port 8000"})
      EXPECT_NE(start.find(words), std::string::npos) << start;
    EXPECT_EQ(files.contains("engine_options.yaml"), engine == "trtllm");
  }
}

TEST(EmitPlan, TellsEachEngineOfExpertsAttentionGroupsAndHostMemory) {
  for (const std::string& engine : kEngines) {
    PlanRequest request = request_for(engine);
    request.model = "DeepSeek-R1";
    Configuration configuration;
    configuration.shape = {.tensor_parallel = 1, .data_parallel = 8, .expert_parallel = true};
    if (engine != "trtllm") configuration.kv_offloading_gib = 80;
    const Files files = emitted(request, plan_with(request, configuration, {}), engine);
    EXPECT_EQ(unknown_flags(files.at("start.sh"), flags_of_engine(engine)), std::vector<std::string>())
        << files.at("start.sh");
    if (engine == "sglang") {  // 80 GiB over 8 GPUs are 10.7 GB each
      EXPECT_NE(files.at("start.sh").find("--enable-hierarchical-cache --hicache-size 10"), std::string::npos)
          << files.at("start.sh");
    }
    if (engine == "trtllm") {
      EXPECT_EQ(json_of_text(files.at("engine_options.yaml"), "options")["enable_attention_dp"], true);
    }
  }
}

TEST(EmitPlan, NamesDraftsInTheEnginesWords) {
  PlanRequest request = request_for("vllm");
  request.space.speculations = {"eagle3:3"};
  EXPECT_THROW(emitted(request, plan_with(request, {}, {}), "vllm"), InvalidInput);
  request.space.speculations = {"eagle3:3:some/draft"};
  const std::string own = emitted(request, plan_with(request, {}, {}), "vllm").at("start.sh");
  EXPECT_NE(own.find(R"("model":"some/draft")"), std::string::npos) << own;
  request.space.engines = {"sglang"};
  const std::string other = emitted(request, plan_with(request, {}, {}), "sglang").at("start.sh");
  EXPECT_NE(
      other.find("--speculative-algorithm EAGLE3 --speculative-draft-model-path some/draft "
                 "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4"),
      std::string::npos)
      << other;
  EXPECT_EQ(unknown_flags(other, flags_of_engine("sglang")), std::vector<std::string>());
  request.space.engines = {"trtllm"};
  const Files third = emitted(request, plan_with(request, {}, {}), "trtllm");
  const Json drafts = json_of_text(third.at("engine_options.yaml"), "options")["speculative_config"];
  EXPECT_EQ(drafts["decoding_type"], "Eagle");
  EXPECT_EQ(drafts["max_draft_len"], 3);
  EXPECT_EQ(drafts["speculative_model_dir"], "some/draft");
}

TEST(EmitPlan, PutsARouterBeforeSeveralInstances) {
  Configuration configuration;
  configuration.shape.tensor_parallel = 4;
  const std::string start = emitted("vllm", "vllm", configuration, {.instances = 3}).at("start.sh");
  const std::string first = line_with(start, "--port 8001"), second = line_with(start, "--port 8002");
  EXPECT_NE(first.find("CUDA_VISIBLE_DEVICES=0,1,2,3 exec vllm serve"), std::string::npos) << start;
  EXPECT_NE(second.find("CUDA_VISIBLE_DEVICES=4,5,6,7"), std::string::npos) << start;
  const std::string router = line_with(start, "exec vllm-router");
  EXPECT_NE(router.find("http://$MACHINE_0:8002\" \"http://$MACHINE_1:8003\""), std::string::npos) << router;
  EXPECT_EQ(unknown_flags(router, flags_in("vllm_router_0_1_17.txt")), std::vector<std::string>());
  const std::string other =
      line_with(emitted("sglang", "sglang", configuration, {.instances = 2}).at("start.sh"), "launch_router");
  EXPECT_EQ(unknown_flags(other, flags_in("sglang_router_0_3_2.txt")), std::vector<std::string>());
  const std::string none = emitted("trtllm", "trtllm", configuration, {.instances = 2}).at("start.sh");
  EXPECT_NE(none.find("brings no router"), std::string::npos) << none;
}

TEST(EmitPlan, GivesPoolsTheirAddresses) {
  const Fleet fleet{.instances = 2, .decode = 1};
  const std::string vllm = emitted("vllm", "vllm", pools_of(2, 4), fleet).at("start.sh");
  EXPECT_NE(line_with(vllm, "--port 8001")
                .find("VLLM_NIXL_SIDE_CHANNEL_HOST=\"$MACHINE_0\" "
                      "VLLM_NIXL_SIDE_CHANNEL_PORT=5600"),
            std::string::npos)
      << vllm;
  EXPECT_NE(line_with(vllm, "--port 8002").find("VLLM_NIXL_SIDE_CHANNEL_PORT=5664"), std::string::npos);
  EXPECT_NE(line_with(vllm, "exec vllm-router").find("--decode \"http://$MACHINE_0:8003\""),
            std::string::npos);
  const std::string sglang = emitted("sglang", "sglang", pools_of(2, 4), fleet).at("start.sh");
  EXPECT_NE(line_with(sglang, "--port 8002").find("--disaggregation-bootstrap-port 8999"), std::string::npos);
  EXPECT_NE(line_with(sglang, "launch_router").find("--prefill \"http://$MACHINE_0:8002\" 8999"),
            std::string::npos)
      << sglang;
  EXPECT_THROW(emitted("trtllm", "trtllm", pools_of(2, 4), fleet), Unsupported);
}

TEST(EmitPlan, SpreadsAnInstanceOverMachinesOrSaysThatItCannot) {
  Configuration configuration;
  configuration.shape = {.tensor_parallel = 8, .pipeline_parallel = 2};
  const std::string start = emitted("vllm", "vllm", configuration).at("start.sh");
  EXPECT_NE(line_with(start, "--node-rank 1").find("--master-addr \"$MACHINE_0\" --headless"),
            std::string::npos)
      << start;
  EXPECT_EQ(unknown_flags(start, flags_of_engine("vllm")), std::vector<std::string>());
  const std::string sglang = emitted("sglang", "sglang", configuration).at("start.sh");
  EXPECT_NE(sglang.find("--dist-init-addr \"$MACHINE_0:20000\""), std::string::npos) << sglang;
  for (const char* format : {"k8s", "llm-d"})
    EXPECT_THROW(emitted("vllm", format, configuration), Unsupported);
  const std::string dynamo = emitted("vllm", "dynamo", configuration).at("dynamo.yaml");
  EXPECT_NE(dynamo.find("nodeCount: 2"), std::string::npos) << dynamo;
  EXPECT_NE(dynamo.find("gpu: \"8\""), std::string::npos) << dynamo;
  EXPECT_THROW(emitted("trtllm", "trtllm", configuration), Unsupported);
}

// What Kubernetes' schema demands of the kinds that are written, and that names agree with each other.
TEST(EmitPlan, WritesObjectsThatKubernetesTakes) {
  Configuration configuration;
  configuration.prefix_caching = false;  // trtllm is told so by a file
  configuration.shape.tensor_parallel = 4;
  for (const std::string& engine : kEngines) {
    const std::string text =
        emitted(engine + ":1.2.0", "k8s", configuration, {.instances = 3}).at("deployment.yaml");
    const auto kinds = documents_of(text);
    const std::string name = "llama-3-1-70b-instruct";
    const Json& claim = kinds.at("PersistentVolumeClaim").at(0);
    EXPECT_EQ(claim["apiVersion"], "v1");
    EXPECT_EQ(claim["spec"]["accessModes"], Json::array({"ReadWriteMany"}));
    const std::string size = claim["spec"]["resources"]["requests"]["storage"];
    EXPECT_GT(std::stod(size), 131) << "70.6e9 parameters in bf16 are 131 GiB";
    EXPECT_TRUE(size.ends_with("Gi"));
    const Json& engines = kinds.at("Deployment").at(0);
    EXPECT_EQ(engines["apiVersion"], "apps/v1");
    EXPECT_EQ(engines["spec"]["replicas"], 3);
    const Json& pod = engines["spec"]["template"];
    EXPECT_EQ(engines["spec"]["selector"]["matchLabels"]["app"], pod["metadata"]["labels"]["app"]);
    EXPECT_EQ(pod["spec"]["nodeSelector"]["nvidia.com/gpu.product"], "NVIDIA-H100-80GB-HBM3");
    const Json& container = pod["spec"]["containers"][0];
    EXPECT_TRUE(container["image"].get<std::string>().ends_with(engine == "trtllm" ? ":1.2.0" : ":v1.2.0"));
    EXPECT_EQ(container["resources"]["limits"]["nvidia.com/gpu"], 4);
    for (const char* probe : {"startupProbe", "readinessProbe", "livenessProbe"})
      EXPECT_EQ(container[probe]["httpGet"]["port"], 8000) << probe;
    std::set<std::string> volumes, mounts, variables;
    for (const Json& volume : pod["spec"]["volumes"]) volumes.insert(volume["name"]);
    for (const Json& mount : container["volumeMounts"]) mounts.insert(mount["name"]);
    for (const Json& variable : container["env"]) variables.insert(variable["name"]);
    EXPECT_EQ(volumes, mounts);
    EXPECT_TRUE(variables.contains("HF_TOKEN"));
    std::string words;
    for (const Json& word : container["command"]) words += word.get<std::string>() + " ";
    EXPECT_EQ(unknown_flags(words, flags_of_engine(engine)), std::vector<std::string>()) << words;
    EXPECT_NE(words.find("--host 0.0.0.0 --port 8000"), std::string::npos) << words;
    const Json& service = kinds.at("Service").at(0);
    EXPECT_EQ(service["spec"]["ports"][0]["targetPort"], 8000);
    const bool routed = engine != "trtllm";
    EXPECT_EQ(service["spec"]["selector"]["app"], name + (routed ? "-router" : "-engine"));
    EXPECT_EQ(kinds.contains("ConfigMap"), engine == "trtllm");
    if (!routed) continue;
    EXPECT_EQ(kinds.at("Role").at(0)["rules"][0]["resources"], Json::array({"pods"}));
    EXPECT_EQ(kinds.at("RoleBinding").at(0)["subjects"][0]["name"],
              kinds.at("ServiceAccount").at(0)["metadata"]["name"]);
    const Json& router = kinds.at("Deployment").at(1)["spec"]["template"]["spec"];
    const std::string line = router["containers"][0]["args"][0];
    std::set<std::string> known =
        flags_in(engine == "vllm" ? "vllm_router_0_1_17.txt" : "sglang_router_0_3_2.txt");
    known.insert("--no-cache-dir");  // of pip
    EXPECT_EQ(unknown_flags(line, known), std::vector<std::string>()) << line;
    EXPECT_NE(line.find("--selector app=" + name + "-engine"), std::string::npos) << line;
  }
}

TEST(EmitPlan, RoutesBetweenPoolsInKubernetesOrRefusesThem) {
  const Fleet fleet{.instances = 1, .decode = 2};
  const auto kinds = documents_of(emitted("vllm", "k8s", pools_of(2, 4), fleet).at("deployment.yaml"));
  ASSERT_EQ(kinds.at("Deployment").size(), 3U);
  for (std::size_t pool : {0, 1}) {
    const Json& container = kinds.at("Deployment")[pool]["spec"]["template"]["spec"]["containers"][0];
    bool found = false;
    for (const Json& variable : container["env"])
      if (variable["name"] == "VLLM_NIXL_SIDE_CHANNEL_HOST") {
        found = true;
        EXPECT_EQ(variable["valueFrom"]["fieldRef"]["fieldPath"], "status.podIP");
      }
    EXPECT_TRUE(found) << container;
  }
  const std::string line = kinds.at("Deployment")[2]["spec"]["template"]["spec"]["containers"][0]["args"][0];
  EXPECT_NE(line.find("--vllm-pd-disaggregation --prefill-selector app=llama-3-1-70b-instruct-prefill "
                      "--decode-selector app=llama-3-1-70b-instruct-decode"),
            std::string::npos)
      << line;
  const auto sglang = documents_of(emitted("sglang", "k8s", pools_of(2, 4), fleet).at("deployment.yaml"));
  EXPECT_EQ(
      sglang.at("Deployment")[0]["spec"]["template"]["metadata"]["annotations"]["sglang.ai/bootstrap-port"],
      "8998");
  EXPECT_THROW(emitted("trtllm", "k8s", pools_of(2, 4), fleet), Unsupported);
}

TEST(EmitPlan, WritesValuesOfTheChartOfLlmD) {
  const Fleet fleet{.instances = 1, .decode = 2};
  const Json values =
      json_of_text(emitted("vllm", "llm-d", pools_of(2, 4), fleet).at("values.yaml"), "values");
  EXPECT_EQ(values["modelArtifacts"]["uri"], "hf://meta-llama/Llama-3.1-70B-Instruct");
  EXPECT_EQ(values["modelArtifacts"]["authSecretName"], "hf-token-secret");
  EXPECT_GT(std::stod(values["modelArtifacts"]["size"].get<std::string>()), 131);
  EXPECT_EQ(values["routing"]["proxy"]["enabled"], true);
  for (const char* pool : {"prefill", "decode"}) {
    const Json& container = values[pool]["containers"][0];
    // The chart reads no nodeSelector: instances would have started on any GPU.
    EXPECT_EQ(values[pool]["acceleratorTypes"]["labelKey"], "nvidia.com/gpu.product");
    EXPECT_EQ(values[pool]["acceleratorTypes"]["labelValues"], Json::array({"NVIDIA-H100-80GB-HBM3"}));
    EXPECT_EQ(container["env"][0]["name"], "VLLM_NIXL_SIDE_CHANNEL_HOST");
    EXPECT_EQ(container["env"][0]["valueFrom"]["fieldRef"]["fieldPath"], "status.podIP");
    EXPECT_EQ(container["image"], "vllm/vllm-openai:v0.33.0");
    std::string words;
    for (const Json& word : container["args"]) words += word.get<std::string>() + " ";
    EXPECT_EQ(unknown_flags(words, flags_of_engine("vllm")), std::vector<std::string>()) << words;
    // The sidecar of decoding pods takes the served port.
    EXPECT_EQ(container["startupProbe"]["httpGet"]["port"], std::string(pool) == "decode" ? 8200 : 8000);
  }
  PlanRequest large = request_for("vllm");
  large.model = "DeepSeek-R1";
  Configuration eight;
  eight.shape.tensor_parallel = 8;
  const Json huge =
      json_of_text(emitted(large, plan_with(large, eight, {}), "llm-d").at("values.yaml"), "values");
  EXPECT_GT(std::stod(huge["modelArtifacts"]["size"].get<std::string>()), 642) << "its files are 689e9 B";
}

TEST(EmitPlan, WritesAGraphForDynamo) {
  for (const std::string& engine : kEngines) {
    const std::string text =
        emitted(engine, "dynamo", pools_of(2, 4), {.instances = 1, .decode = 2}).at("dynamo.yaml");
    const auto kinds = documents_of(text);
    const Json& spec = kinds.at("DynamoGraphDeployment").at(0)["spec"];
    EXPECT_EQ(spec["pvcs"][0]["name"], kinds.at("PersistentVolumeClaim").at(0)["metadata"]["name"]);
    for (const char* service : {"PrefillWorker", "DecodeWorker"}) {
      const Json& worker = spec["services"][service];
      EXPECT_EQ(worker["envFromSecret"], "hf-token-secret");
      EXPECT_EQ(worker["extraPodSpec"]["nodeSelector"]["nvidia.com/gpu.product"], "NVIDIA-H100-80GB-HBM3");
      const std::string image = worker["extraPodSpec"]["mainContainer"]["image"];
      EXPECT_TRUE(image.ends_with(engine == "trtllm" ? ":1.3.1" : ":1.6.1")) << image;
      const Json& words = worker["extraPodSpec"]["mainContainer"]["args"];
      EXPECT_EQ(words[1], "meta-llama/Llama-3.1-70B-Instruct");
      EXPECT_EQ(std::count(words.begin(), words.end(), words[1]), 1) << words;
    }
  }
}

TEST(EmitPlan, KeepsTheModelThatWasAsked) {
  const std::vector<std::pair<std::string, std::string>> models{
      {"llama-3.1-8b", "meta-llama/Llama-3.1-8B"},
      {"Meta-Llama-3.1-8B-Instruct", "meta-llama/Meta-Llama-3.1-8B-Instruct"},
      {"Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B-Instruct"},
      {"qwen3-32b", "Qwen/Qwen3-32B"}};
  for (const auto& [asked, repository] : models) {
    PlanRequest request = request_for("vllm");
    request.model = asked;
    const Files files = emitted(request, plan_with(request, {}, {}), "vllm");
    EXPECT_NE(files.at("start.sh").find("vllm serve " + repository + " "), std::string::npos)
        << files.at("start.sh");
    EXPECT_NE(files.at("bench.sh").find("--model " + repository + " "), std::string::npos);
  }
}

TEST(EmitPlan, SendsRandomPromptsByTheEnginesOwnBench) {
  const std::string bench = emitted("vllm", "vllm").at("bench.sh");
  EXPECT_EQ(unknown_flags(bench, flags_in("vllm_bench_serve_0_33_0.txt")), std::vector<std::string>())
      << bench;
  for (const char* words :
       {"--base-url \"$BASE_URL\"", "--num-warmups 4", "--request-rate 4", "--num-prompts 20"})
    EXPECT_NE(bench.find(words), std::string::npos) << bench;
}

TEST(EmitPlan, WritesEveryOtherLoadRequestForRequest) {
  PlanRequest request = request_for("sglang");
  request.source = {};
  request.source.workload = "conversation";
  request.source.requests = 50;
  request.source.rate = 3;
  const Files files = emitted(request, plan_with(request, {}, {}), "sglang");
  const std::string& bench = files.at("bench.sh");
  EXPECT_EQ(unknown_flags(line_with(bench, "exec aiperf"), flags_in("aiperf_0_13_0.txt")),
            std::vector<std::string>())
      << bench;
  EXPECT_NE(bench.find("--fixed-schedule"), std::string::npos);
  const ScratchFolder scratch;
  const RecordedTrace trace = read_trace_jsonl(scratch.write("load.jsonl", files.at("load.jsonl")), 0);
  const Workload own = plan_workload(request);
  ASSERT_EQ(trace.workload.requests.size(), own.requests.size());
  for (std::size_t i = 0; i < own.requests.size(); ++i) {
    EXPECT_EQ(trace.workload.requests[i].input_tokens, own.requests[i].input_tokens);
    EXPECT_EQ(trace.workload.requests[i].output_tokens, own.requests[i].output_tokens);
    EXPECT_NEAR((trace.workload.requests[i].arrival - own.requests[i].arrival).seconds().value(), 0, 1e-3);
  }
}

TEST(MooncakeTrace, NamesBlocksThatPromptsShare) {
  Workload workload{.name = "two"};
  workload.requests = {{.input_tokens = 1100, .output_tokens = 5},
                       {.input_tokens = 1200, .output_tokens = 6}};
  workload.content = {{7, 1024}, {1, 76}, {7, 1024}, {2, 176}};
  workload.content_begin = {0, 2, 4};
  std::istringstream lines(mooncake_trace(workload));
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(Json::parse(first)["hash_ids"], Json::array({0, 1, 2}));
  EXPECT_EQ(Json::parse(second)["hash_ids"], Json::array({0, 1, 3}));
  workload.concurrency = 2;
  EXPECT_FALSE(Json::parse(mooncake_trace(workload).substr(0, mooncake_trace(workload).find('\n')))
                   .contains("timestamp"));
}

TEST(EmitPlan, WritesTheBestOfAnEngineAndSeveralFolders) {
  PlanRequest request = request_for("vllm");
  request.space.engines = {"vllm", "sglang"};
  PlanResult plan = plan_with(request, {}, {});
  PlanPoint other = plan.search.points[0];
  other.configuration.engine = 1;
  plan.search.points.push_back(other);
  plan.labels.push_back({.engine = "sglang"});
  EXPECT_NE(emitted(request, plan, "auto").at("start.sh").find("vllm serve"), std::string::npos);
  EXPECT_NE(emitted(request, plan, "sglang").at("start.sh").find("sglang serve"), std::string::npos);
  request.top = 5;
  const Files folders = emitted(request, plan, "k8s");
  EXPECT_EQ(folders.size(), 4U);
  EXPECT_TRUE(folders.contains("2/deployment.yaml"));
  request.top = 1;
  plan.search.points.pop_back();
  EXPECT_THROW(emitted(request, plan, "sglang"), InvalidInput);
}

TEST(EmitPlan, RefusesToCastForAnEngineThatServesCheckpointsAsTheyAre) {
  PlanRequest request = request_for("trtllm");
  request.space.quantizations = {"fp8"};
  EXPECT_THROW(emitted(request, plan_with(request, {}, {}), "trtllm"), Unsupported);
}

}  // namespace
}  // namespace warploom
