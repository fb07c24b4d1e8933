#include "warploom/app/data/yaml_file.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr int kDeepestYaml = 64;

Json yaml_value(const YAML::Node& node, int depth) {
  if (depth > kDeepestYaml) throw InvalidInput("is nested too deeply");
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node)
      object[entry.first.as<std::string>()] = yaml_value(entry.second, depth + 1);
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& element : node) list.push_back(yaml_value(element, depth + 1));
    return list;
  }
  if (!node.IsDefined() || node.IsNull()) return nullptr;
  const std::string text = node.Scalar();
  const Json plain = Json::parse(text, nullptr, false);
  return plain.is_discarded() || plain.is_structured() || node.Tag() == "!" ? Json(text) : plain;
}

}  // namespace

Json read_yaml_file(const std::filesystem::path& path) {
  try {
    return yaml_value(YAML::Load(read_file(path)), 0);
  } catch (const YAML::Exception& error) {
    throw InvalidInput(fmt::format("{}: line {}: {}", path.string(), error.mark.line + 1, error.msg));
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace warploom
