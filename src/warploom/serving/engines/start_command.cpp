#include "warploom/serving/engines/start_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
        if (on == nullptr) command_.words.push_back(text_of_value(value));
        return;
      }
      return add_to_file(name, value);
    }
    if (own->count) {
      if (on == nullptr || !*on) return;
      command_.words.push_back(spelled(own->flag, underscores));
      command_.words.push_back(std::to_string(config_.tensor_parallel_size));
    } else if (own->stands_alone()) {
      if (on != nullptr && *on != own->negated) command_.words.push_back(spelled(own->flag, underscores));
    } else {
      command_.words.push_back(spelled(own->flag, underscores));
      command_.words.push_back(text_of_value(value));
    }
  }

  // By the key whose meaning is that flag.
  void add_to_file(const std::string& name, const FieldValue& value) {
    std::string dashed = name;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    const bool* on = std::get_if<bool>(&value);
    for (const FileKey& key : engine_.command_line.file_keys) {
      const bool means = key.flag == "--" + dashed || key.flag == "--" + name || key.off == "--no-" + dashed;
      if (!means || key.takes == FileValue::Converted || key.takes == FileValue::WithoutEffect) continue;
      command_.file.emplace_back(key.key, on != nullptr ? (*on ? "true" : "false") : text_of_value(value));
      return;
    }
    if (engine_.command_line.file_keys.empty()) {
      command_.words.push_back(on != nullptr && !*on ? spelled("no_" + name, false) : spelled(name, false));
      if (on == nullptr) command_.words.push_back(text_of_value(value));
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
