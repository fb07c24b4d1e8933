#include "warploom/ceiling/ceiling_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/whole_folder.h"
#include "warploom/ceiling/ceiling_features.h"
#include "warploom/ceiling/ceiling_file.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom_embedded/ceiling_files.h"

namespace warploom {
namespace {

constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();

}  // namespace

struct CeilingModel::Loaded {
  FamilyCeiling record;
  SymmetricEnsemble location, spread;
};

void check_quantile(double q, std::string_view where) {
  if (!(q >= kLeastQuantile && q <= kMostQuantile))
    throw InvalidInput(
        fmt::format("{} is {}, expected from {} to {}", where, q, kLeastQuantile, kMostQuantile));
}

CeilingModel::CeilingModel() : families_(kFamilies) {
  for (const EmbeddedFile& file : embedded::ceiling_files()) {
    const std::string where = fmt::format("built-in {}", file.name);
    load(ceiling_from_bytes(file.contents, where), where);
  }
}

CeilingModel::CeilingModel(const std::filesystem::path& folder) : families_(kFamilies) {
  const FolderManifest manifest(folder);
  const std::vector<std::filesystem::path> paths = manifest.paths(kCeilingFileSuffix);
  if (paths.empty())
    throw NotFound(fmt::format("{}: no ceiling files (*{}) here", folder.string(), kCeilingFileSuffix));
  for (const auto& path : paths) {
    const std::string bytes = read_file(path);
    manifest.check(path, bytes);
    load(ceiling_from_bytes(bytes, path.string()), path.string());
  }
}

CeilingModel::CeilingModel(std::vector<FamilyCeiling> families) : families_(kFamilies) {
  for (FamilyCeiling& family : families) load(std::move(family), "ceiling");
}

CeilingModel::~CeilingModel() = default;
CeilingModel::CeilingModel(CeilingModel&&) noexcept = default;
CeilingModel& CeilingModel::operator=(CeilingModel&&) noexcept = default;

void CeilingModel::load(FamilyCeiling ceiling, std::string_view where) {
  const auto place = std::size_t(ceiling.family);
  auto loaded = std::make_unique<Loaded>();
  loaded->location = SymmetricEnsemble(decode_symmetric(ceiling.location, where));
  loaded->spread = SymmetricEnsemble(decode_symmetric(ceiling.spread, where));
  loaded->record = std::move(ceiling);
  families_[place] = std::move(loaded);
}

const FamilyCeiling* CeilingModel::family(Family family) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded != nullptr ? &loaded->record : nullptr;
}

Ceiling CeilingModel::ceiling(const Operator& op, const GpuSpec& gpu, const KernelProfile& profile,
                              double q) const {
  const auto& loaded = families_[std::size_t(profile.family)];
  WARPLOOM_ASSERT(loaded != nullptr);
  const FamilyCeiling& record = loaded->record;
  FeatureRow row;
  ceiling_features(op, gpu, profile, row);
  const double location = double(record.location_offset) + loaded->location.predict(row);
  const double spread = std::clamp(std::exp(double(record.spread_offset) + loaded->spread.predict(row)),
                                   kLeastSpread, kMostSpread);
  // Nothing runs faster than the bound.
  const auto time_at = [&](double quantile) {
    return Seconds(profile.physical_bound *
                   std::exp(-std::min(0.0, location + spread * record.z_at(quantile))));
  };
  return {.time = time_at(q),
          .median_time = time_at(0.5),
          .physical_bound = Seconds(profile.physical_bound),
          .known_gpu = std::binary_search(record.gpus.begin(), record.gpus.end(), gpu.name)};
}

}  // namespace warploom
