#include "warploom/predictor/training/train_adapted.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "warploom/measurements/splits.h"
#include "warploom/predictor/answer/cross_estimate.h"
#include "warploom/predictor/answer/donor_answers.h"
#include "warploom/predictor/model/cell_trees.h"
#include "warploom/predictor/model/kriging.h"
#include "warploom/predictor/training/fit_base.h"
#include "warploom/predictor/training/interval_fit.h"

namespace warploom {
namespace {

constexpr std::uint32_t kFolds = 5;
constexpr std::array<double, 3> kKrigingShares{0.0, 0.5, 1.0};
constexpr std::array<double, 5> kTreeShares{0.0, 0.4, 0.6, 0.8, 1.0};
constexpr double kRowsOfLevel = 4;        // that the level's rows are shrunk by
constexpr std::size_t kMostKriged = 400;  // more rows are thinned

// Rows of one GPU, and their residuals over the prediction of the other GPUs.
struct FewRows {
  std::size_t columns = 0;
  // Those of the operator, then the context's codes and ln(prediction of the other GPUs / base).
  std::vector<float> features;
  std::vector<double> residuals;  // ln(measured / predicted)
  std::vector<double> log_base;
  std::vector<std::uint32_t> cell;
  std::vector<std::uint64_t> shape;
  std::vector<DonorAnswers> donors;
  std::size_t size() const { return residuals.size(); }
};

FewRows few_rows(const FamilyJob& job, const LoadedFamily& family, int gpu) {
  FewRows few;
  OperatorFeatures row;
  const GpuSpec& spec = job.catalog.get(job.model.gpus[std::size_t(gpu)].name);
  for (const std::uint32_t r : job.rows_of(Part::Learn, gpu)) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    const ContextRecord& context = job.model.contexts[cell.context];
    const Operator& op = job.dataset.op(job.rows.source[r]);
    const ContextKernel kernel = family.kernel(cell);
    compute_features(op, spec, kernel, family.constants(spec), row);
    const KernelContext names{context.framework, context.version, context.kernel};
    const KernelCall call{op, spec, names, cell.kind, kernel};
    const double log_predicted = cross_estimate(family, call, row, gpu).log_p50;
    few.residuals.push_back(std::log(job.dataset.latency(job.rows.source[r]).value()) - log_predicted);
    few.log_base.push_back(row.log_base);
    few.donors.push_back(donor_answers(family, call, row, log_predicted - row.log_base));
    const ContextCodes& codes = job.codes[cell.context];
    row.add(double(codes.framework));
    row.add(double(codes.kernel));
    row.add(log_predicted - row.log_base);
    few.columns = std::size_t(row.count);
    few.features.insert(few.features.end(), row.values.begin(), row.values.begin() + row.count);
    few.cell.push_back(job.rows.cell[r]);
    few.shape.push_back(job.rows.shape[r]);
  }
  return few;
}

// What is learned from few rows: their mean residual (level), and kriging of the residuals around it.
struct Learned {
  double level = 0;
  Kriging kriging;
  std::string encoded;
};

KernelCode code_of(const FamilyJob& job, std::uint32_t cell) {
  const CellRecord& record = job.model.cells[cell];
  const ContextCodes& codes = job.codes[record.context];
  return {codes.framework, codes.kernel, codes.version, record.kind};
}

Learned learn_kriging(const FamilyJob& job, const FewRows& few, const std::vector<std::uint32_t>& rows,
                      double share) {
  Learned learned;
  for (const std::uint32_t r : rows) learned.level += few.residuals[r];
  learned.level *= share / (double(rows.size()) + kRowsOfLevel);
  const double step = std::max(1.0, double(rows.size()) / double(kMostKriged));
  std::vector<KrigingRow> kriged;
  for (double at = 0; at < double(rows.size()); at += step) {
    const std::uint32_t r = rows[std::size_t(at)];
    kriged.push_back({few.features.data() + r * few.columns, code_of(job, few.cell[r]),
                      few.residuals[r] - learned.level, few.donors[r].all()});
  }
  learned.encoded = fit_kriging(kriged, few.columns - kContextFeatures, share);
  learned.kriging = Kriging(learned.encoded, "training");
  return learned;
}

OperatorFeatures features_of(const FewRows& few, std::uint32_t r) {
  OperatorFeatures row;
  for (std::size_t f = 0; f < few.columns; ++f) row.add(double(few.features[r * few.columns + f]));
  return row;
}

// The residual of every row that the level and kriging leave.
std::vector<double> remaining_residuals(const FamilyJob& job, const FewRows& few, const Learned& learned) {
  std::vector<double> left;
  for (std::uint32_t r = 0; r < few.size(); ++r)
    left.push_back(
        few.residuals[r] - learned.level -
        learned.kriging.predict(features_of(few, r), code_of(job, few.cell[r]), few.donors[r].all()));
  return left;
}

BoostingOptions few_settings(std::size_t rows, std::uint64_t seed) {
  BoostingOptions o;
  o.seed = seed;
  o.trees = 80;
  o.leaves = std::clamp(int(rows / 25), 4, 24);
  o.depth = 5;
  o.eta = 0.08;
  o.lambda = 4;
  o.min_rows = 5;
  o.row_share = 0.7;
  o.column_share = 0.5;
  return o;
}

std::string learn_few(const FewRows& few, const std::vector<std::uint32_t>& rows,
                      const std::vector<double>& left, std::uint64_t seed) {
  std::vector<float> features, targets;
  for (const std::uint32_t r : rows) {
    const auto from = few.features.begin() + std::ptrdiff_t(r * few.columns);
    features.insert(features.end(), from, from + std::ptrdiff_t(few.columns));
    targets.push_back(float(left[r]));
  }
  return encode_trees(boost_trees(features, few.columns, targets, few_settings(rows.size(), seed)));
}

// Remaining residuals of rows that were not learned from, and the trees' predictions of them.
struct CrossValidated {
  std::vector<double> left, trees;
};

CrossValidated cross_validate(const FamilyJob& job, const FewRows& few, double share) {
  CrossValidated result{few.residuals, std::vector<double>(few.size(), 0)};
  for (std::uint32_t fold = 0; share > 0 && fold < kFolds; ++fold) {
    std::vector<std::uint32_t> learn, test;
    for (std::uint32_t r = 0; r < few.size(); ++r)
      (shape_fold(few.shape[r], kFolds, job.options.seed + 37) == fold ? test : learn).push_back(r);
    if (learn.empty()) continue;
    const std::vector<double> left = remaining_residuals(job, few, learn_kriging(job, few, learn, share));
    for (const std::uint32_t r : test) result.left[r] = left[r];
    if (learn.size() < kMostKriged) continue;
    const TreeEnsemble trees(learn_few(few, learn, left, job.options.seed), "training");
    for (const std::uint32_t r : test) {
      OperatorFeatures row = features_of(few, r);
      TreeEnsemble::set_guard(row);
      result.trees[r] = double(trees.predict(row));
    }
  }
  return result;
}

double mean_error(const CrossValidated& validated, double trees_share) {
  double sum = 0;
  for (std::size_t r = 0; r < validated.left.size(); ++r)
    sum += std::abs(validated.left[r] - trees_share * validated.trees[r]);
  return sum;
}

Adaptation adapt(const FamilyJob& job, const LoadedFamily& family, int gpu) {
  const FewRows few = few_rows(job, family, gpu);
  Adaptation adaptation;
  adaptation.gpu = std::uint16_t(gpu);
  adaptation.cells = few.cell;
  CrossValidated validated;
  double share = 0, best = std::numeric_limits<double>::max();
  for (const double kriging : kKrigingShares) {  // 0: the prediction of the other GPUs is best left as it is
    CrossValidated tried = cross_validate(job, few, kriging);
    for (const double trees : kTreeShares) {
      const double error = mean_error(tried, trees);
      if (error >= best) continue;
      best = error;
      share = kriging;
      adaptation.share = float(trees);
      validated = tried;
    }
  }
  BucketResiduals residuals;
  for (std::size_t r = 0; r < few.size(); ++r)
    residuals.add(few.log_base[r], validated.left[r] - double(adaptation.share) * validated.trees[r]);
  adaptation.interval = fit_interval(residuals, job.model.interval_unknown);
  if (share <= 0) return adaptation;
  std::vector<std::uint32_t> all(few.size());
  std::iota(all.begin(), all.end(), 0U);
  const Learned learned = learn_kriging(job, few, all, share);
  adaptation.level = float(learned.level);
  std::string trees;
  if (adaptation.share > 0)
    trees = learn_few(few, all, remaining_residuals(job, few, learned), job.options.seed);
  adaptation.trees = join_adaptation({learned.encoded, trees});
  return adaptation;
}

// Most of the GPU's rows are of a kernel and kind that a full GPU of its architecture runs. Then both must
// share constants, so that what a base misses cancels.
bool siblings_serve(const FamilyJob& job, std::size_t gpu) {
  using Class = std::tuple<std::string, std::string, std::uint16_t>;
  const FamilyModel& model = job.model;
  const auto class_of = [&](const CellRecord& cell) {
    const ContextRecord& context = model.contexts[cell.context];
    return Class{context.framework, context.kernel, cell.kind};
  };
  std::set<Class> known;
  for (const CellRecord& cell : model.cells)
    if (!model.gpus[cell.gpu].adapted && model.gpus[cell.gpu].architecture == model.gpus[gpu].architecture)
      known.insert(class_of(cell));
  double rows = 0, served = 0;
  for (const CellRecord& cell : model.cells) {
    if (cell.gpu != gpu) continue;
    rows += double(cell.rows);
    if (known.contains(class_of(cell))) served += double(cell.rows);
  }
  return served > 0.5 * rows;
}

}  // namespace

std::vector<ConstantsRecord> refit_constants(const FamilyJob& job) {
  std::map<std::int32_t, std::vector<bool>> of_architecture;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g) {
    const GpuRecord& gpu = job.model.gpus[g];
    if (!gpu.adapted || siblings_serve(job, g)) continue;
    std::vector<bool>& members = of_architecture[gpu.architecture];
    members.resize(job.model.gpus.size(), false);
    members[g] = true;
  }
  const BaseConstants prior = constants_for(job.model.constants, ConstantsRecord::kAnyGpu, job.model.family);
  const std::vector<Overhead> overheads = fitted_base(job.model).overheads;
  std::vector<ConstantsRecord> records;
  for (const auto& [architecture, members] : of_architecture) {
    const BaseConstants fitted = fit_constants_of(job, members, prior, overheads);
    for (std::size_t g = 0; g < members.size(); ++g)
      if (members[g]) records.push_back({std::int32_t(g), fitted});
  }
  return records;
}

std::vector<Adaptation> train_adapted(const FamilyJob& job) {
  const LoadedFamily family(job.model, job.catalog);
  std::vector<Adaptation> adaptations;
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g)
    if (job.model.gpus[g].adapted) adaptations.push_back(adapt(job, family, int(g)));
  return adaptations;
}

}  // namespace warploom
