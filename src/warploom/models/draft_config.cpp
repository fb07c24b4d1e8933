#include "warploom/models/draft_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json_members.h"
#include "warploom/base/nearest_name.h"
#include "warploom/hardware/record_version.h"
#include "warploom/models/hf/config_values.h"
#include "warploom/models/hf/hub_cache.h"
#include "warploom/models/hf/python_json.h"
#include "warploom/models/hf_config.h"
#include "warploom/models/model_names.h"
#include "warploom_embedded/draft_records.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_draft";
constexpr std::int64_t kVersion = 1;

struct DraftRecord {
  std::string name;
  std::vector<std::string> aliases;
  std::string source;
  static FieldTable describe() {
    return FieldList<DraftRecord>("draft_record")
        .add("name", &DraftRecord::name, {.required = true})
        .add("aliases", &DraftRecord::aliases)
        .add("source", &DraftRecord::source, {.required = true})
        .table();
  }
  bool is(const std::string& key) const {
    const auto called = [&](const std::string& id) {
      return model_key(id) == key || model_key(without_owner(id)) == key;
    };
    return called(name) || std::any_of(aliases.begin(), aliases.end(), called);
  }
};

struct NamedDocument {
  DraftRecord record;
  DraftDocument document;
};

std::vector<NamedDocument> load_records() {
  std::vector<NamedDocument> all;
  for (const EmbeddedFile& file : embedded::draft_records()) {
    Json document = parse_json(file.contents, file.name);
    check_record_version(document, kSchema, kVersion, file.name);
    if (!document.contains("config"))
      throw InvalidInput(
          fmt::format("{}: 'config' is missing, expected the facts of a config.json", file.name));
    const std::string config = document["config"].dump();
    document.erase("config");
    auto record = object_from_json<DraftRecord>(document, file.name);
    DraftDocument text{record.name, std::string(file.name), config};
    all.push_back({std::move(record), std::move(text)});
  }
  return all;
}

const std::vector<NamedDocument>& records() {
  static const std::vector<NamedDocument> all = load_records();
  return all;
}

DraftDocument read_document(const std::string& name, const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::is_directory(path) ? path / "config.json" : path;
  return {name, file.string(), read_file(file)};
}

Json parsed(const DraftDocument& document) {
  Json config = parse_python_json(document.text, document.where);
  if (!config.is_object())
    throw InvalidInput(fmt::format("{}: is no JSON object, expected a config.json", document.where));
  return config;
}

// The class that vLLM gives a document in the format of `speculators` (configs/speculators/algos.py).
std::string class_in_speculators(const std::string& method, const Json& layers, const Json& whole) {
  const bool qwen3 = text_member_or(layers, "model_type", "llama") == "qwen3";
  const auto named = ConfigValues(whole, "config.json").texts("architectures");
  if (method == "eagle3") return qwen3 ? "Eagle3Qwen3ForCausalLM" : "Eagle3LlamaForCausalLM";
  if (method == "peagle") return qwen3 ? "PeagleQwen3ForCausalLM" : "PeagleLlamaForCausalLM";
  if (method == "dflash") return "DFlashDraftModel";
  if (method == "dflash2") return "DFlash2DraftModel";
  const bool omni = std::find(named.begin(), named.end(), "Qwen3OmniDSparkModel") != named.end();
  return omni ? "Qwen3OmniDSparkModel" : "Qwen3DSparkModel";
}

// That format as vLLM unfolds it: the layers' own config with what is said of the drafter beside it.
Json unfolded(Json config, const std::string& where) {
  if (!config.contains("speculators_model_type")) return config;
  if (!config.contains("transformer_layer_config") || !config["transformer_layer_config"].is_object())
    throw InvalidInput(fmt::format("{}: 'transformer_layer_config' is missing, expected an object", where));
  Json layers = config["transformer_layer_config"];
  const std::string method = text_member_or(config, "speculators_model_type", "");
  const std::string named = class_in_speculators(method, layers, config);
  for (const auto& [key, value] : config.items())
    if (key != "transformer_layer_config" && key != "model_type" && !value.is_null()) layers[key] = value;
  if (!config.contains("sample_from_anchor")) layers["sample_from_anchor"] = false;
  layers["architectures"] = Json::array({named});
  return layers;
}

// The first of these lists that holds something; 0: none does.
std::int64_t listed(std::initializer_list<const ConfigValues*> where,
                    std::initializer_list<std::string_view> keys) {
  for (const ConfigValues* values : where)
    for (const std::string_view key : keys)
      if (values != nullptr)
        if (const auto count = std::ssize(values->integers(key)); count > 0) return count;
  return 0;
}

// An integer of the first of these objects that has one of these keys; 0: none has.
std::int64_t stated(std::initializer_list<const ConfigValues*> where,
                    std::initializer_list<std::string_view> keys) {
  for (const ConfigValues* values : where)
    for (const std::string_view key : keys)
      if (values != nullptr && values->has(key)) return values->integer(key, 0);
  return 0;
}

// A window on every layer, where a DFlash draft says so beside its layers (qwen3_dflash.py).
void spread_window(Json& config) {
  const Json& own = member_or_null(config, "dflash_config");
  if (!own.is_object() || !own.value("use_swa", false)) return;
  config["use_sliding_window"] = true;
  if (own.contains("swa_window_size")) config["sliding_window"] = own["swa_window_size"];
  const std::int64_t layers = ConfigValues(config, "").integer("num_hidden_layers", 0);
  config["layer_types"] = std::vector<std::string>(std::size_t(layers), "sliding_attention");
}

// What `speculators` says of the first way to propose.
std::int64_t proposed_tokens(const Json& config) {
  const Json& methods = member_or_null(member_or_null(config, "speculators_config"), "proposal_methods");
  if (!methods.is_array() || methods.empty()) return 0;
  return ConfigValues(methods[0], "proposal_methods").integer("speculative_tokens", 0);
}

const DraftClass* class_of(std::string_view name, std::span<const DraftClass> classes,
                           std::string_view prefix) {
  for (const std::string& spelled : {std::string(name), std::string(prefix) + std::string(name)})
    for (const DraftClass& each : classes)
      if (each.name == spelled) return &each;
  return nullptr;
}

const DraftClass& modelled_class(const DraftDocument& document, const std::string& name,
                                 std::span<const DraftClass> classes, std::string_view prefix) {
  std::vector<std::string> known;
  for (const DraftClass& each : classes)
    if (each.refused.empty()) known.emplace_back(each.name);
  const DraftClass* found = class_of(name, classes, prefix);
  if (found == nullptr)
    throw Unsupported(fmt::format("{}: drafter {} is not known{}, expected one of: {}", document.where, name,
                                  did_you_mean(name, known), fmt::join(known, ", ")));
  if (!found->refused.empty())
    throw Unsupported(fmt::format("{}: drafter {} is not modelled: {}; expected one of: {}", document.where,
                                  name, found->refused, fmt::join(known, ", ")));
  return *found;
}

std::string class_named(const Json& config) {
  const auto names = ConfigValues(config, "config.json").texts("architectures");
  return names.empty() ? std::string() : names.front();
}

}  // namespace

std::vector<std::string> draft_names() {
  std::vector<std::string> names;
  for (const NamedDocument& each : records()) names.push_back(each.record.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<DraftDocument> find_draft_document(const std::string& name_or_path, const FileScope& files) {
  if (name_or_path.empty()) return std::nullopt;
  const bool held = files.holds(name_or_path);
  if (held && is_model_path(name_or_path)) return read_document(name_or_path, name_or_path);
  const std::string key = model_key(name_or_path);
  for (const NamedDocument& each : records())
    if (each.record.is(key)) return each.document;
  if (!held) return std::nullopt;
  if (std::filesystem::exists(name_or_path)) return read_document(name_or_path, name_or_path);
  if (const auto config = cached_config(hub_cache(), name_or_path))
    return read_document(name_or_path, *config);
  return std::nullopt;
}

std::string draft_class(const DraftDocument& document) {
  return class_named(unfolded(parsed(document), document.where));
}

std::string speculators_method(const DraftDocument& document) {
  return text_member_or(parsed(document), "speculators_model_type", "");
}

DraftConfig read_draft_config(const DraftDocument& document, std::span<const DraftClass> classes,
                              std::string_view prefix) {
  Json config = unfolded(parsed(document), document.where);
  spread_window(config);
  const std::string name = class_named(config);
  const DraftClass& drawn = modelled_class(document, name, classes, prefix);
  config["architectures"] = Json::array({std::string(drawn.layers)});
  DraftConfig draft;
  draft.name = document.name;
  draft.model = architecture_from_config(config, nullptr, document.name, document.where);
  draft.model.architecture = name;
  draft.read_vocabulary = draft.model.vocabulary;
  const ConfigValues values(config, document.where);
  const auto dflash = values.nested("dflash_config"), eagle = values.nested("eagle_config");
  const ConfigValues* const nested = dflash ? &*dflash : nullptr;
  const ConfigValues* const heads = eagle ? &*eagle : nullptr;
  draft.model.vocabulary = values.integer("draft_vocab_size", draft.model.vocabulary);
  draft.target_hidden = values.integer("target_hidden_size", 0);
  draft.target_states = stated({&values}, {"num_aux_hidden_states"});
  if (draft.target_states == 0)
    draft.target_states =
        listed({nested, heads, &values}, {"target_layer_ids", "eagle_aux_hidden_state_layer_ids",
                                          "aux_hidden_state_layer_ids", "dspark_target_layer_ids"});
  draft.tokens = proposed_tokens(config);
  draft.block = stated({&values, nested}, {"block_size", "dspark_block_size"});
  draft.markov_rank = stated({&values, nested}, {"markov_rank", "dspark_markov_rank"});
  const bool unsaid = values.flag("use_aux_hidden_state", true);
  draft.joins_states = (heads != nullptr ? *heads : values).flag("use_aux_hidden_state", unsaid);
  draft.samples_anchor = values.flag("sample_from_anchor", true);
  draft.confidence = values.flag("enable_confidence_head", false);
  return draft;
}

}  // namespace warploom
