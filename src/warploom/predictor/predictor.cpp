#include "warploom/predictor/predictor.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/kernels/physical_bound.h"
#include "warploom/predictor/cell_index.h"
#include "warploom/predictor/features.h"
#include "warploom/predictor/model_file.h"
#include "warploom/predictor/table_correction.h"
#include "warploom/predictor/table_file.h"
#include "warploom/predictor/tree_ensemble.h"
#include "warploom_embedded/predictor_files.h"

namespace warploom {
namespace {

constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();
// Without a learned model: the structural base is within about a factor of two.
constexpr double kUnlearnedHalfWidth = 0.6;
constexpr double kExtrapolatedWidening = 2.0;
constexpr double kOtherKindWidening = 1.5;

}  // namespace

struct Predictor::LoadedFamily {
  explicit LoadedFamily(FamilyModel m)
      : model(std::move(m)), index(model), ensembles(model.ensembles.size()) {
    by_gpu.assign(model.gpus.size(), -1);
    for (std::size_t i = 0; i < model.ensembles.size(); ++i) {
      if (model.ensembles[i].gpu == CellRecord::kAnyGpu)
        cross = int(i);
      else
        by_gpu[model.ensembles[i].gpu] = int(i);
    }
  }

  const TreeEnsemble& trees(int i) const {
    const Lazy& lazy = ensembles[std::size_t(i)];
    std::call_once(lazy.once, [&] {
      lazy.trees = TreeEnsemble(model.ensembles[std::size_t(i)].trees, name_of(model.family));
    });
    return lazy.trees;
  }

  bool outside(int i, const FeatureRow& row) const {
    const EnsembleRecord& record = model.ensembles[std::size_t(i)];
    const std::size_t count = std::min(record.low.size(), std::size_t(row.count));
    bool out = false;
    for (std::size_t f = 0; f < count; ++f)
      out |= row.values[f] < record.low[f] || row.values[f] > record.high[f];
    return out;
  }

  // From the measured tables; nothing when there are none, or none near.
  std::optional<TableCorrection::Answer> from_tables(const Operator& op, const CellRecord& cell,
                                                     const FeatureRow& row) const {
    if (!tables) return std::nullopt;
    return tables->answer(op, std::uint32_t(&cell - model.cells.data()), cell, index.codes(cell), row);
  }

  bool knows_architecture(int architecture) const {
    return std::any_of(model.gpus.begin(), model.gpus.end(),
                       [&](const GpuRecord& g) { return g.architecture == architecture; });
  }

  struct Lazy {
    mutable std::once_flag once;
    mutable TreeEnsemble trees;
  };
  FamilyModel model;
  CellIndex index;
  std::optional<TableCorrection> tables;
  std::vector<Lazy> ensembles;
  std::vector<int> by_gpu;
  int cross = -1;
};

Predictor::Predictor() : families_(kFamilies) {
  for (const EmbeddedFile& file : embedded::predictor_files())
    load(model_from_bytes(file.contents, std::string("built-in ") + std::string(file.name)));
}

Predictor::Predictor(const std::filesystem::path& folder) : families_(kFamilies) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == kPredictorFileSuffix) paths.push_back(entry.path());
  if (error) throw IoError(folder.string() + ": cannot read the predictor's folder: " + error.message());
  if (paths.empty())
    throw NotFound(folder.string() + ": no predictor files (*" + std::string(kPredictorFileSuffix) +
                   ") here");
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const std::string bytes = read_file(path);
    LoadedFamily& loaded = load(model_from_bytes(bytes, path.string()));
    const std::filesystem::path tables = table_path(loaded.model.family, folder);
    if (std::filesystem::exists(tables))
      loaded.tables.emplace(
          tables_from_bytes(read_file(tables), loaded.model, hash_bytes(bytes), tables.string()));
  }
}

Predictor::Predictor(std::vector<FamilyModel> models, std::vector<FamilyTables> tables)
    : families_(kFamilies) {
  for (FamilyModel& model : models) load(std::move(model));
  for (FamilyTables& of_family : tables) {
    const auto& loaded = families_[std::size_t(of_family.family)];
    WARPLOOM_ASSERT(loaded != nullptr);
    loaded->tables.emplace(std::move(of_family));
  }
}

Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

Predictor::LoadedFamily& Predictor::load(FamilyModel model) {
  const auto family = std::size_t(model.family);
  families_[family] = std::make_unique<LoadedFamily>(std::move(model));
  return *families_[family];
}

bool Predictor::has_tables(Family family) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded && loaded->tables.has_value();
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
  FeatureRow row;
  const LoadedFamily* loaded = families_[std::size_t(family_of(op))].get();
  const int architecture = architecture_class(gpu);
  if (loaded != nullptr)
    compute_features(op, gpu, constants_for(loaded->model.constants, architecture, loaded->model.family),
                     row);
  else
    compute_features(op, gpu, row);
  double log_p50 = row.log_base, low = -kUnlearnedHalfWidth, high = kUnlearnedHalfWidth;
  LatencyEstimate result;
  result.tier = Tier::Roofline;
  const CellIndex::Found found =
      loaded ? loaded->index.find(gpu, context, kind_code(op)) : CellIndex::Found{};
  if (found.cell != nullptr) {
    const int measured = found.measured ? loaded->by_gpu[found.cell->gpu] : -1;
    const int ensemble = measured >= 0 ? measured : loaded->cross;
    const std::size_t bucket = bucket_of(row.log_base);
    double shrink = 1, widening = 1;
    const LogInterval* interval = &found.cell->interval;
    if (!found.measured) {
      const bool known = loaded->knows_architecture(architecture);
      shrink = known ? loaded->model.shrink_known : loaded->model.shrink_unknown;
      interval = known ? &loaded->model.interval_known : &loaded->model.interval_unknown;
      if (!found.exact_kind) widening = kOtherKindWidening;
    }
    if (ensemble >= 0) {
      result.extrapolated = loaded->outside(ensemble, row);
      if (result.extrapolated) widening *= kExtrapolatedWidening;
    }
    const auto interpolated =
        measured >= 0 ? loaded->from_tables(op, *found.cell, row) : std::optional<TableCorrection::Answer>();
    if (interpolated) {
      log_p50 += interpolated->residual;
    } else if (ensemble >= 0) {
      log_p50 += found.cell->offset;
      const ContextCodes& codes = loaded->index.codes(*found.cell);
      row.add(codes.framework);
      row.add(codes.kernel);
      row.add(found.cell->offset);
      TreeEnsemble::set_guard(row);
      log_p50 += shrink * double(loaded->trees(ensemble).predict(row));
    } else {
      log_p50 += found.cell->offset;
    }
    low = widening * (interpolated ? interpolated->low : double(interval->low[bucket]));
    high = widening * (interpolated ? interpolated->high : double(interval->high[bucket]));
    result.tier = found.measured ? Tier::Measured : Tier::CrossGpu;
  }
  const double bound = limit.time.value();
  const double p50 = std::max(std::exp(log_p50), bound);
  result.physical_bound = limit.time;
  result.bound = limit.bound;
  result.p50 = Seconds(p50);
  result.p10 = Seconds(std::clamp(p50 * std::exp(low), bound, p50));
  result.p90 = Seconds(p50 * std::exp(std::max(high, 0.0)));
  return result;
}

}  // namespace warploom
