#include "warploom/manifests/lines/engine_config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/yaml.h"

namespace warploom {
namespace {

using NodeKind = YamlNode::Kind;

YamlNode load(const std::string& path) {
  YamlNode root;
  try {
    root = read_yaml_file(path);
  } catch (const IoError&) {
    throw NotFound(fmt::format("{}: cannot be read, expected the YAML file that the command names", path));
  }
  return root;
}

// YAML's words for true and false, in small, large or begun with one large letter.
std::optional<bool> switch_of(const YamlNode& value) {
  if (value.kind != NodeKind::Scalar || value.text.empty()) return std::nullopt;
  std::string small = value.text, large = value.text;
  for (char& c : small) c = char(std::tolower(static_cast<unsigned char>(c)));
  for (char& c : large) c = char(std::toupper(static_cast<unsigned char>(c)));
  if (value.text != small && value.text != large && value.text != large.substr(0, 1) + small.substr(1))
    return std::nullopt;
  for (const auto& [on, off] : {std::pair{"true", "false"}, {"yes", "no"}, {"on", "off"}, {"y", "n"}}) {
    if (small == on) return true;
    if (small == off) return false;
  }
  return std::nullopt;
}

std::string text_of(const YamlNode& node) {
  return node.kind == NodeKind::Scalar ? node.text : json_of(node).dump();
}

// Keys that are flags.
ConfigFileWords flags_of(const YamlNode& root) {
  ConfigFileWords file;
  for (std::size_t i = 0; i < root.items.size(); ++i) {
    const YamlNode& value = *root.items[i];
    const std::string text = value.kind == NodeKind::Null ? std::string("false") : text_of(value);
    if (text == "false" || text == "False") continue;
    file.words.push_back("--" + root.keys[i]);
    if (text != "true" && text != "True") file.words.push_back(text);
  }
  return file;
}

// Keys of an engine's own.
class KeyReader {
 public:
  KeyReader(std::span<const FileKey> keys, std::string path) : keys_(keys), path_(std::move(path)) {}

  ConfigFileWords read(const YamlNode& root) {
    for (std::size_t i = 0; i < root.items.size(); ++i) take(root.keys[i], *root.items[i]);
    return std::move(file_);
  }

 private:
  void take(const std::string& name, const YamlNode& value) {
    const auto named = [&](const FileKey& key) {
      return key.key == name && (key.takes != FileValue::Nothing || value.kind == NodeKind::Null);
    };
    const auto key = std::find_if(keys_.begin(), keys_.end(), named);
    if (key != keys_.end()) {
      take_known(*key, value);
    } else if (value.kind == NodeKind::Map && name.find('.') == std::string::npos) {
      for (std::size_t i = 0; i < value.items.size(); ++i) take(name + "." + value.keys[i], *value.items[i]);
    } else {
      refuse(name);
    }
  }

  void take_known(const FileKey& key, const YamlNode& value) {
    switch (key.takes) {
      case FileValue::Scalar:
        require(value.kind == NodeKind::Scalar, key, value, "a number or a name");
        return say(key.flag, value.text);
      case FileValue::Switch: {
        const std::optional<bool> on = switch_of(value);
        require(on.has_value(), key, value, "true or false");
        if (const std::string_view flag = *on ? key.flag : key.off; !flag.empty())
          file_.words.emplace_back(flag);
        return;
      }
      case FileValue::Nothing:
        file_.words.emplace_back(key.flag);
        return;
      case FileValue::Converted:
        return say(key.flag, key.text(json_of(value), place_of(key, value)));
      case FileValue::WithoutEffect:
        file_.ignored.push_back(fmt::format("{}: {}", path_, key.key));
        return;
    }
  }

  void say(std::string_view flag, const std::string& value) {
    file_.words.emplace_back(flag);
    file_.words.push_back(value);
  }

  std::string place_of(const FileKey& key, const YamlNode& value) const {
    return fmt::format("{}: line {}: {}", path_, value.line, key.key);
  }

  void require(bool holds, const FileKey& key, const YamlNode& value, std::string_view expected) const {
    if (holds) return;
    throw InvalidInput(
        fmt::format("{} is {}, expected {}", place_of(key, value), json_of(value).dump(), expected));
  }

  [[noreturn]] void refuse(const std::string& name) const {
    std::vector<std::string> known;
    for (const FileKey& key : keys_)
      if (key.takes != FileValue::WithoutEffect) known.emplace_back(key.key);
    throw Unsupported(fmt::format("{}: {} is not modelled{}", path_, name, did_you_mean(name, known)));
  }

  std::span<const FileKey> keys_;
  std::string path_;
  ConfigFileWords file_;
};

ConfigFileWords words_of(std::span<const FileKey> keys, const YamlNode& root, const std::string& path) {
  if (root.kind != NodeKind::Map) throw InvalidInput(fmt::format("{}: expected a YAML map of options", path));
  return keys.empty() ? flags_of(root) : KeyReader(keys, path).read(root);
}

}  // namespace

ConfigFileWords read_engine_config(std::span<const FileKey> keys, const std::string& path) {
  return words_of(keys, load(path), path);
}

ConfigFileWords engine_config_of_text(std::span<const FileKey> keys, std::string_view text,
                                      const std::string& path) {
  return words_of(keys, parse_yaml(text, path), path);
}

}  // namespace warploom
