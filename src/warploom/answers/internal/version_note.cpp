#include "warploom/answers/internal/version_note.h"

#include <fmt/format.h>

namespace warploom {

std::string version_note(const PredictRequest& request, const PredictResult& result) {
  if (request.version.empty()) return {};
  if (!result.by_rule && result.version == request.version) return {};
  const std::string used = result.framework + " " + result.version;
  return fmt::format("`framework_version` {}: this kernel was not measured with it, {} is used instead",
                     request.version, result.by_rule ? fmt::format("the rule '{}'", result.kernel) : used);
}

}  // namespace warploom
