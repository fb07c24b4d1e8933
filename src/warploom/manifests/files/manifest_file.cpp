#include "warploom/manifests/files/manifest_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/yaml.h"
#include "warploom/manifests/files/manifest_readers.h"

namespace warploom {
namespace {

constexpr std::array<std::string_view, 6> kBegins{"kind",   "servingEngineSpec", "modelArtifacts",
                                                  "decode", "prefill",           "inferenceExtension"};

bool is_script(std::string_view text) {
  return text.starts_with("#!") || text.starts_with("#SBATCH") ||
         text.find("\n#SBATCH") != std::string_view::npos;
}

// A chart's template is no YAML before Helm has filled it in.
std::vector<YamlNode> documents_of(std::string_view text, const std::string& where) {
  try {
    return parse_yaml_documents(text, where);
  } catch (const InvalidInput& error) {
    if (text.find("{{") == std::string_view::npos) throw;
    throw InvalidInput(
        fmt::format("{}; it is a template of Helm, expected what `helm template` makes of it", error.what()));
  }
}

void take_document(Manifest& manifest, const ManifestValue& document) {
  if (document.at("kind").given()) return take_kubernetes_object(manifest, document);
  if (document.at("servingEngineSpec").given()) return take_stack_values(manifest, document);
  if (document.at("inferenceExtension").given()) return take_pool_values(manifest, document);
  for (const char* key : {"modelArtifacts", "decode", "prefill"})
    if (document.at(key).given()) return take_llm_d_values(manifest, document);
  std::string near;
  const std::vector<std::string> known(kBegins.begin(), kBegins.end());
  for (const auto& [name, value] : document.members())
    if (near.empty()) near = did_you_mean(name, known);
  throw InvalidInput(fmt::format(
      "{}: is no deployment that is known{}, expected an object of Kubernetes (kind), values of llm-d "
      "(modelArtifacts, decode) or of vLLM's production stack (servingEngineSpec), or a script (#!)",
      document.place(), near));
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& where) {
  Manifest manifest;
  if (is_script(text)) {
    take_script(manifest, text, where);
  } else {
    const std::vector<YamlNode> documents = documents_of(text, where);
    // Files that others mount come first.
    for (const bool files : {true, false})
      for (const YamlNode& node : documents) {
        const ManifestValue document(&node, where, &manifest.left_out);
        const bool holds_files =
            document.is_map() && document.at("kind").given() && document.at("kind").text() == "ConfigMap";
        if (!document.is_map())
          throw InvalidInput(
              fmt::format("{}: expected a map or a script that begins with #!", document.place()));
        if (holds_files == files) take_document(manifest, document);
      }
  }
  if (manifest.pools.empty())
    throw InvalidInput(fmt::format("{}: starts no engine, expected a command that reads {}", where,
                                   engine_command_examples()));
  return manifest;
}

bool looks_like_manifest(std::string_view text) {
  if (is_script(text)) return true;
  for (const char* begin : {"apiVersion:", "kind:", "servingEngineSpec:", "modelArtifacts:", "decode:"}) {
    const std::size_t at = text.find(begin);
    if (at == 0 || (at != std::string_view::npos && text[at - 1] == '\n')) return true;
  }
  return false;
}

Manifest read_manifest(const std::filesystem::path& path) {
  return parse_manifest(read_file(path, kMostYamlBytes), path.string());
}

}  // namespace warploom
