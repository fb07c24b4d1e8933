#include "warploom/manifests/lines/engine_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "warploom/app/serving/serving_setup.h"
#include "warploom/app/serving/setup_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/field_text.h"
#include "warploom/base/nearest_name.h"
#include "warploom/manifests/lines/engine_config_file.h"
#include "warploom/manifests/lines/engine_flag_effects.h"
#include "warploom/manifests/lines/engine_flag_values.h"
#include "warploom/manifests/lines/misspelt.h"
#include "warploom/manifests/lines/shell_words.h"

namespace warploom {
namespace {

std::string field_name(std::string_view flag) {
  if (flag == "-tp") return "tensor_parallel_size";
  if (flag == "-pp") return "pipeline_parallel_size";
  if (flag == "-dp") return "data_parallel_size";
  if (flag == "-q") return "quantization";
  if (flag == "-cc") return "compilation_config";
  // SGLang's and TensorRT-LLM's short forms.
  for (const std::string_view size : {"--tp", "--pp", "--dp", "--ep", "--dcp"})
    if (flag == size) return std::string(size.substr(2)) + "_size";
  std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The JSON flag that `flag` gives an entry of, and the entry's key, as in -cc.cudagraph_mode=NONE.
std::optional<std::pair<JsonFlag, std::string_view>> json_entry(const EngineSpec& engine,
                                                                std::string_view flag) {
  for (const JsonFlag& whole : engine.command_line.json_flags)
    for (const std::string_view prefix : whole.prefixes)
      if (flag.starts_with(prefix) && flag.size() > prefix.size())
        return std::pair{whole, flag.substr(prefix.size())};
  return {};
}

class Parser {
 public:
  Parser(std::vector<std::vector<std::string>> commands, ConfigFiles files, std::string where,
         std::vector<HeldFile> held = {})
      : commands_(std::move(commands)), files_(files), where_(std::move(where)), held_(std::move(held)) {}

  EngineCommand parse() {
    find_command();
    read_config_file();
    read_overrides();
    while (next_ < words_.size()) {
      const std::string word = words_[next_++];
      if (word.starts_with('-')) {
        take_flag(word);
      } else if (command_.model.empty()) {
        command_.model = word;
      } else {
        throw InvalidInput(fmt::format("{}: '{}' follows no flag, expected one model", where_, word));
      }
    }
    // Quantised checkpoints stay as they are; what is left of them in 16 bits is cast, which is not modelled.
    if (half_ && command_.quantization.empty()) command_.quantization = "fp16";
    return std::move(command_);
  }

  bool finds_command() {
    for (const auto& start : {&Parser::find_engine_word, &Parser::find_image})
      for (std::vector<std::string>& words : commands_) {
        words_ = words;
        if ((this->*start)()) return true;
      }
    return false;
  }

 private:
  // The first command of the line that starts an engine, behind the words that say so.
  void find_command() {
    if (finds_command()) return;
    throw InvalidInput(
        fmt::format("{}: expected a command that reads {}", where_, engine_command_examples()));
  }

  void begin(const EngineSpec& engine, std::size_t next) {
    engine_ = &engine;
    command_.config.engine = engine.name;
    next_ = next;
  }

  // Finds the word that names the engine, and skips a sub-command behind it.
  bool find_engine_word() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view word = words_[i];
      const bool serves = i + 1 < words_.size() && words_[i + 1] == "serve";
      const std::string_view name = word.substr(word.find_last_of('/') + 1);
      for (const EngineSpec* engine : all_engines())
        for (const LaunchWord& start : engine->command_line.programs) {
          if (name != start.program || (start.serves && !serves)) continue;
          begin(*engine, i + (serves ? 2 : 1));
          return true;
        }
    }
    return false;
  }

  // `docker run ... IMAGE:TAG FLAGS`, where the image starts the engine by itself.
  bool find_image() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string_view image = std::string_view(words_[i]).substr(0, words_[i].find_first_of(":@"));
      for (const EngineSpec* engine : all_engines()) {
        if (!image.ends_with(engine->manifests.image)) continue;
        begin(*engine, i + 1);
        return true;
      }
    }
    return false;
  }

  // Puts the words of the file that the command names where the engine reads them: behind the command line
  // where the file rules, else before it.
  void read_config_file() {
    const EngineCommandLine& line = engine_->command_line;
    for (std::size_t i = next_; i < words_.size(); ++i) {
      const std::size_t equals = words_[i].find('=');
      const std::string name = field_name(words_[i].substr(0, equals));
      if (!words_[i].starts_with("--") ||
          std::find(line.file_flags.begin(), line.file_flags.end(), name) == line.file_flags.end())
        continue;
      const bool apart = equals == std::string::npos;
      if (apart && i + 1 == words_.size())
        throw InvalidInput(fmt::format("{}: {} has no value", where_, words_[i]));
      const std::string path = apart ? words_[i + 1] : words_[i].substr(equals + 1);
      const auto held =
          std::find_if(held_.begin(), held_.end(), [&](const HeldFile& file) { return file.path == path; });
      if (files_ == ConfigFiles::Refused && held == held_.end())
        throw Unsupported(
            fmt::format("{}: {} names a file of the engine's machine, expected its flags in the line", where_,
                        words_[i].substr(0, equals)));
      words_.erase(words_.begin() + std::ptrdiff_t(i), words_.begin() + std::ptrdiff_t(i + (apart ? 2 : 1)));
      ConfigFileWords file = held == held_.end()
                                 ? read_engine_config(line.file_keys, path)
                                 : engine_config_of_text(line.file_keys, held->contents, path);
      words_.insert(line.file_rules ? words_.end() : words_.begin() + std::ptrdiff_t(next_),
                    file.words.begin(), file.words.end());
      command_.ignored.insert(command_.ignored.end(), file.ignored.begin(), file.ignored.end());
      return;
    }
  }

  // The same of what Dynamo's worker is told of the file's keys, which rules over the file.
  void read_overrides() {
    const EngineCommandLine& line = engine_->command_line;
    if (line.overriding_flag.empty()) return;
    for (std::size_t i = next_, all = words_.size(); i < all;) {
      const std::string flag = words_[i].substr(0, words_[i].find('='));
      const bool keyed = flag.starts_with(line.key_prefix);
      if (!keyed && flag != line.overriding_flag) {
        ++i;
        continue;
      }
      const bool apart = flag.size() == words_[i].size();
      if (apart && i + 1 == all) throw InvalidInput(fmt::format("{}: {} has no value", where_, flag));
      std::string text = apart ? words_[i + 1] : words_[i].substr(flag.size() + 1);
      if (keyed) text = key_text(flag.substr(line.key_prefix.size()), std::move(text));
      const std::size_t taken = apart ? 2 : 1;
      words_.erase(words_.begin() + std::ptrdiff_t(i), words_.begin() + std::ptrdiff_t(i + taken));
      all -= taken;
      const ConfigFileWords file = engine_config_of_text(line.file_keys, text, where_ + ": " + flag);
      words_.insert(words_.end(), file.words.begin(), file.words.end());
      command_.ignored.insert(command_.ignored.end(), file.ignored.begin(), file.ignored.end());
    }
  }

  // "a.b" and a value as YAML.
  static std::string key_text(std::string path, std::string value) {
    std::string text = std::move(value);
    for (std::size_t dot = path.rfind('.'); !path.empty(); dot = path.rfind('.')) {
      const bool nested = dot != std::string::npos;
      text = fmt::format("{{{}: {}}}", nested ? path.substr(dot + 1) : path, text);
      path.resize(nested ? dot : 0);
    }
    return text;
  }

  void take_flag(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (flag == "-O2" ||
        flag == "-O3") {  // levels of compilation that are modelled, the default is one of them
      command_.ignored.push_back(flag);
      return;
    }
    const std::string name = settled_name(field_name(flag));
    const std::string where = fmt::format("{}: {}", where_, flag);
    const FlagEffect effect = effect_of_flag(engine_->name, name);
    const auto& json_flags = engine_->command_line.json_flags;
    const auto json = std::find_if(json_flags.begin(), json_flags.end(),
                                   [&](const JsonFlag& whole) { return whole.flag == name; });
    const std::string said = value ? *value : next_ < words_.size() ? words_[next_] : std::string();
    if (does_nothing_at(engine_->name, name, said)) {
      value_of(flag, value);
      command_.ignored.push_back(flag);
    } else if (const auto entry = json_entry(*engine_, flag)) {
      entry->first.apply_entry(command_.config, entry->second, value_of(flag, value), where);
    } else if (json != json_flags.end()) {
      json->apply(command_.config, value_of(flag, value), where);
    } else if (effect == FlagEffect::None) {
      command_.ignored.push_back(flag);
    } else if (effect == FlagEffect::NoneWithValue) {
      value_of(flag, value);
      command_.ignored.push_back(flag);
    } else if (effect == FlagEffect::NoneWithValues) {
      value_of(flag, value);
      skip_values();
      command_.ignored.push_back(flag);
    } else if (effect == FlagEffect::Approximated) {
      if (!value && !may_be_model()) skip_values();
      command_.approximated.push_back(flag);
    } else if (name == "model" || name == "model_path") {
      command_.model = value_of(flag, value);
    } else if (name == "quantization") {
      command_.quantization = value_of(flag, value);
    } else if (name == "dtype") {
      take_dtype(value_of(flag, value));
    } else if (name == "speculative_draft_model_quantization") {
      check_drafter_scheme(value_of(flag, value));
      command_.ignored.push_back(flag);
    } else {
      take_field(flag, name, value);
    }
  }

  bool knows(const std::string& name) const {
    const auto& flags = engine_->flags;
    return effect_of_flag(engine_->name, name) != FlagEffect::Unknown ||
           fields_of<ServingConfig>().find(name) != nullptr ||
           std::any_of(flags.begin(), flags.end(), [&](const EngineFlag& own) { return own.flag == name; });
  }

  // Spelled out; vLLM's --disable-X is --no-enable-X where that is its name, and the other way round.
  std::string settled_name(const std::string& spelled) const {
    std::string name(long_name_of_flag(engine_->name, spelled));
    if (knows(name)) return name;
    constexpr std::string_view kEnable = "enable_", kDisable = "disable_";
    for (const auto& [is, other] : {std::pair{kEnable, kDisable}, std::pair{kDisable, kEnable}}) {
      if (!name.starts_with(is)) continue;
      const std::string opposite = std::string(other) + name.substr(is.size());
      if (knows(opposite)) return "no_" + opposite;
    }
    return name;
  }

  // Weights that are stored in bf16 are cast, which GPUs before Ampere need.
  void take_dtype(const std::string& dtype) {
    if (dtype == "auto" || dtype == "bfloat16") return;
    if (dtype != "half" && dtype != "float16")
      throw Unsupported(fmt::format(
          "{}: --dtype {} is not modelled, expected auto, bfloat16, half or float16", where_, dtype));
    half_ = true;
  }

  void check_drafter_scheme(const std::string& scheme) const {
    if (scheme == "unquant") return;
    throw Unsupported(fmt::format(
        "{}: --speculative-draft-model-quantization {} is not modelled, expected unquant", where_, scheme));
  }

  void take_field(const std::string& flag, const std::string& name, std::optional<std::string> value) {
    const FieldTable& table = fields_of<ServingConfig>();
    if (take_engine_flag(flag, name, value)) return;
    const bool negated = name.starts_with("no_");
    const std::string plain = negated ? name.substr(3) : name;
    const auto field = std::find_if(table.fields.begin(), table.fields.end(), [&](const Field& candidate) {
      return candidate.name == plain && candidate.nested == nullptr &&
             (!negated || candidate.kind == FieldKind::Boolean);
    });
    if (field == table.fields.end()) return leave_out(flag, name, value);
    const std::string where = fmt::format("{}: {}", where_, flag);
    check_field_engine(command_.config, plain, where);
    if (field->kind == FieldKind::Boolean && !value) value = negated ? "false" : "true";
    std::string text = text_for(*field, flag, value);
    if (field->kind == FieldKind::Integer) text = plain_integer(text);
    if (name == "max_model_len" && (text == "auto" || text == "-1")) return;  // as the model has it
    FieldValue read = field_value_from_text(*field, text, where);
    check_field_value(*field, read, where);
    field->set(&command_.config, std::move(read));
  }

  bool take_engine_flag(const std::string& flag, const std::string& name,
                        const std::optional<std::string>& value) {
    for (const EngineFlag& candidate : engine_->flags) {
      const Field* field = fields_of<ServingConfig>().find(candidate.field);
      if (field != nullptr && candidate.alone && name == fmt::format("no_{}", candidate.flag)) {
        const ServingConfig plain;
        field->set(&command_.config, field->get(&plain));
        return true;
      }
      if (candidate.flag != name) continue;
      const std::string text = candidate.stands_alone() ? std::string("true")
                               : field == nullptr       ? value_of(flag, value)
                                                        : text_for(*field, flag, value);
      return apply_engine_flag(command_.config, name, text, fmt::format("{}: {}", where_, flag));
    }
    return false;
  }

  // Flags that nobody here knows: harmless ones are far more than those that change times, which are listed.
  // Refused are those, what another engine calls something of ours, and what looks misspelt.
  void leave_out(const std::string& flag, const std::string& name, const std::optional<std::string>& value) {
    if (effect_of_flag(engine_->name, name) == FlagEffect::NotModelled)
      throw Unsupported(
          fmt::format("{}: {} changes what {} does and is not modelled, expected a command line without it",
                      where_, flag, engine_->name));
    std::vector<std::string> names;
    for (const EngineFlag& own : engine_->flags) names.emplace_back(own.flag);
    for (const Field& field : fields_of<ServingConfig>().fields) names.push_back(field.name);
    const auto has = [&](const auto& flags) {
      return std::any_of(flags.begin(), flags.end(), [&](const auto& own) { return own.flag == name; });
    };
    const bool elsewhere = std::any_of(
        all_engines().begin(), all_engines().end(),
        [&](const EngineSpec* other) { return has(other->flags) || has(other->command_line.json_flags); });
    if (elsewhere || looks_misspelt(name, names))
      throw Unsupported(fmt::format("{}: {} is not modelled{}", where_, flag, did_you_mean(name, names)));
    const bool next_is_value = next_ < words_.size() && !words_[next_].starts_with('-');
    if (!value && next_is_value && !may_be_model()) ++next_;
    command_.unknown.push_back(flag);
  }

  // The last word of the line, where no word before it was the model.
  bool may_be_model() const { return command_.model.empty() && next_ + 1 == words_.size(); }

  void skip_values() {
    while (next_ < words_.size() && !words_[next_].starts_with('-')) ++next_;
  }

  std::string value_of(const std::string& flag, const std::optional<std::string>& given) {
    if (given) return *given;
    if (next_ >= words_.size()) throw InvalidInput(fmt::format("{}: {} has no value", where_, flag));
    return words_[next_++];
  }

  // The flag's value; numbers of a list may be words of their own, as in --cuda-graph-bs 1 2 4.
  std::string text_for(const Field& field, const std::string& flag, const std::optional<std::string>& given) {
    std::string text = value_of(flag, given);
    if (field.kind != FieldKind::IntegerList) return text;
    const auto number = [](const std::string& word) {
      return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    };
    while (next_ < words_.size() && number(words_[next_])) text += "," + words_[next_++];
    return text;
  }

  std::vector<std::vector<std::string>> commands_;
  std::vector<std::string> words_;  // of the one that starts the engine
  ConfigFiles files_;
  std::string where_;  // what errors begin with
  std::vector<HeldFile> held_;
  std::size_t next_ = 0;
  const EngineSpec* engine_ = nullptr;
  EngineCommand command_;
  bool half_ = false;  // --dtype half
};

}  // namespace

std::string engine_command_examples() {
  const auto engines = all_engines();
  std::string text;
  for (std::size_t i = 0; i < engines.size(); ++i)
    text += fmt::format("{}'{}'",
                        i == 0                   ? ""
                        : i + 1 < engines.size() ? ", "
                                                 : " or ",
                        engines[i]->command_line.example);
  return text;
}

EngineCommand parse_engine_command(std::string_view text, ConfigFiles files) {
  constexpr std::string_view kWhere = "--from-command";
  return Parser(shell_commands(text, kWhere), files, std::string(kWhere)).parse();
}

EngineCommand parse_engine_commands(std::vector<std::vector<std::string>> commands, std::string where,
                                    std::vector<HeldFile> held) {
  return Parser(std::move(commands), ConfigFiles::Refused, std::move(where), std::move(held)).parse();
}

bool starts_engine(const std::vector<std::string>& words) {
  return Parser({words}, ConfigFiles::Refused, {}).finds_command();
}

}  // namespace warploom
