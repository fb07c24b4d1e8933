#include "warploom/app/serving/engine_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "warploom/app/serving/engine_manifests.h"
#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom/base/json_or_text.h"
#include "warploom/models/model_catalog.h"
#include "warploom/serving/engines/engine_registry.h"
#include "warploom/serving/speculation/draft_method.h"

namespace warploom {
namespace {

constexpr double kBytesPerGib = 1024.0 * 1024 * 1024, kBytesPerGb = 1e9;

// What is told of drafts in the engine's own words.
struct Drafts {
  std::string method, model;
  std::int64_t tokens = 1;
};

Drafts drafts_of(const std::string& speculative_config) {
  const std::string where = "speculative_config";
  const Json config = parse_json(speculative_config, where);
  if (!config.is_object()) throw InvalidInput(fmt::format("{}: expected a JSON object", where));
  const auto text = [&](const char* key) {
    return config.contains(key) ? required_text(config, key, where) : std::string();
  };
  Drafts drafts{.method = text("method"), .model = text("model")};
  if (const Json& tokens = member_or_null(config, "num_speculative_tokens"); tokens.is_number_integer())
    drafts.tokens = tokens.get<std::int64_t>();
  else if (!tokens.is_null())
    throw InvalidInput(
        fmt::format("{}: num_speculative_tokens is {}, expected a whole number", where, tokens.dump()));
  const DraftMethod* method = find_draft_method(drafts.method);
  const bool own_weights = method != nullptr && !method->bundled &&
                           (method->engine == DraftEngine::Head || method->engine == DraftEngine::AnyModel);
  if (own_weights && drafts.model.empty())
    throw InvalidInput(fmt::format(
        "speculative_config: method {} drafts with a model of its own, expected its 'model'", drafts.method));
  return drafts;
}

// The engine's name of the method; vLLM's own where it has no others.
std::string algorithm_of(const EngineManifest& manifest, const Drafts& drafts) {
  const std::string_view name = second_of(manifest.draft_algorithms, drafts.method);
  if (name.empty())
    throw Unsupported(
        fmt::format("speculative_config: {} is not told how to draft by {}, expected another "
                    "method or engine",
                    manifest.engine, drafts.method));
  return std::string(name);
}

// Moves what is told in vLLM's words to fields that are the engine's own flags.
void name_drafts(ServingConfig& config, const EngineManifest& manifest) {
  const Drafts drafts = drafts_of(config.speculative_config);
  if (manifest.draft_algorithms.empty()) return;
  const std::string algorithm = algorithm_of(manifest, drafts);
  config.speculative_config.clear();
  config.speculative_algorithm = algorithm;
  config.speculative_draft_model_path = drafts.model;
  const DraftMethod* method = find_draft_method(drafts.method);
  config.speculative_num_steps = method != nullptr && method->in_blocks ? 1 : drafts.tokens;
  config.speculative_eagle_topk = 1;
  config.speculative_num_draft_tokens = drafts.tokens + 1;
}

// The same as entries of the engine's file.
void add_drafts_to_file(StartCommand& command, const EngineManifest& manifest, const Drafts& drafts) {
  const std::string algorithm = algorithm_of(manifest, drafts);
  const bool own_layers = drafts.model.empty();
  command.file.emplace_back("speculative_config.decoding_type", algorithm);
  command.file.emplace_back(
      own_layers ? "speculative_config.num_nextn_predict_layers" : "speculative_config.max_draft_len",
      std::to_string(drafts.tokens));
  if (!own_layers) command.file.emplace_back("speculative_config.speculative_model_dir", drafts.model);
}

// Host memory of all GPUs together in GiB, which is told for each GPU in GB.
void add_host_cache(StartCommand& command, const EngineManifest& manifest, double gib, std::int64_t gpus) {
  if (manifest.host_cache_flag.empty())
    throw Unsupported(
        fmt::format("kv_offloading_size: {} is not told of it, expected another engine", manifest.engine));
  const double each = gib * kBytesPerGib / kBytesPerGb / double(gpus);
  command.words.insert(command.words.end(),
                       {manifest.host_cache_switch, manifest.host_cache_flag,
                        fmt::format("{}", std::max<std::int64_t>(1, std::int64_t(each)))});
}

// Moves flags that the serving program does not take to its file, by the key that means the same.
void move_to_file(StartCommand& command, const EngineManifest& manifest, const EngineSpec& engine) {
  const auto& known = manifest.serve_flags;
  if (known.empty()) return;
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    const bool flag = word.starts_with("--");
    if (!flag || std::find(known.begin(), known.end(), word) != known.end()) {
      kept.push_back(word);
      continue;
    }
    const auto& keys = engine.command_line.file_keys;
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const FileKey& each) {
      return each.flag == word && !each.key.empty();
    });
    if (key == keys.end())
      throw Unsupported(fmt::format("{}: {} takes no such flag, expected another engine", word, engine.name));
    const bool alone = key->takes == FileValue::Switch;
    std::string value = alone ? std::string("true") : command.words[++i];
    if (key->key.ends_with("batch_sizes")) value.insert(0, "[").append("]");
    command.file.emplace_back(key->key, value);
  }
  command.words = std::move(kept);
}

}  // namespace

StartCommand served_command(const ServingSetupRequest& setup, const std::string& model) {
  if (setup.config.num_ffn_ranks > 0)
    throw Unsupported(
        "num_ffn_ranks: attention and feed-forward apart are started by a plugin of the engine, in two "
        "roles, which is not written; expected none");
  const EngineSpec& engine = engine_named(setup.config.engine);
  const EngineManifest& manifest = engine_manifest(engine.name);
  ServingConfig config = setup.config;
  const bool in_file = !engine.command_line.file_keys.empty();
  std::optional<Drafts> drafts;
  if (!config.speculative_config.empty()) {
    if (in_file) drafts = drafts_of(std::exchange(config.speculative_config, {}));
    if (!in_file) name_drafts(config, manifest);
  }
  if (const auto type = second_of(manifest.kv_cache_types, config.kv_cache_dtype); !type.empty())
    config.kv_cache_dtype = type;
  const bool own_host_cache = !manifest.host_cache_flag.empty() || in_file;
  const std::optional<double> host_gib = config.kv_offloading_size;
  if (own_host_cache) config.kv_offloading_size.reset();
  StartCommand command = start_command(config, model, setup.quantization);
  if (own_host_cache && host_gib)
    add_host_cache(command, manifest, *host_gib, config.tensor_parallel_size * config.pipeline_parallel_size);
  if (drafts) add_drafts_to_file(command, manifest, *drafts);
  if (!manifest.serve_flags.empty() && !setup.quantization.empty())
    throw Unsupported(fmt::format(
        "quantization: {} serves a checkpoint as it is stored, expected `quantization` none and a "
        "`model` that is stored in {}",
        engine.name, setup.quantization));
  move_to_file(command, manifest, engine);
  return command;
}

std::string options_text(const StartCommand& command) {
  if (command.file.empty()) return {};
  Json options = Json::object();
  for (const auto& [key, value] : command.file) {
    Json* inner = &options;
    std::string_view rest = key;
    for (std::size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      inner = &(*inner)[std::string(rest.substr(0, dot))];
      rest.remove_prefix(dot + 1);
    }
    (*inner)[std::string(rest)] = json_or_text(value, key);
  }
  return options.dump();
}

EngineStart engine_start(const ServingSetupRequest& setup, const std::string& options_name) {
  const StartCommand command = served_command(setup, repository_of_model(setup.model, setup.files));
  EngineStart start{.words = command.words, .options = options_text(command)};
  start.words.insert(start.words.end(), {"--host", "0.0.0.0", "--port", "8000"});
  if (!command.file.empty())
    start.words.insert(start.words.end(), {options_flag(engine_named(setup.config.engine)), options_name});
  return start;
}

}  // namespace warploom
