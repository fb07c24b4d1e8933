#include "warploom/serving/speculation/speculative_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/serving/config/serving_config.h"

namespace warploom {
namespace {

constexpr std::string_view kWhere = "speculative_config";
constexpr std::int64_t kMostSteps = 64;

// Keys that do not bear on a step's length as it is modelled.
constexpr std::array<std::string_view, 9> kWithoutEffect{"attention_backend",
                                                         "code_revision",
                                                         "draft_sample_method",
                                                         "prompt_lookup_max",
                                                         "prompt_lookup_min",
                                                         "max_model_len",
                                                         "revision",
                                                         "disable_padded_drafter_batch",
                                                         "rejection_sample_method"};

const DraftMethod* method_spelled(std::string_view text, std::string_view where) {
  if (text == "none") return nullptr;
  if (const DraftMethod* method = find_draft_method(text)) return method;
  std::vector<std::string> names;
  for (const DraftMethod* each : all_draft_methods()) names.emplace_back(each->name);
  throw Unsupported(fmt::format("{}: method '{}' is not modelled, expected one of: {}{}", where, text,
                                fmt::join(names, ", "), did_you_mean(text, names)));
}

struct Stated {
  std::optional<double> length, synthetic_length;
  std::vector<double> rates;
};

double number_of(const Json& value, std::string_view key) {
  if (!value.is_number()) throw InvalidInput(fmt::format("{}: '{}' is not a number", kWhere, key));
  return value.get<double>();
}

std::int64_t count_of(const Json& value, std::string_view key) {
  constexpr double kMost = 1e9;  // of tokens and of GPUs
  const double number = number_of(value, key);
  if (!(number >= 0 && number <= kMost && number == std::floor(number)))
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a whole number", kWhere, key, number));
  return std::int64_t(number);
}

std::string text_of(const Json& value, std::string_view key) {
  if (!value.is_string()) throw InvalidInput(fmt::format("{}: '{}' is not a text", kWhere, key));
  return value.get<std::string>();
}

void read_key(const std::string& key, const Json& value, SpeculativeConfig& config, Stated& stated) {
  if (std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) != kWithoutEffect.end()) return;
  if (key == "method" || key == "decoding_type") {
    config.method = method_spelled(text_of(value, key), kWhere);
  } else if (key == "model" || key == "speculative_model" || key == "speculative_model_dir") {
    config.model = text_of(value, key);
  } else if (key == "quantization") {
    config.quantization = text_of(value, key);
  } else if (key == "draft_tensor_parallel_size") {
    config.tensor_parallel = count_of(value, key);
  } else if (key == "num_speculative_tokens" || key == "max_draft_len" || key == "num_nextn_predict_layers") {
    config.steps = count_of(value, key);
  } else if (key == "enable_adaptive_verification") {
    if (value != Json(false))
      throw Unsupported(fmt::format("{}: '{}' is not modelled, expected false", kWhere, key));
  } else if (key == "synthetic_acceptance_length") {
    stated.synthetic_length = number_of(value, key);
  } else if (key == "synthetic_acceptance_rates") {
    if (!value.is_array()) throw InvalidInput(fmt::format("{}: '{}' is not a list", kWhere, key));
    for (const Json& rate : value) stated.rates.push_back(number_of(rate, key));
  } else {
    const std::vector<std::string> known{"method", "model", "num_speculative_tokens",
                                         "synthetic_acceptance_rates", "synthetic_acceptance_length"};
    throw Unsupported(fmt::format("{}: key '{}' is not modelled, expected one of: {}{}", kWhere, key,
                                  fmt::join(known, ", "), did_you_mean(key, known)));
  }
}

// As vLLM guesses it: by the draft's name, by its class, else its own small model. A name that holds those of
// two methods is of the one with the longer name.
void complete_method(SpeculativeConfig& config, bool named) {
  if (named) return;
  std::string model = config.model;
  std::transform(model.begin(), model.end(), model.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  config.method = find_draft_method(model);
  std::size_t longest = 0;
  for (const DraftMethod* each : all_draft_methods()) {
    if (each->in_name.size() <= longest || model.find(each->in_name) == std::string::npos) continue;
    longest = each->in_name.size();
    config.method = each;
  }
  if (config.method == nullptr) config.method = &draft_method_named(model.empty() ? "mtp" : "draft_model");
}

void read_json(const std::string& text, SpeculativeConfig& config, Stated& stated) {
  const Json document = parse_json(text, kWhere);
  if (!document.is_object())
    throw InvalidInput(
        fmt::format("{}: expected a JSON object such as {{\"method\": \"eagle3\", "
                    "\"num_speculative_tokens\": 3}}",
                    kWhere));
  for (const auto& [key, value] : document.items()) read_key(key, value, config, stated);
  complete_method(config, document.contains("method") || document.contains("decoding_type"));
  if (config.drafts_by("mtp") && config.steps == 0) config.steps = config.method->usual_steps;
  config.verified_tokens = config.steps + 1;
}

// SGLang verifies a tree: num_draft_tokens nodes, of which one path of at most num_steps is accepted. A
// look-up and a block are one path of num_draft_tokens; of a block the first is the sure token.
void read_sglang(const ServingConfig& engine, SpeculativeConfig& config) {
  config.method = method_spelled(engine.speculative_algorithm, "speculative_algorithm");
  if (config.method == nullptr) return;
  config.model = engine.speculative_draft_model_path;
  const auto nodes = engine.speculative_num_draft_tokens;
  if (!config.method->on_gpu()) {
    config.steps = config.verified_tokens = nodes.value_or(config.method->usual_steps);
    return;
  }
  if (config.method->in_blocks) {
    config.steps = nodes ? *nodes - 1 : config.method->usual_steps;
    config.verified_tokens = config.steps + 1;
    return;
  }
  config.steps = engine.speculative_num_steps.value_or(config.method->usual_steps);
  config.verified_tokens = nodes.value_or(config.steps + 1);
  if (config.verified_tokens < config.steps + 1) {
    throw InvalidInput(
        fmt::format("speculative_num_draft_tokens is {}, expected at least {}: speculative_num_steps and one",
                    config.verified_tokens, config.steps + 1));
  }
}

void set_acceptance(const ServingConfig& engine, Stated stated, SpeculativeConfig& config) {
  if (!engine.acceptance_rates.empty()) stated.rates = engine.acceptance_rates;
  if (engine.acceptance_length) stated.length = engine.acceptance_length;
  const int given =
      int(!stated.rates.empty()) + int(stated.length.has_value()) + int(stated.synthetic_length.has_value());
  if (given != 1) {
    throw InvalidInput(fmt::format(
        "speculative decoding: acceptance is {}, expected one of --acceptance-rates R1,R2,... (for each "
        "position, the share of drafts accepted up to it) and --acceptance-length L (tokens of a step, 1 to "
        "{})",
        given == 0 ? "not stated" : "stated twice", config.steps + 1));
  }
  const auto length = stated.length ? stated.length : stated.synthetic_length;
  if (length && !(*length >= 1 && *length <= double(config.steps + 1))) {
    throw InvalidInput(fmt::format("acceptance length is {}, expected 1 to {}: the proposed tokens and one",
                                   *length, config.steps + 1));
  }
  config.acceptance = stated.length             ? geometric_acceptance(*stated.length, config.steps)
                      : stated.synthetic_length ? even_acceptance(*stated.synthetic_length, config.steps)
                                                : stated.rates;
  bool falls = std::int64_t(config.acceptance.size()) == config.steps;
  double before = 1;
  for (const double rate : config.acceptance) {
    falls = falls && rate >= 0 && rate <= before;
    before = rate;
  }
  if (!falls) {
    throw InvalidInput(
        fmt::format("acceptance rates are {}, expected {} values in [0, 1], none above the one before it",
                    fmt::join(config.acceptance, ","), config.steps));
  }
}

}  // namespace

SpeculativeConfig speculation_of(const ServingConfig& engine, UnsaidTokens unsaid) {
  SpeculativeConfig config;
  Stated stated;
  if (!engine.speculative_config.empty()) {
    read_json(engine.speculative_config, config, stated);
  } else if (!engine.speculative_algorithm.empty()) {
    read_sglang(engine, config);
  }
  if (!config.on()) return {};
  if (config.steps == 0 && unsaid == UnsaidTokens::Allowed) return config;
  if (config.steps < 1 || config.steps > kMostSteps) {
    throw InvalidInput(fmt::format("speculative decoding: {} tokens are proposed, expected 1 to {}",
                                   config.steps, kMostSteps));
  }
  if (config.method->engine == DraftEngine::AnyModel && config.model.empty())
    throw InvalidInput("speculative decoding: the draft model is missing, expected 'model'");
  config.proposal_rate = engine.proposal_rate;
  set_acceptance(engine, std::move(stated), config);
  return config;
}

std::vector<double> geometric_acceptance(double length, std::int64_t steps) {
  double low = 0, high = 1;
  std::vector<double> rates(std::size_t(steps), 1.0);
  for (int i = 0; i < 60; ++i) {
    const double rate = 0.5 * (low + high);
    double sum = 0, all = 1;
    for (double& value : rates) sum += value = all *= rate;
    (1 + sum < length ? low : high) = rate;
  }
  return rates;
}

std::vector<double> even_acceptance(double length, std::int64_t steps) {
  std::vector<double> rates;
  for (std::int64_t i = 0; i < steps; ++i) rates.push_back(std::clamp(length - 1 - double(i), 0.0, 1.0));
  return rates;
}

}  // namespace warploom
