#include "warploom/serving/speculation/speculation_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/hardware/record_version.h"
#include "warploom/serving/speculation/drafting_step_pricer.h"
#include "warploom_embedded/draft_acceptance.h"

namespace warploom {
namespace {

constexpr std::string_view kSchema = "warploom_draft_acceptance";
constexpr std::int64_t kVersion = 1;
constexpr const char* kTokens = "num_speculative_tokens";

std::vector<PublishedAcceptance> load_all() {
  std::vector<PublishedAcceptance> all;
  for (const EmbeddedFile& file : embedded::draft_acceptance()) {
    const Json document = parse_json(file.contents, file.name);
    check_record_version(document, kSchema, kVersion, file.name);
    PublishedAcceptance& one = all.emplace_back();
    read_fields(document, fields_of<PublishedAcceptance>(), &one, file.name);
    (void)draft_method_named(one.method);
  }
  return all;
}

bool acceptance_stated(const ServingConfig& config) {
  return config.acceptance_length || !config.acceptance_rates.empty() ||
         config.speculative_config.find("synthetic_acceptance") != std::string::npos;
}

// The drafts that are asked for, whatever is accepted of them.
SpeculativeConfig asked_drafts(ServingConfig config, const ModelArchitecture& model) {
  if (!acceptance_stated(config)) config.acceptance_length = 1;
  SpeculativeConfig drafts = speculation_of(config, UnsaidTokens::Allowed);
  drafts.method = drafting_method(config, drafts, model);
  return drafts;
}

const PublishedAcceptance* published_for(const SpeculativeConfig& drafts, const ModelArchitecture& model) {
  static const std::vector<PublishedAcceptance> all = load_all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PublishedAcceptance& one) {
    return drafts.drafts_by(one.method) && one.tokens == drafts.steps &&
           std::find(one.models.begin(), one.models.end(), model.name) != one.models.end();
  });
  return found == all.end() ? nullptr : &*found;
}

// vLLM's n_predict (config/speculative.py).
void complete_modules(Json& told, const SpeculativeConfig& drafts, const ModelArchitecture& model) {
  if (drafts.method->engine != DraftEngine::Own || model.mtp_layers <= 1) return;
  if (model.block_drafter.states > 0) return;  // those are no modules, which drafter_for refuses
  if (!told.contains(kTokens)) {
    told[kTokens] = model.mtp_layers;
  } else if (drafts.steps > model.mtp_layers && drafts.steps % model.mtp_layers != 0) {
    throw InvalidInput(
        fmt::format("speculative_config: {} is {}, expected at most the {} prediction modules of {} or a "
                    "multiple of them",
                    kTokens, drafts.steps, model.mtp_layers, model.name));
  }
}

// A draft says for what method it is: vLLM goes by its name and then by its class.
void complete_method(Json& told, const FileScope& files) {
  if (told.contains("method") || told.contains("decoding_type") || !told.contains("model")) return;
  if (!told["model"].is_string()) return;
  const auto document = find_draft_document(told["model"].get<std::string>(), files);
  if (!document) return;
  const std::string format = speculators_method(*document);
  const DraftMethod* method =
      format.empty() ? draft_method_of_class(draft_class(*document)) : find_draft_method(format);
  if (method != nullptr) told["method"] = std::string(method->name);
}

// Tokens that a drafter of blocks was trained to propose, or that its file asks for; 0: neither is said.
std::int64_t tokens_of_draft(const DraftMethod& method, const std::optional<DraftConfig>& own,
                             const ModelArchitecture& model) {
  if (own && own->tokens > 0) return own->tokens;
  if (!method.in_blocks) return 0;
  const Drafter drafter = drafter_for(method, model, own ? &*own : nullptr);
  return drafter.block ? drafter.block->trained : 0;
}

bool tokens_told(const Json& told) {
  return told.contains(kTokens) || told.contains("num_nextn_predict_layers") ||
         told.contains("max_draft_len");
}

void complete_json(ServingConfig& config, const ModelArchitecture& model, const FileScope& files) {
  Json told = parse_json(config.speculative_config, "speculative_config");
  if (!told.is_object()) return;  // which speculation_of refuses
  complete_method(told, files);
  config.speculative_config = told.dump();
  const SpeculativeConfig drafts = asked_drafts(config, model);
  if (!drafts.on()) return;
  if (told.contains("num_nextn_predict_layers") || told.contains("max_draft_len")) return;
  complete_modules(told, drafts, model);
  if (!tokens_told(told))
    if (const std::int64_t tokens =
            tokens_of_draft(*drafts.method, load_draft(*drafts.method, drafts.model, files), model);
        tokens > 0)
      told[kTokens] = tokens;
  config.speculative_config = told.dump();
}

void complete_flags(ServingConfig& config, const ModelArchitecture& model, const FileScope& files) {
  const DraftMethod* method = find_draft_method(config.speculative_algorithm);
  if (method == nullptr || !method->in_blocks || config.speculative_num_draft_tokens) return;
  const auto own = load_draft(*method, config.speculative_draft_model_path, files);
  if (const std::int64_t tokens = tokens_of_draft(*method, own, model); tokens > 0)
    config.speculative_num_draft_tokens = tokens + 1;
}

}  // namespace

FieldTable PublishedAcceptance::describe() {
  using P = PublishedAcceptance;
  return FieldList<P>("draft_acceptance")
      .add("models", &P::models, {.required = true})
      .add("method", &P::method, {.required = true})
      .add("tokens", &P::tokens, {.min = 1, .required = true})
      .add("length", &P::length, {.min = 1, .required = true})
      .add("source", &P::source, {.required = true})
      .table();
}

void complete_speculation(ServingConfig& config, const ModelArchitecture& model, const FileScope& files) {
  if (config.speculative_config.empty() && config.speculative_algorithm.empty()) return;
  if (config.speculative_config.empty())
    complete_flags(config, model, files);
  else
    complete_json(config, model, files);
  if (acceptance_stated(config)) return;
  if (const PublishedAcceptance* found = published_for(asked_drafts(config, model), model))
    config.acceptance_length = found->length;
}

std::string acceptance_source(const ServingConfig& config, const ModelArchitecture& model) {
  if (config.speculative_config.empty() && config.speculative_algorithm.empty()) return {};
  const PublishedAcceptance* found = published_for(asked_drafts(config, model), model);
  return found != nullptr && config.acceptance_length == found->length ? found->source : std::string();
}

}  // namespace warploom
