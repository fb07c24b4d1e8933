#include "warploom/app/data/row_corrections.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/data/benchmark_file.h"
#include "warploom/base/error.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {
namespace {

constexpr std::string_view kFile = "row_corrections.json";

std::vector<std::string> texts_of(const Json& list, std::string_view what, std::string_view where) {
  if (!list.is_array() || list.empty())
    throw InvalidInput(fmt::format("{}: '{}' expected a list of texts that is not empty", where, what));
  return list.get<std::vector<std::string>>();
}

CorrectionAction action_of(const Json& entry, std::string_view where) {
  const std::string name = text_of(entry, "action", where);
  if (name == "withdraw") return CorrectionAction::Withdraw;
  if (name == "launch_bound") return CorrectionAction::LaunchBound;
  throw InvalidInput(fmt::format("{}: 'action' is '{}', expected withdraw or launch_bound", where, name));
}

RowCorrection correction_of(const Json& entry, const GpuCatalog& catalog) {
  RowCorrection correction;
  correction.rule = text_of(entry, "rule", kFile);
  const std::string here = fmt::format("{}: rule '{}'", kFile, correction.rule);
  check_keys(entry, {"rule", "action", "tables", "gpus", "published_in", "where", "reason", "source"}, here);
  correction.action = action_of(entry, here);
  correction.reason = text_of(entry, "reason", here);
  correction.source = text_of(entry, "source", here);
  correction.published_in = entry.value("published_in", "");
  correction.tables = texts_of(entry.at("tables"), "tables", here);
  if (entry.contains("gpus"))
    for (const std::string& gpu : texts_of(entry["gpus"], "gpus", here))
      correction.gpus.push_back(catalog.get(gpu).name);
  for (const auto& [column, texts] : entry.at("where").items())
    correction.where.emplace_back(column, texts_of(texts, column, here));
  return correction;
}

}  // namespace

RowCorrections row_corrections_from_json(const Json& document) {
  check_schema(document, "warploom_row_corrections", kFile);
  RowCorrections corrections;
  try {
    const GpuCatalog catalog;
    for (const Json& entry : document.at("rules")) corrections.push_back(correction_of(entry, catalog));
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(fmt::format("{}: {}", kFile, error.what()));
  }
  return corrections;
}

const RowCorrections& row_corrections() {
  static const RowCorrections corrections = row_corrections_from_json(benchmark_file(kFile));
  return corrections;
}

}  // namespace warploom
