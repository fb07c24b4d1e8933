#include "warploom/predictor/predictor.h"

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/predictor/features.h"
#include "warploom/predictor/loaded_family.h"
#include "warploom/predictor/model_file.h"
#include "warploom/predictor/tier_estimates.h"
#include "warploom_embedded/predictor_files.h"

namespace warploom {
namespace {

constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();
// Without a learned model: the structural base is within about a factor of two.
constexpr double kUnlearnedHalfWidth = 0.6;

}  // namespace

Predictor::Predictor() : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
  for (const EmbeddedFile& file : embedded::predictor_files())
    load(model_from_bytes(file.contents, std::string("built-in ") + std::string(file.name)));
}

Predictor::Predictor(const std::filesystem::path& folder)
    : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == kPredictorFileSuffix) paths.push_back(entry.path());
  if (error) throw IoError(folder.string() + ": cannot read the predictor's folder: " + error.message());
  if (paths.empty())
    throw NotFound(folder.string() + ": no predictor files (*" + std::string(kPredictorFileSuffix) +
                   ") here");
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) load(model_from_bytes(read_file(path), path.string()));
}

Predictor::Predictor(std::vector<FamilyModel> models)
    : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
  for (FamilyModel& model : models) load(std::move(model));
}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

void Predictor::load(FamilyModel model) {
  const auto family = std::size_t(model.family);
  families_[family] = std::make_unique<LoadedFamily>(std::move(model), *catalog_);
}

const FamilyModel* Predictor::model(Family family) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded ? &loaded->model : nullptr;
}

KernelContext Predictor::resolved_context(const Operator& op, const GpuSpec& gpu,
                                          const KernelContext& context) const {
  const auto& loaded = families_[std::size_t(family_of(op))];
  if (!loaded) return {};
  const CellIndex::Found found = loaded->index.find(gpu, context, kind_code(op));
  if (found.cell == nullptr) return {};
  const ContextRecord& record = loaded->model.contexts[found.cell->context];
  return {record.framework, record.version, record.kernel};
}

LatencyEstimate Predictor::estimate(const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  check_operator(op, "operator");
  return estimate_checked(op, gpu, context);
}

void Predictor::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                               const KernelContext& context, std::span<LatencyEstimate> results) const {
  WARPLOOM_ASSERT(operators.size() == results.size());
  for (std::size_t i = 0; i < operators.size(); ++i) results[i] = estimate(operators[i], gpu, context);
}

LatencyEstimate Predictor::estimate_checked(const Operator& op, const GpuSpec& gpu,
                                            const KernelContext& context) const {
  const PhysicalBound limit = physical_bound(op, gpu);
  const LoadedFamily* loaded = families_[std::size_t(family_of(op))].get();
  FeatureRow row;
  LogEstimate answer;
  LatencyEstimate result;
  result.tier = Tier::Roofline;
  if (loaded == nullptr) {
    compute_features(op, gpu, row);
    answer = {row.log_base, -kUnlearnedHalfWidth, kUnlearnedHalfWidth, false};
  } else {
    const std::uint32_t kind = kind_code(op);
    const CellIndex::Found found = loaded->index.find(gpu, context, kind);
    const KnownKernel kernel = found.cell != nullptr ? loaded->kernel(*found.cell) : KnownKernel::None;
    compute_features(op, gpu, kernel, loaded->constants(gpu), row);
    if (found.cell == nullptr) {
      answer = {row.log_base, -kUnlearnedHalfWidth, kUnlearnedHalfWidth, false};
    } else if (found.measured) {
      row.log_base = log_base_with(found.cell->overhead, row);
      answer = measured_estimate(*loaded, *found.cell, row);
      result.tier = Tier::Measured;
    } else {
      answer = cross_estimate(*loaded, op, gpu, context, kind, kernel, row);
      result.tier = Tier::CrossGpu;
    }
  }
  const double bound = limit.time.value();
  const double p50 = std::max(std::exp(answer.log_p50), bound);
  result.extrapolated = answer.extrapolated;
  result.physical_bound = limit.time;
  result.bound = limit.bound;
  result.p50 = Seconds(p50);
  result.p10 = Seconds(std::clamp(p50 * std::exp(answer.low), bound, p50));
  result.p90 = Seconds(p50 * std::exp(std::max(answer.high, 0.0)));
  return result;
}

}  // namespace warploom
