#include "warploom/predictor/predictor.h"

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/whole_folder.h"
#include "warploom/predictor/answer/batch_estimates.h"
#include "warploom/predictor/answer/loaded_family.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/model/model_file.h"
#include "warploom/predictor/tables/table_file.h"
#include "warploom_embedded/predictor_files.h"
#include "warploom_embedded/size_curve_files.h"

namespace warploom {
namespace {

constexpr std::size_t kFamilies = EnumNames<Family>::kNames.size();

// Whether these are the bytes of a file linked into the binary.
bool is_shipped(const std::string& bytes, Family family) {
  for (const EmbeddedFile& file : embedded::predictor_files())
    if (file.name == std::string(name_of(family)) + std::string(kPredictorFileSuffix))
      return file.contents == bytes;
  return false;
}

}  // namespace

Predictor::Predictor() : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
  for (const EmbeddedFile& file : embedded::predictor_files())
    load(model_from_bytes(file.contents, std::string("built-in ") + std::string(file.name))).is_shipped =
        true;
}

std::uint64_t shipped_files_hash() {
  std::uint64_t hash = 0;
  for (const auto& files : {embedded::predictor_files(), embedded::size_curve_files()})
    for (const EmbeddedFile& file : files)
      hash = hash_combine(hash_combine(hash, hash_bytes(file.name)), hash_bytes(file.contents));
  return hash;
}

Predictor::Predictor(const std::filesystem::path& folder)
    : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
  const FolderManifest manifest(folder);
  const std::vector<std::filesystem::path> paths = manifest.paths(kPredictorFileSuffix);
  if (paths.empty())
    throw NotFound(folder.string() + ": no predictor files (*" + std::string(kPredictorFileSuffix) +
                   ") here");
  (void)manifest.paths(kTableFileSuffix);  // none is missing
  for (const auto& path : paths) {
    const std::string bytes = read_file(path);
    manifest.check(path, bytes);
    LoadedFamily& loaded = load(model_from_bytes(bytes, path.string()));
    loaded.is_shipped = is_shipped(bytes, loaded.model.family);
    const std::filesystem::path tables = table_path(loaded.model.family, folder);
    if (!std::filesystem::exists(tables)) continue;
    const std::string table_bytes = read_file(tables);
    manifest.check(tables, table_bytes);
    loaded.tables.emplace(tables_from_bytes(table_bytes, loaded.model, hash_bytes(bytes), tables.string()));
  }
}

Predictor::Predictor(std::vector<FamilyModel> models, std::vector<FamilyTables> tables)
    : catalog_(std::make_unique<GpuCatalog>()), families_(kFamilies) {
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

LoadedFamily& Predictor::load(FamilyModel model) {
  const auto family = std::size_t(model.family);
  families_[family] = std::make_unique<LoadedFamily>(std::move(model), *catalog_);
  return *families_[family];
}

const BaseConstants* Predictor::constants(Family family, const GpuSpec& gpu) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded == nullptr ? nullptr : &loaded->constants(gpu);
}

bool Predictor::has_tables(Family family) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded && loaded->tables.has_value();
}

const FamilyModel* Predictor::model(Family family) const {
  const auto& loaded = families_[std::size_t(family)];
  return loaded ? &loaded->model : nullptr;
}

KernelAnswer Predictor::answer(const Operator& op, const GpuSpec& gpu, const KernelContext& context) const {
  check_operator(op, "operator");
  const FoundAnswer one = estimate_one(families_, op, gpu, context);
  KernelAnswer answer{.estimate = one.estimate, .implementation = {}};
  if (one.found.cell == nullptr) return answer;
  const FamilyModel& model = families_[std::size_t(family_of(op))]->model;
  const ContextRecord& record = model.contexts[one.found.cell->context];
  answer.implementation = {record.framework, record.version, record.kernel};
  const bool other = one.found.cell->kind != kind_code(op) && one.found.near.kind == one.found.cell->kind;
  if (other) answer.scheme_priced = one.found.near.scheme;
  return answer;
}

LatencyEstimate Predictor::estimate(const Operator& op, const GpuSpec& gpu,
                                    const KernelContext& context) const {
  check_operator(op, "operator");
  return estimate_one(families_, op, gpu, context).estimate;
}

void Predictor::estimate_batch(std::span<const Operator> operators, const GpuSpec& gpu,
                               const KernelContext& context, std::span<LatencyEstimate> results) const {
  WARPLOOM_ASSERT(operators.size() == results.size());
  estimate_many(families_, operators, gpu, context, results);
}

}  // namespace warploom
