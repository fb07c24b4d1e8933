#include "warploom/app/tune/tune_correction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "warploom/app/tune/correction_file.h"
#include "warploom/app/tune/formula_file.h"
#include "warploom/app/tune/kernel_scope.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/learning/symmetric_boosting.h"
#include "warploom/learning/symmetric_ensemble.h"
#include "warploom/tuner/tile_mapping.h"
#include "warploom/tuner/wave_fit.h"
#include "warploom_embedded/tuner_files.h"

namespace warploom {

FieldTable TuneLearnSet::describe() {
  using R = TuneLearnSet;
  return RequestFields<R>("tune_learn_set")
      .add("anchors", &R::anchors, {.doc = "CSV files that a table would be fitted on", .required = true})
      .add("shapes", &R::shapes, {.doc = "CSV files of other shapes", .required = true})
      .add("gpu", &R::gpu, {.doc = "the GPU measured on"})
      .table();
}

FieldTable TuneLearnRequest::describe() {
  using R = TuneLearnRequest;
  return RequestFields<R>("tune_learn")
      .add("kernel", &R::kernel, {.doc = "the tile kernel"})
      .add("gpu", &R::gpu, {.doc = "the GPU measured on", .required = true})
      .add("sets", &R::sets, {.doc = "measurements, one set for each kernel of the kind"})
      .add("output", &R::output, {.doc = "folder, data/tuner in the source tree", .required = true})
      .table();
}

namespace {

using Features = std::array<float, kCorrectionFeatures>;

constexpr std::size_t kCheckedSamples = 4000;
// Beyond these, a timing says more about its circumstances than about the kernel.
constexpr double kMostRatio = 0.5, kMostUnaligned = 2.5;
// Residuals beyond so many medians count as that much.
constexpr double kBound = 5;
// How often a shape's common error is taken out before trees are learned anew, and rows of no error added to
// each shape's.
constexpr int kCommonRounds = 2;
constexpr double kCommonShrinkage = 0.5;

bool unaligned(const TileKernel& kernel, const TileShape& shape) {
  return row_class_of(kernel, shape) == kNarrowLoads;
}

CorrectionKind kind_of(const TileKernel& kernel, bool without_alignment) {
  return {kernel.kind, kernel.operand_bytes == 1, without_alignment};
}

std::optional<CorrectionFile> built_in_file(const CorrectionKind& kind) {
  const std::string name = kind.file_name();
  for (const EmbeddedFile& file : embedded::tuner_files())
    if (file.name == name) return correction_from_bytes(file.contents, kind, "built-in " + name);
  return std::nullopt;
}

void add_names(std::vector<std::string>& names, std::span<const std::string> more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

class LearnedCorrection final : public TimeCorrection {
 public:
  LearnedCorrection(const CorrectionFile& aligned, const std::optional<CorrectionFile>& rest)
      : aligned_(aligned.trees), gpus_(aligned.gpus) {
    if (!rest) return;
    rest_.emplace(rest->trees);
    add_names(gpus_, rest->gpus);
  }

  std::span<const std::string> gpus() const override { return gpus_; }

  void log_ratios(const TileKernel& kernel, std::span<const CorrectionQuery> queries,
                  std::span<float> out) const override {
    FeatureBlock block;
    std::array<double, kRowBlock> sums;
    for (std::size_t start = 0; start < queries.size(); start += kRowBlock) {
      const std::size_t count = std::min(kRowBlock, queries.size() - start);
      bool any_unaligned = false;
      for (std::size_t i = 0; i < count; ++i) {
        Features features;
        correction_features(kernel, queries[start + i], features);
        for (std::size_t k = 0; k < features.size(); ++k) block.slots[k][i] = features[k];
        any_unaligned = any_unaligned || unaligned(kernel, queries[start + i].shape);
      }
      aligned_.predict(block, sums);
      for (std::size_t i = 0; i < count; ++i) out[start + i] = static_cast<float>(sums[i]);
      if (!any_unaligned || !rest_) continue;
      rest_->predict(block, sums);
      for (std::size_t i = 0; i < count; ++i) {
        if (unaligned(kernel, queries[start + i].shape)) out[start + i] = static_cast<float>(sums[i]);
      }
    }
  }

 private:
  SymmetricEnsemble aligned_;
  std::optional<SymmetricEnsemble> rest_;
  std::vector<std::string> gpus_;
};

struct LearningRows {
  std::vector<float> features, targets;
  std::vector<std::size_t> shape_of;  // of each row
  std::size_t shapes = 0;
  std::vector<std::string> gpus;  // that the rows were measured on
};

CorrectionQuery query_of(const WaveModel& model, const FittedConfig& fitted, const TileShape& shape) {
  CorrectionQuery query{.config = &fitted, .shape = shape};
  query.work = tile_work(model.kernel, model.gpu, shape, fitted.config);
  query.predicted_us = wave_time(fitted.coefficients, query.work);
  return query;
}

// Queries of every measured configuration that the model knows, apart by alignment.
void fill_rows(const WaveModel& model, const std::vector<TileSample>& samples, LearningRows& aligned,
               LearningRows& rest) {
  std::map<TileConfig, const FittedConfig*> fitted;
  for (const FittedConfig& config : model.configs) fitted[config.config] = &config;
  std::map<TileShape, std::size_t> shapes;
  for (const TileSample& sample : samples) {
    const auto place = fitted.find(sample.config);
    if (place == fitted.end()) continue;
    const CorrectionQuery query = query_of(model, *place->second, sample.shape);
    Features features;
    correction_features(model.kernel, query, features);
    const bool apart = unaligned(model.kernel, sample.shape);
    LearningRows& rows = apart ? rest : aligned;
    const double ratio = std::log(sample.median_us / double(query.predicted_us));
    const double most = apart ? kMostUnaligned : kMostRatio;
    rows.features.insert(rows.features.end(), features.begin(), features.end());
    rows.targets.push_back(static_cast<float>(std::clamp(ratio, -most, most)));
    const auto [known, added] = shapes.emplace(sample.shape, rows.shapes);
    if (added) ++rows.shapes;
    add_names(rows.gpus, {&model.gpu.name, 1});
    rows.shape_of.push_back(known->second);
  }
}

double root_mean_square(const std::vector<float>& targets, const std::vector<double>& taken) {
  double sum = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) sum += std::pow(double(targets[i]) - taken[i], 2);
  return std::sqrt(sum / double(std::max<std::size_t>(1, targets.size())));
}

std::vector<double> answers(const SymmetricTrees& trees, const LearningRows& rows) {
  const SymmetricEnsemble ensemble(trees);
  std::vector<double> sums(rows.targets.size());
  FeatureRow row;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    std::copy_n(rows.features.begin() + std::ptrdiff_t(i * kCorrectionFeatures), kCorrectionFeatures,
                row.values.begin());
    sums[i] = ensemble.predict(row);
  }
  return sums;
}

// Trees on the targets less what each shape's rows have in common beyond the trees before.
SymmetricTrees learned(const LearningRows& rows) {
  const SymmetricOptions options{
      .trees = 400, .depth = 8, .eta = 0.12, .row_share = 0.5, .column_share = 0.6, .bound = kBound};
  std::vector<float> targets = rows.targets;
  SymmetricTrees trees = boost_symmetric(rows.features, kCorrectionFeatures, targets, options);
  for (int round = 0; round < kCommonRounds; ++round) {
    const std::vector<double> taken = answers(trees, rows);
    std::vector<double> left(rows.shapes, 0.0), weight(rows.shapes, kCommonShrinkage);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      left[rows.shape_of[i]] += double(rows.targets[i]) - taken[i];
      weight[rows.shape_of[i]] += 1;
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
      targets[i] = rows.targets[i] - static_cast<float>(left[rows.shape_of[i]] / weight[rows.shape_of[i]]);
    trees = boost_symmetric(rows.features, kCorrectionFeatures, targets, options);
  }
  return trees;
}

// What fits elsewhere begin with: the formulas of the first set's anchors.
void write_formulas(const TuneLearnRequest& request, GpuCatalog& catalog) {
  const TuneLearnSet& set = request.sets.front();
  const TileGpu gpu =
      TileGpu::from(catalog.load_gpu(set.gpu.empty() ? request.gpu : set.gpu, FileScope::machine()));
  const FormulaFile file{.kind = request.kernel.kind,
                         .one_byte = request.kernel.operand_bytes == 1,
                         .gpu = gpu.name,
                         .formulas = formulas_of(request.kernel, gpu, read_tile_samples(set.anchors).rows)};
  write_file_atomically(request.output / file.file_name(), formulas_to_bytes(file));
}

}  // namespace

std::unique_ptr<TimeCorrection> built_in_correction(const TileKernel& kernel) {
  if (kernel.operand_bytes > 2) return nullptr;
  // Learned where experts had the same rows and queries saw all keys before them.
  if (kernel.expert_skew > 0 || kernel.window > 0) return nullptr;
  const auto aligned = built_in_file(kind_of(kernel, false));
  if (!aligned) return nullptr;
  return std::make_unique<LearnedCorrection>(*aligned, built_in_file(kind_of(kernel, true)));
}

bool correction_fits(const WaveModel& model, const TimeCorrection& correction,
                     std::span<const TileSample> samples) {
  std::map<TileConfig, const FittedConfig*> fitted;
  for (const FittedConfig& config : model.configs) fitted[config.config] = &config;
  std::vector<CorrectionQuery> queries;
  std::vector<float> measured;
  const std::size_t stride = std::max<std::size_t>(1, samples.size() / kCheckedSamples);
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    const auto place = fitted.find(samples[i].config);
    if (place == fitted.end()) continue;
    queries.push_back(query_of(model, *place->second, samples[i].shape));
    measured.push_back(
        static_cast<float>(std::log(samples[i].median_us / double(queries.back().predicted_us))));
  }
  std::vector<float> ratios(queries.size());
  correction.log_ratios(model.kernel, queries, ratios);
  double formula = 0, corrected = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    formula += std::pow(double(measured[i]), 2);
    corrected += std::pow(double(measured[i] - ratios[i]), 2);
  }
  return corrected <= 4 * formula;
}

std::vector<TuneLearnSet> read_learning_sets(const std::filesystem::path& path) {
  const Json document = read_json_file(path);
  if (!document.is_array() || document.empty())
    throw InvalidInput(fmt::format("{}: expected a list of objects with anchors and shapes", path.string()));
  std::vector<TuneLearnSet> sets;
  for (const Json& each : document) {
    TuneLearnSet set =
        object_from_json<TuneLearnSet>(each, fmt::format("{}, set {}", path.string(), sets.size() + 1));
    for (auto* files : {&set.anchors, &set.shapes})
      for (std::filesystem::path& file : *files) file = path.parent_path() / file;
    sets.push_back(std::move(set));
  }
  return sets;
}

TuneLearnResult tune_learn(const TuneLearnRequest& request) {
  check_kernel_scope(request.kernel, TileKernelUse::Learning, "tune learn");
  if (request.sets.empty()) throw InvalidInput("tune learn: no measurements, expected anchors and shapes");
  GpuCatalog catalog;
  write_formulas(request, catalog);
  LearningRows aligned, rest;
  for (const TuneLearnSet& set : request.sets) {
    const TileGpu gpu =
        TileGpu::from(catalog.load_gpu(set.gpu.empty() ? request.gpu : set.gpu, FileScope::machine()));
    const WaveModel model = fit_wave_model(request.kernel, gpu, read_tile_samples(set.anchors).rows);
    fill_rows(model, read_tile_samples(set.shapes).rows, aligned, rest);
  }
  const auto write = [&](bool without_alignment, const LearningRows& rows) {
    const CorrectionKind kind = kind_of(request.kernel, without_alignment);
    CorrectionFile file{.gpus = rows.gpus, .trees = learned(rows)};
    write_file_atomically(request.output / kind.file_name(), correction_to_bytes(kind, file));
    return std::move(file.trees);
  };
  const SymmetricTrees trees = write(false, aligned);
  if (!rest.targets.empty()) write(true, rest);
  std::vector<std::string> gpus = aligned.gpus;
  add_names(gpus, rest.gpus);
  return {.rows = aligned.targets.size(),
          .unaligned_rows = rest.targets.size(),
          .gpus = std::move(gpus),
          .before = root_mean_square(aligned.targets, std::vector<double>(aligned.targets.size(), 0.0)),
          .after = root_mean_square(aligned.targets, answers(trees, aligned))};
}

}  // namespace warploom
