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
    read_fields(document, fields_of<PublishedAcceptance>(), &all.emplace_back(), file.name);
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
  SpeculativeConfig drafts = speculation_of(config);
  drafts.method = drafting_method(config, drafts, model);
  return drafts;
}

const PublishedAcceptance* published_for(const SpeculativeConfig& drafts, const ModelArchitecture& model) {
  static const std::vector<PublishedAcceptance> all = load_all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const PublishedAcceptance& one) {
    return one.method == drafts.method && one.tokens == drafts.steps &&
           std::find(one.models.begin(), one.models.end(), model.name) != one.models.end();
  });
  return found == all.end() ? nullptr : &*found;
}

// vLLM's n_predict (config/speculative.py).
void complete_tokens(ServingConfig& config, const SpeculativeConfig& drafts, const ModelArchitecture& model) {
  if (drafts.method != DraftMethod::Mtp || config.speculative_config.empty() || model.mtp_layers <= 1) return;
  Json told = parse_json(config.speculative_config, "speculative_config");
  if (told.contains("num_nextn_predict_layers") || told.contains("max_draft_len")) return;
  if (!told.contains(kTokens)) {
    told[kTokens] = model.mtp_layers;
    config.speculative_config = told.dump();
  } else if (drafts.steps > model.mtp_layers && drafts.steps % model.mtp_layers != 0) {
    throw InvalidInput(
        fmt::format("speculative_config: {} is {}, expected at most the {} prediction modules of {} or a "
                    "multiple of them",
                    kTokens, drafts.steps, model.mtp_layers, model.name));
  }
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

void complete_speculation(ServingConfig& config, const ModelArchitecture& model) {
  if (config.speculative_config.empty() && config.speculative_algorithm.empty()) return;
  complete_tokens(config, asked_drafts(config, model), model);
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
