#include "warploom/app/serving/engine_version.h"

#include <cmath>

#include "warploom/app/predict/latency_models.h"
#include "warploom/base/version.h"
#include "warploom/predictor/predictor.h"
#include "warploom/serving/engines/version_rows.h"

namespace warploom {

std::string version_used_instead(const LatencyModel& latency, std::string_view framework,
                                 std::string_view version) {
  if (version.empty()) return {};
  const Predictor* predictor = predictor_of(latency);
  if (predictor == nullptr) return {};
  std::string nearest;
  const auto is_nearer = [&](std::string_view other) {
    if (!is_release(version) || !is_release(other) || !is_release(nearest))
      return compare_versions(other, nearest) > 0;
    const double asked = version_position(version);
    const double distance = std::abs(version_position(other) - asked),
                 before = std::abs(version_position(nearest) - asked);
    return distance < before || (distance == before && compare_versions(other, nearest) < 0);
  };
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const FamilyModel* model = predictor->model(family);
    if (model == nullptr) continue;
    for (const ContextRecord& record : model->contexts) {
      if (record.framework != framework || record.version.empty()) continue;
      if (record.version == version) return {};
      if (nearest.empty() || is_nearer(record.version)) nearest = record.version;
    }
  }
  return nearest;
}

std::string defaults_used_instead(const EngineSpec& engine, std::string_view version) {
  if (!is_release(version)) return {};
  const VersionRow row = engine.version_row(version);
  if (compare_versions(version, row.since) < 0) return std::string(row.since);
  return compare_versions(version, row.newest) > 0 ? std::string(row.newest) : std::string();
}

}  // namespace warploom
