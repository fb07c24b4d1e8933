#include "warploom/cli/engine_config_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"

namespace warploom {
namespace {

YAML::Node load(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::LoadFile(path);
  } catch (const YAML::BadFile&) {
    throw NotFound(fmt::format("{}: cannot be read, expected the YAML file that the command names", path));
  } catch (const YAML::Exception& error) {
    throw InvalidInput(fmt::format("{}: line {}: {}", path, error.mark.line + 1, error.msg));
  }
  if (!root.IsMap()) throw InvalidInput(fmt::format("{}: expected a YAML map of options", path));
  return root;
}

Json json_of(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) object[entry.first.as<std::string>()] = json_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& element : node) list.push_back(json_of(element));
    return list;
  }
  if (node.IsNull()) return nullptr;
  const std::string& text = node.Scalar();
  const Json plain = Json::parse(text, nullptr, false);
  return plain.is_discarded() || plain.is_structured() || node.Tag() == "!" ? Json(text) : plain;
}

std::string text_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : json_of(node).dump(); }

// Keys that are flags.
ConfigFileWords flags_of(const YAML::Node& root) {
  ConfigFileWords file;
  for (const auto& entry : root) {
    const auto key = entry.first.as<std::string>();
    const std::string text = entry.second.IsNull() ? std::string("false") : text_of(entry.second);
    if (text == "false" || text == "False") continue;
    file.words.push_back("--" + key);
    if (text != "true" && text != "True") file.words.push_back(text);
  }
  return file;
}

// Keys of an engine's own.
class KeyReader {
 public:
  KeyReader(std::span<const FileKey> keys, std::string path) : keys_(keys), path_(std::move(path)) {}

  ConfigFileWords read(const YAML::Node& root) {
    for (const auto& entry : root) take(entry.first.as<std::string>(), entry.second);
    return std::move(file_);
  }

 private:
  void take(const std::string& name, const YAML::Node& value) {
    const auto named = [&](const FileKey& key) {
      return key.key == name && (key.takes != FileValue::Nothing || value.IsNull());
    };
    const auto key = std::find_if(keys_.begin(), keys_.end(), named);
    if (key != keys_.end()) {
      take_known(*key, value);
    } else if (value.IsMap() && name.find('.') == std::string::npos) {
      for (const auto& entry : value) take(name + "." + entry.first.as<std::string>(), entry.second);
    } else {
      refuse(name);
    }
  }

  void take_known(const FileKey& key, const YAML::Node& value) {
    switch (key.takes) {
      case FileValue::Scalar:
        require(value.IsScalar(), key, value, "a number or a name");
        return say(key.flag, value.Scalar());
      case FileValue::Switch: {
        bool on = false;
        require(value.IsScalar() && YAML::convert<bool>::decode(value, on), key, value, "true or false");
        if (const std::string_view flag = on ? key.flag : key.off; !flag.empty())
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

  std::string place_of(const FileKey& key, const YAML::Node& value) const {
    return fmt::format("{}: line {}: {}", path_, value.Mark().line + 1, key.key);
  }

  void require(bool holds, const FileKey& key, const YAML::Node& value, std::string_view expected) const {
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

}  // namespace

ConfigFileWords read_engine_config(std::span<const FileKey> keys, const std::string& path) {
  const YAML::Node root = load(path);
  return keys.empty() ? flags_of(root) : KeyReader(keys, path).read(root);
}

}  // namespace warploom
