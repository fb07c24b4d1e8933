#include "warploom/app/plan/emit_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/app/plan/configured_setups.h"
#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/shell_line.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/engines/start_command.h"

namespace warploom {
namespace {

// One pool as it is started.
struct EmittedPool {
  std::string role, gpu;  // role: "engine", "prefill" or "decode"
  std::int64_t instances = 1, gpus = 1;
  EngineShape shape;
  StartCommand command;
  const EngineSpec* engine = nullptr;
};

void add_words(std::vector<std::string>& words, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

EmittedPool pool_of(const PlanRequest& request, const PlanResult& plan, const std::string& role,
                    const EngineShape& shape, std::int64_t instances, const std::string& gpu) {
  const PlanPoint& best = plan.search.points[*plan.search.best];
  const ServingSetupRequest setup = setup_request_of(request, best.configuration, shape);
  EmittedPool pool{.role = role, .gpu = gpu, .instances = instances, .gpus = shape.gpus(), .shape = shape};
  pool.engine = &engine_named(setup.config.engine);
  if (!setup.quantization.empty() && setup.quantization != "fp8")
    throw Unsupported(fmt::format(
        "emit: {} is a scheme that a checkpoint is stored in, expected `quantizations` stored with such a "
        "checkpoint as `model`",
        setup.quantization));
  pool.command = start_command(setup.config, plan.model, setup.quantization);
  return pool;
}

std::vector<EmittedPool> pools_of(const PlanRequest& request, const PlanResult& plan) {
  const PlanPoint& best = plan.search.points[*plan.search.best];
  const PlanLabel& label = plan.labels[*plan.search.best];
  const bool apart = best.configuration.decode.has_value();
  std::vector<EmittedPool> pools{pool_of(request, plan, apart ? "prefill" : "engine",
                                         best.configuration.shape, best.fleet.instances, label.gpu)};
  if (apart)
    pools.push_back(
        pool_of(request, plan, "decode", *best.configuration.decode, best.fleet.decode, label.decode_gpu));
  return pools;
}

// The pool's words with what tells it that it computes prompts or produces tokens.
std::vector<std::string> words_of_pool(const EmittedPool& pool) {
  std::vector<std::string> words = pool.command.words;
  if (pool.role == "engine") return words;
  const EngineManifests& manifests = pool.engine->manifests;
  const std::string_view flags = pool.role == "prefill" ? manifests.prefill_flags : manifests.decode_flags;
  if (flags.empty())
    throw Unsupported(
        fmt::format("emit: {} starts prefill and decode apart from a file of its own, which is not "
                    "written, expected `pools` aggregated or the format dynamo",
                    pool.engine->name));
  add_words(words, flags);
  return words;
}

// The engine's configuration file, nested by the dots of its keys.
std::string options_file(const StartCommand& command) {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> parts;
  for (const auto& [key, value] : command.file) {
    const std::size_t dot = key.find('.');
    const bool nested = dot != std::string::npos;
    parts[nested ? key.substr(0, dot) : ""].emplace_back(nested ? key.substr(dot + 1) : key, value);
  }
  std::string text;
  for (const auto& [part, entries] : parts) {
    if (!part.empty()) text += part + ":\n";
    for (const auto& [key, value] : entries)
      text += fmt::format("{}{}: {}\n", part.empty() ? "" : "  ", key, value);
  }
  return text;
}

std::string slug(const std::string& model) {
  std::string name = model.substr(model.rfind('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::isalnum(c) != 0 ? char(std::tolower(c)) : '-'; });
  while (!name.empty() && name.back() == '-') name.pop_back();  // no name of Kubernetes ends so
  name.erase(0, name.find_first_not_of('-'));
  return name.empty() ? "model" : name;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Behind a '#', where a line's end would begin a command.
std::string comment_text(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::vector<EmittedFile> commands(const std::vector<EmittedPool>& pools) {
  std::string text = "#!/bin/sh\n# Start each line on machines with the GPUs that it names.\n";
  std::vector<EmittedFile> files;
  for (const EmittedPool& pool : pools) {
    std::vector<std::string> words = words_of_pool(pool);
    if (!pool.command.file.empty()) {
      const std::string name = pool.role + "_options.yaml";
      files.push_back({name, options_file(pool.command)});
      words.insert(words.end(), {options_flag(*pool.engine), name});
    }
    text += fmt::format("# {}: {} instances, each on {} {}\n", pool.role, pool.instances, pool.gpus,
                        comment_text(pool.gpu));
    text += shell_line(words) + "\n";
  }
  files.push_back({"start.sh", text});
  return files;
}

// In quotes, those of JSON where a line's end or another control character stands in it.
std::string yaml_quoted(const std::string& word) {
  if (std::any_of(word.begin(), word.end(), is_control))
    return Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  for (const char c : word) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return "'" + safe + "'";
}

std::string yaml_words(const std::vector<std::string>& words, const std::string& indent) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}- {}\n", indent, yaml_quoted(word));
  return text;
}

// A scalar that YAML reads as the same text: in quotes unless it is an owner and a name, as models have, or
// their address. A colon in it is followed by no blank, so it makes no key.
std::string yaml_text(const std::string& word) {
  const bool plain =
      word.find('/') != std::string::npos && word.back() != ':' &&
      std::isalnum(static_cast<unsigned char>(word[0])) &&
      std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_' || c == '.' || c == ':';
      });
  return plain ? word : yaml_quoted(word);
}

std::string kubernetes(const PlanResult& plan, const std::vector<EmittedPool>& pools) {
  std::string text;
  const std::string name = slug(plan.model);
  for (const EmittedPool& pool : pools) {
    const std::string own = fmt::format("{}-{}", name, pool.role);
    text += fmt::format(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {0}\nspec:\n  replicas: {1}\n  selector:\n"
        "    matchLabels: {{app: {0}}}\n  template:\n    metadata:\n      labels: {{app: {0}, "
        "serves: {2}}}\n    spec:\n"
        "      containers:\n      - name: engine\n        image: {3}\n        command:\n{4}        ports:\n"
        "        - containerPort: 8000\n        resources:\n          limits: {{nvidia.com/gpu: {5}}}\n"
        "        volumeMounts:\n        - {{name: shm, mountPath: /dev/shm}}\n      volumes:\n"
        "      - name: shm\n        emptyDir: {{medium: Memory}}\n---\n",
        own, pool.instances, name, pool.engine->manifests.image, yaml_words(words_of_pool(pool), "        "),
        pool.gpus);
  }
  return text +
         fmt::format(
             "apiVersion: v1\nkind: Service\nmetadata:\n  name: {0}\nspec:\n  selector: {{app: {0}-{1}}}\n"
             "  ports:\n  - {{port: 8000, targetPort: 8000}}\n",
             name, pools.front().role);
}

// Values of the Helm chart llm-d-modelservice, which puts the command `vllm serve MODEL` before the words.
std::string llm_d(const PlanResult& plan, const std::vector<EmittedPool>& pools) {
  const EmittedPool& last = pools.back();
  if (last.engine->name != default_engine())
    throw Unsupported(
        fmt::format("emit: llm-d serves with {}, expected `engines` {}", default_engine(), default_engine()));
  std::string text = fmt::format(
      "modelArtifacts:\n  name: {0}\n  uri: {1}\n  size: 500Gi\nrouting:\n  servicePort: 8000\n  proxy:\n"
      "    enabled: {2}\n",
      yaml_text(plan.model), yaml_text("hf://" + plan.model), pools.size() > 1);
  const auto pool_text = [&](const char* key, const EmittedPool& pool) {
    const std::vector<std::string> all = words_of_pool(pool);
    std::vector<std::string> own(all.begin() + 3, all.end());  // behind the program, "serve" and the model
    return fmt::format(
        "{}:\n  create: true\n  replicas: {}\n  parallelism: {{tensor: {}, data: {}}}\n  containers:\n"
        "  - name: vllm\n    image: {}\n    modelCommand: vllmServe\n    args:\n{}    resources:\n"
        "      limits: {{nvidia.com/gpu: {}}}\n    mountModelVolume: true\n",
        key, pool.instances, pool.shape.tensor_parallel, pool.shape.data_parallel,
        pool.engine->manifests.image, yaml_words(own, "    "), pool.gpus);
  };
  text += pool_text("decode", last);
  return text + (pools.size() > 1 ? pool_text("prefill", pools.front())
                                  : std::string("prefill:\n  create: false\n"));
}

std::string dynamo(const PlanResult& plan, const std::vector<EmittedPool>& pools) {
  const EngineManifests& manifests = pools.front().engine->manifests;
  const std::string name = slug(plan.model);
  std::string text = fmt::format(
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata:\n  name: {}\nspec:\n "
      " services:\n"
      "    Frontend:\n      componentType: frontend\n      replicas: 1\n      extraPodSpec:\n       "
      " mainContainer:\n"
      "          image: {}:${{VERSION}}\n",
      name, manifests.dynamo_image);
  for (const EmittedPool& pool : pools) {
    const bool prefill = pool.role == "prefill", apart = pool.role != "engine";
    // The flags alone: another program takes them.
    std::vector<std::string> words{std::string(manifests.dynamo_model_flag), plan.model};
    const auto flags =
        std::find_if(pool.command.words.begin(), pool.command.words.end(), [&](const std::string& word) {
          return word.starts_with("--") && word != manifests.dynamo_model_flag;
        });
    words.insert(words.end(), flags, pool.command.words.end());
    for (std::string& word : words)
      for (const RenamedFlag& flag : manifests.dynamo_flags)
        if (word == flag.own) word = flag.there;
    if (apart) add_words(words, prefill ? manifests.dynamo_prefill_flags : manifests.dynamo_decode_flags);
    text += fmt::format(
        "    {}Worker:\n      envFromSecret: hf-token-secret\n      componentType: worker\n{}      "
        "replicas: {}\n"
        "      resources:\n        limits:\n          gpu: \"{}\"\n      extraPodSpec:\n        "
        "mainContainer:\n"
        "          image: {}:${{VERSION}}\n          command:\n          - python3\n          - "
        "-m\n          - {}\n"
        "          args:\n{}",
        prefill ? "Prefill" : "Decode", apart ? fmt::format("      subComponentType: {}\n", pool.role) : "",
        pool.instances, pool.gpus, manifests.dynamo_image, manifests.dynamo_module,
        yaml_words(words, "          "));
  }
  return text;
}

// Manifests hold no file that a container could read its options from.
void check_flags_alone(const std::vector<EmittedPool>& pools, const std::string& format) {
  for (const EmittedPool& pool : pools)
    if (!pool.command.file.empty())
      throw Unsupported(fmt::format(
          "emit: {} takes {} from a file of options, which {} does not hold, expected the format {}",
          pool.engine->name, pool.command.file.front().first, format, pool.engine->name));
}

// A workload without fixed lengths is benchmarked at its means.
std::string benchmark(const PlanRequest& request, const PlanResult& plan) {
  BenchmarkLoad load{.model = plan.model,
                     .input_tokens = std::int64_t(plan.load.mean_input),
                     .output_tokens = std::int64_t(plan.load.mean_output),
                     .requests = plan.load.requests};
  // An endless load is cut to as many requests as the promise rests on.
  if (plan.load.open_ended) load.requests = plan.search.points[*plan.search.best].figures.length.requests;
  if (const auto& random = request.source.random) {
    if (random->range == LengthRange::UpTo)
      throw Unsupported(
          "random_range: `vllm bench serve` draws lengths around the stated ones alone, expected around");
    load.input_tokens = random->input_len;
    load.output_tokens = random->output_len;
    load.range_ratio = random->range_ratio;
  }
  if (plan.load.in_flight > 0)
    load.concurrency = plan.load.in_flight;
  else
    load.rate = plan.search.points[*plan.search.best].rate;
  const char* means = "# The plan's requests have other lengths; these are their means.\n";
  return fmt::format("#!/bin/sh\n{}{}\n", request.source.random ? "" : means, benchmark_command(load));
}

}  // namespace

std::vector<std::string> emit_formats() {
  std::vector<std::string> formats = engine_names();
  formats.insert(formats.end(), {"k8s", "llm-d", "dynamo"});
  return formats;
}

void check_emit_format(const PlanRequest& request, const std::string& format) {
  const std::vector<std::string> formats = emit_formats(), engines = engine_names();
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw NotFound(fmt::format("emit: '{}' is no format{}, expected one of: {}", format,
                               did_you_mean(format, formats), fmt::join(formats, ", ")));
  if (std::find(engines.begin(), engines.end(), format) == engines.end()) return;
  std::vector<std::string> chosen;
  for (const std::string& entry : request.space.engines) chosen.push_back(engine_and_version(entry).first);
  if (chosen.empty()) chosen.push_back(default_engine());
  if (std::find(chosen.begin(), chosen.end(), format) == chosen.end())
    throw InvalidInput(fmt::format("emit: {} is not among the engines to choose from, expected `engines` {}",
                                   format, format));
}

std::vector<EmittedFile> emit_plan(const PlanRequest& request, const PlanResult& plan,
                                   const std::string& format) {
  check_emit_format(request, format);
  if (!plan.search.best)
    throw InvalidInput("emit: no deployment meets the limits, expected limits that some deployment meets");
  const std::vector<EmittedPool> pools = pools_of(request, plan);
  std::vector<EmittedFile> files;
  if (format != pools.front().engine->name) check_flags_alone(pools, format);
  if (format == "k8s") {
    files.push_back({"deployment.yaml", kubernetes(plan, pools)});
  } else if (format == "llm-d") {
    files.push_back({"values.yaml", llm_d(plan, pools)});
  } else if (format == "dynamo") {
    files.push_back({"dynamo.yaml", dynamo(plan, pools)});
  } else {
    if (pools.front().engine->name != format)
      throw InvalidInput(
          fmt::format("emit: the best deployment runs {}, expected that format or `engines` {}",
                      pools.front().engine->name, format));
    files = commands(pools);
  }
  files.push_back({"bench.sh", benchmark(request, plan)});
  return files;
}

}  // namespace warploom
