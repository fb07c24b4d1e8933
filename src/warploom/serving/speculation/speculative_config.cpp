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

// Spellings of the engines: vllm/config/speculative.py, sglang/srt/speculative/spec_info.py,
// tensorrt_llm/llmapi/llm_args.py.
constexpr std::array<std::pair<std::string_view, DraftMethod>, 41> kMethods{{
    {"draft_model", DraftMethod::DraftModel},
    {"draft_target", DraftMethod::DraftModel},
    {"standalone", DraftMethod::DraftModel},
    {"drafttarget", DraftMethod::DraftModel},
    {"eagle", DraftMethod::Eagle},
    {"eagle2", DraftMethod::Eagle},
    {"eagle3", DraftMethod::Eagle3},
    {"mtp", DraftMethod::Mtp},
    {"nextn", DraftMethod::Mtp},
    {"deepseek_mtp", DraftMethod::Mtp},
    {"qwen3_next_mtp", DraftMethod::Mtp},
    {"qwen3_5_mtp", DraftMethod::Mtp},
    {"glm4_moe_mtp", DraftMethod::Mtp},
    {"mimo_mtp", DraftMethod::Mtp},
    {"ernie_mtp", DraftMethod::Mtp},
    {"longcat_flash_mtp", DraftMethod::Mtp},
    {"dots3_note_mtp", DraftMethod::Mtp},
    {"mimo_v2_mtp", DraftMethod::Mtp},
    {"glm4_moe_lite_mtp", DraftMethod::Mtp},
    {"glm_ocr_mtp", DraftMethod::Mtp},
    {"nemotron_h_mtp", DraftMethod::Mtp},
    {"exaone_moe_mtp", DraftMethod::Mtp},
    {"exaone4_5_mtp", DraftMethod::Mtp},
    {"qwen4_exp_mtp", DraftMethod::Mtp},
    {"minimax_m3_mtp", DraftMethod::Mtp},
    {"kimi_k3_mtp", DraftMethod::Mtp},
    {"pangu_ultra_moe_mtp", DraftMethod::Mtp},
    {"step3p5_mtp", DraftMethod::Mtp},
    {"hy_v3_mtp", DraftMethod::Mtp},
    {"glm5_next_mtp", DraftMethod::Mtp},
    {"inkling_mtp", DraftMethod::Mtp},
    {"bailing_hybrid_mtp", DraftMethod::Mtp},
    {"bailing_hybrid_v3_mtp", DraftMethod::Mtp},
    {"ngram", DraftMethod::Ngram},
    {"[ngram]", DraftMethod::Ngram},
    {"ngram_gpu", DraftMethod::Ngram},
    {"prompt_lookup", DraftMethod::Ngram},
    {"mtp_eagle", DraftMethod::Mtp},
    {"eagle3_one_model", DraftMethod::Eagle3},
    {"mtp_vanilla", DraftMethod::Mtp},
    {"none", DraftMethod::None},
}};

// Keys that do not bear on a step's length as it is modelled.
constexpr std::array<std::string_view, 8> kWithoutEffect{"code_revision",
                                                         "draft_sample_method",
                                                         "prompt_lookup_max",
                                                         "prompt_lookup_min",
                                                         "max_model_len",
                                                         "revision",
                                                         "disable_padded_drafter_batch",
                                                         "rejection_sample_method"};

DraftMethod method_named(std::string_view text, std::string_view where) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  for (const auto& [spelling, method] : kMethods)
    if (spelling == name) return method;
  throw Unsupported(fmt::format(
      "{}: method '{}' is not modelled, expected draft_model, eagle, eagle3, mtp or ngram", where, text));
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
    config.method = method_named(text_of(value, key), kWhere);
  } else if (key == "model" || key == "speculative_model" || key == "speculative_model_dir") {
    config.model = text_of(value, key);
  } else if (key == "quantization") {
    config.quantization = text_of(value, key);
  } else if (key == "draft_tensor_parallel_size") {
    config.tensor_parallel = count_of(value, key);
  } else if (key == "num_speculative_tokens" || key == "max_draft_len" || key == "num_nextn_predict_layers") {
    config.steps = count_of(value, key);
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

// As vLLM guesses it: by the draft's name, else its own small model.
void complete_method(SpeculativeConfig& config, bool named) {
  if (named) return;
  std::string model = config.model;
  std::transform(model.begin(), model.end(), model.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  config.method = model == "ngram" || model == "[ngram]"      ? DraftMethod::Ngram
                  : model.find("eagle3") != std::string::npos ? DraftMethod::Eagle3
                  : model.find("eagle") != std::string::npos  ? DraftMethod::Eagle
                  : model.find("mtp") != std::string::npos    ? DraftMethod::Mtp
                  : model.empty()                             ? DraftMethod::Mtp
                                                              : DraftMethod::DraftModel;
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
  if (config.method == DraftMethod::Mtp && config.steps == 0) config.steps = 1;
  config.verified_tokens = config.steps + 1;
}

// SGLang verifies a tree: num_draft_tokens nodes, of which one path of at most num_steps is accepted.
void read_sglang(const ServingConfig& engine, SpeculativeConfig& config) {
  config.method = method_named(engine.speculative_algorithm, "speculative_algorithm");
  config.model = engine.speculative_draft_model_path;
  config.steps = engine.speculative_num_steps.value_or(config.method == DraftMethod::Mtp ? 1 : 3);
  if (config.method == DraftMethod::Ngram) config.steps = engine.speculative_num_draft_tokens.value_or(12);
  config.verified_tokens = config.method == DraftMethod::Ngram
                               ? config.steps
                               : engine.speculative_num_draft_tokens.value_or(config.steps + 1);
  if (config.verified_tokens < config.steps + 1 && config.method != DraftMethod::Ngram) {
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

SpeculativeConfig speculation_of(const ServingConfig& engine) {
  SpeculativeConfig config;
  Stated stated;
  if (!engine.speculative_config.empty()) {
    read_json(engine.speculative_config, config, stated);
  } else if (!engine.speculative_algorithm.empty()) {
    read_sglang(engine, config);
  }
  if (!config.on()) return {};
  if (config.steps < 1 || config.steps > kMostSteps) {
    throw InvalidInput(fmt::format("speculative decoding: {} tokens are proposed, expected 1 to {}",
                                   config.steps, kMostSteps));
  }
  if (config.method == DraftMethod::DraftModel && config.model.empty())
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
