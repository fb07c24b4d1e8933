// Values of charts: llm-d's modelservice, and vLLM's production stack, which both start the default engine.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/manifests/files/manifest_readers.h"
#include "warploom/manifests/lines/shell_words.h"

namespace warploom {
namespace {

using Words = std::vector<std::string>;

bool has_flag(const Words& words, std::string_view flag) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == flag || (word.starts_with(flag) && word[flag.size()] == '=');
  });
}

// The program and its sub-command, before the model.
Words engine_start_words() {
  Words words = plain_words(engine_named(default_engine()).command_line.example);
  words.erase(std::find(words.begin(), words.end(), "MODEL"), words.end());
  return words;
}

std::string llm_d_model(const ManifestValue& artifacts) {
  std::string name = artifacts.at("name").text();
  if (!name.empty() && name.find("{{") == std::string::npos) return name;
  constexpr std::string_view kHub = "hf://";
  const std::string uri = artifacts.at("uri").text();
  return uri.starts_with(kHub) ? uri.substr(kHub.size()) : "";
}

void take_llm_d_container(Manifest& manifest, const ManifestValue& container, const ManifestValue& pool,
                          const std::string& role, const std::string& model) {
  container.checked("llm_d_container");
  const ManifestValue shape = pool.object("parallelism", "llm_d_parallelism");
  const std::int64_t tensor = shape.at("tensor").whole(1), data = shape.at("data").whole(1);
  const std::int64_t local = shape.at("dataLocal").whole(data);
  const std::int64_t pods =
      shape.at("workers").whole(std::max<std::int64_t>(1, data / std::max<std::int64_t>(1, local)));
  const std::string command = container.at("modelCommand").text("imageDefault");
  ManifestVariables variables{{"TP_SIZE", std::to_string(tensor)},
                              {"DP_SIZE", std::to_string(data)},
                              {"DP_SIZE_LOCAL", std::to_string(local)}};
  for (const ManifestValue& entry : container.at("env").items())
    if (entry.at("value").given()) variables[entry.at("name").text()] = entry.at("value").text();
  Words words;
  if (command == "vllmServe") {
    if (model.empty())
      throw InvalidInput(fmt::format("{}: names no model, expected modelArtifacts.name or uri hf://MODEL",
                                     container.place()));
    words = engine_start_words();
    words.push_back(model);
  } else if (command == "custom") {
    words = container.at("command").words();
  } else if (command == "imageDefault") {
    words.push_back(container.at("image").text());
  } else {
    throw InvalidInput(fmt::format("{} is '{}', expected vllmServe, imageDefault or custom",
                                   container.at("modelCommand").place(), command));
  }
  const Words args = container.at("args").words();
  words.insert(words.end(), args.begin(), args.end());
  if (command == "vllmServe") {
    for (const auto& [flag, size] :
         {std::pair{"--tensor-parallel-size", tensor}, {"--data-parallel-size", data}})
      if (size > 1 && !has_flag(words, flag)) words.insert(words.end(), {flag, std::to_string(size)});
  }
  ManifestPool started{.role = role,
                       .place = container.place(),
                       .commands = {},
                       .replicas = pool.at("replicas").whole(role == "prefill" ? 0 : 1),  // the chart's
                       .gpus = container.at("resources").at("limits").at("nvidia.com/gpu").whole(0) * pods,
                       .gpu = gpu_of_node(pool),
                       .image = container.at("image").text()};
  if (const auto labels = pool.at("acceleratorTypes").at("labelValues").items(); labels.size() == 1)
    started.gpu = labels.front().text();
  if (!take_commands(manifest, std::move(started), started_commands(words, variables, container.place()),
                     variables))
    manifest.left_out.push_back(fmt::format("container {}", container.at("name").text("without a name")));
}

void add_flag(Words& words, std::string_view flag, const ManifestValue& value) {
  if (value.given()) words.insert(words.end(), {std::string(flag), value.text()});
}

// As its template of deployments writes them (helm/templates/deployment-vllm-multi.yaml).
Words stack_words(const ManifestValue& model) {
  Words words = engine_start_words();
  words.push_back(model.at("modelURL").text());
  if (words.back().empty())
    throw InvalidInput(fmt::format("{}: names no model, expected modelURL", model.place()));
  if (model.at("enableLoRA").is_true(false)) words.emplace_back("--enable-lora");
  const ManifestValue flags = model.object("vllmConfig", "stack_flags");
  if (!flags.given()) return words;
  if (flags.at("enableChunkedPrefill").given())
    words.emplace_back(flags.at("enableChunkedPrefill").is_true(false) ? "--enable-chunked-prefill"
                                                                       : "--no-enable-chunked-prefill");
  words.emplace_back(flags.at("enablePrefixCaching").is_true(false) ? "--enable-prefix-caching"
                                                                    : "--no-enable-prefix-caching");
  add_flag(words, "--max-model-len", flags.at("maxModelLen"));
  add_flag(words, "--dtype", flags.at("dtype"));
  add_flag(words, "--tensor-parallel-size", flags.at("tensorParallelSize"));
  add_flag(words, "--max-num-seqs", flags.at("maxNumSeqs"));
  add_flag(words, "--gpu-memory-utilization", flags.at("gpuMemoryUtilization"));
  add_flag(words, "--max-loras", flags.at("maxLoras"));
  add_flag(words, "--runner", flags.at("runner"));
  add_flag(words, "--convert", flags.at("convert"));
  const Words more = flags.at("extraArgs").words();
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// GPUs of an instance. Parts of one are refused.
std::int64_t stack_gpus(const ManifestValue& model) {
  const ManifestValue type = model.at("requestGPUType");
  if (type.text().find("/mig-") != std::string::npos)
    throw Unsupported(
        fmt::format("{} is {}, a part of a GPU, expected whole ones", type.place(), type.text()));
  const std::int64_t limited = gpus_of(model.at("resources"));
  return limited > 0 ? limited : model.at("requestGPU").whole(0);
}

std::string stack_gpu(const ManifestValue& model) {
  std::string gpu = gpu_of_terms(model.at("nodeSelectorTerms"));
  return gpu.empty() ? gpu_of_node(model) : gpu;
}

}  // namespace

void take_llm_d_values(Manifest& manifest, const ManifestValue& values) {
  values.checked("llm_d");
  const std::string model = llm_d_model(values.object("modelArtifacts", "llm_d_artifacts"));
  for (const char* role : {"prefill", "decode"}) {
    const ManifestValue pool = values.object(role, "llm_d_pool");
    if (!pool.given() || !pool.at("create").is_true(true)) continue;
    if (pool.at("autoscaling").at("enabled").is_true(false))
      throw Unsupported(fmt::format(
          "{}: autoscaling is not read from a manifest, expected it off and --scaling-policy hpa with "
          "--max-instances",
          pool.place()));
    for (const ManifestValue& container : pool.at("containers").items())
      take_llm_d_container(manifest, container, pool, role, model);
  }
}

void take_stack_values(Manifest& manifest, const ManifestValue& values) {
  values.checked("stack");
  const ManifestValue engines = values.object("servingEngineSpec", "stack_engine");
  for (const ManifestValue& model : engines.at("modelSpec").items()) {
    model.checked("stack_model");
    if (!model.at("enabled").is_true(true)) continue;
    ManifestPool pool{.role = {},
                      .place = model.place(),
                      .commands = {},
                      .replicas = model.at("replicaCount").whole(1),
                      .gpus = stack_gpus(model),
                      .gpu = stack_gpu(model),
                      .image = model.at("repository").text() + ":" + model.at("tag").text()};
    const ManifestValue cache = model.object("lmcacheConfig", "stack_lmcache");
    if (cache.at("enabled").is_true(false)) {
      const std::string role = cache.at("kvRole").text();
      pool.role = role == "kv_producer" ? "prefill" : role == "kv_consumer" ? "decode" : "";
      pool.kv_offloading_gib_per_gpu = cache.at("cpuOffloadingBufferSize").whole(0);
    }
    ManifestVariables variables;
    for (const ManifestValue& entry : model.at("env").items())
      if (entry.at("value").given()) variables[entry.at("name").text()] = entry.at("value").text();
    take_commands(manifest, std::move(pool), {stack_words(model)}, variables);
  }
  const ManifestValue router = values.object("routerSpec", "stack_router");
  if (!router.at("enableRouter").is_true(true)) return;
  const ManifestValue logic = router.at("routingLogic");
  if (router.given()) take_router(manifest, "stack", logic.text("roundrobin"), logic.place());
}

}  // namespace warploom
