#include "warploom/serving/engines/start_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/shell_line.h"
#include "warploom/serving/engines/engine_registry.h"

namespace warploom {
namespace {

// What no engine is told.
constexpr std::array<std::string_view, 13> kNotStarted{"engine",
                                                       "instances",
                                                       "routing_policy",
                                                       "host",
                                                       "acceptance_length",
                                                       "acceptance_rates",
                                                       "proposal_rate",
                                                       "kv_disk_bandwidth_gb_per_s",
                                                       "kv_fetch",
                                                       "num_attention_ranks",
                                                       "num_ffn_ranks",
                                                       "num_afd_stages",
                                                       "compute_gate_on_attention"};

std::string spelled(std::string_view name, bool underscores) {
  std::string flag = "--" + std::string(name);
  if (!underscores) std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

std::string text_of_value(const FieldValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
    return fmt::format("{}", fmt::join(*list, ","));
  return {};
}

// The word that the file's reader makes this value of: the value or the end of it in capitals, as such files
// spell theirs. Nothing where it makes it of neither.
std::optional<std::string> unconverted(const FileKey& key, const std::string& value) {
  if (value.empty() || value.find_first_of("{[") != std::string::npos) return {};
  std::string capitals = value;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char c) { return char(std::toupper(c)); });
  for (const std::string& word : {capitals, capitals.substr(capitals.find_last_of('_') + 1)})
    if (key.text(Json(word), std::string(key.key)) == value) return word;
  return {};
}

class CommandWriter {
 public:
  CommandWriter(const ServingConfig& config, const EngineSpec& engine) : config_(config), engine_(engine) {}

  StartCommand command(std::string_view model, std::string_view quantization) {
    std::string_view example = engine_.command_line.example;
    while (!example.empty()) {
      const std::size_t end = std::min(example.find(' '), example.size());
      const std::string_view word = example.substr(0, end);
      command_.words.emplace_back(word == "MODEL" ? model : word);
      example.remove_prefix(std::min(end + 1, example.size()));
    }
    const ServingConfig defaults;
    for (const Field& field : fields_of<ServingConfig>().fields) {
      if (field.nested != nullptr ||
          std::find(kNotStarted.begin(), kNotStarted.end(), field.name) != kNotStarted.end())
        continue;
      const FieldValue value = field.get(&config_);
      if (value == field.get(&defaults) || std::holds_alternative<std::monostate>(value)) continue;
      add(field.name, value);
    }
    if (!quantization.empty()) {
      command_.words.emplace_back("--quantization");
      command_.words.emplace_back(quantization);
    }
    return std::move(command_);
  }

 private:
  void add(const std::string& name, const FieldValue& value) {
    const auto own = std::find_if(engine_.flags.begin(), engine_.flags.end(),
                                  [&](const EngineFlag& flag) { return flag.field == name; });
    const bool* on = std::get_if<bool>(&value);
    const bool underscores = engine_.manifests.underscored_flags;
    if (own == engine_.flags.end()) {
      if (engine_.manifests.flags_are_fields) {
        command_.words.push_back(on != nullptr && !*on ? spelled("no_" + name, false) : spelled(name, false));
        if (on == nullptr) add_value(value);
        return;
      }
      return add_to_file(name, value);
    }
    if (own->count) {
      if (on == nullptr || !*on) return;
      command_.words.push_back(spelled(own->flag, underscores));
      command_.words.push_back(std::to_string(config_.tensor_parallel_size));
    } else if (own->stands_alone()) {
      const bool set = on != nullptr ? *on != own->negated : text_of_value(value) == own->sets;
      if (set) command_.words.push_back(spelled(own->flag, underscores));
    } else {
      command_.words.push_back(spelled(own->flag, underscores));
      add_value(value);
    }
  }

  // Numbers of a list are words of their own, but one where a file takes them.
  void add_value(const FieldValue& value) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
    if (list == nullptr || !engine_.command_line.file_keys.empty())
      return command_.words.push_back(text_of_value(value));
    for (const std::int64_t number : *list) command_.words.push_back(std::to_string(number));
  }

  // What the file says of the value by this key; nothing where the key means something else.
  std::optional<std::string> written(const FileKey& key, const std::string& name, const FieldValue& value) {
    std::string dashed = name;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    const bool* on = std::get_if<bool>(&value);
    const bool negated = key.flag == "--no-" + dashed;
    if (!negated && key.flag != "--" + dashed && key.flag != "--" + name && key.off != "--no-" + dashed)
      return {};
    if (key.takes == FileValue::Nothing) return on != nullptr && *on ? std::optional("null") : std::nullopt;
    if (key.takes == FileValue::Converted) return unconverted(key, text_of_value(value));
    if (key.takes == FileValue::WithoutEffect) return {};
    return on != nullptr ? (*on != negated ? "true" : "false") : text_of_value(value);
  }

  // By the key whose meaning is that flag.
  void add_to_file(const std::string& name, const FieldValue& value) {
    for (const FileKey& key : engine_.command_line.file_keys)
      if (const auto text = written(key, name, value)) {
        command_.file.emplace_back(key.key, *text);
        return;
      }
    if (engine_.command_line.file_keys.empty()) {
      const bool* on = std::get_if<bool>(&value);
      command_.words.push_back(on != nullptr && !*on ? spelled("no_" + name, false) : spelled(name, false));
      if (on == nullptr) add_value(value);
      return;
    }
    throw Unsupported(fmt::format("{}: {} has neither a flag nor a key for it, expected another engine", name,
                                  engine_.name));
  }

  const ServingConfig& config_;
  const EngineSpec& engine_;
  StartCommand command_;
};

}  // namespace

StartCommand start_command(const ServingConfig& config, std::string_view model,
                           std::string_view quantization) {
  return CommandWriter(config, engine_named(config.engine)).command(model, quantization);
}

std::string options_flag(const EngineSpec& engine) {
  return spelled(engine.command_line.file_flags.back(), engine.manifests.underscored_flags);
}

// vllm/benchmarks/serve.py
std::string benchmark_command(const BenchmarkLoad& load) {
  std::string text = fmt::format(
      "vllm bench serve --model {} --dataset-name random --random-input-len {} --random-output-len {} "
      "--num-prompts {} --ignore-eos --percentile-metrics ttft,tpot,itl,e2el --metric-percentiles "
      "50,90,95,99 "
      "--save-result --save-detailed --result-filename result.json",
      shell_line({load.model}), load.input_tokens, load.output_tokens, load.requests);
  if (load.range_ratio > 0) text += fmt::format(" --random-range-ratio {:g}", load.range_ratio);
  return text + (load.concurrency > 0 ? fmt::format(" --max-concurrency {}", load.concurrency)
                                      : fmt::format(" --request-rate {:.4g}", load.rate));
}

}  // namespace warploom
