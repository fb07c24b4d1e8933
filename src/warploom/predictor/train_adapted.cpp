#include "warploom/predictor/train_adapted.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "warploom/measurements/splits.h"
#include "warploom/predictor/fit_base.h"
#include "warploom/predictor/interval_fit.h"
#include "warploom/predictor/tier_estimates.h"

namespace warploom {
namespace {

constexpr std::uint32_t kFolds = 5;
constexpr std::array<double, 5> kShares{0.0, 0.4, 0.6, 0.8, 1.0};
// Rows that a level's own mean must have to count as much as the level above it.
constexpr double kRowsOfGpu = 2, kRowsOfKind = 4, kRowsOfKernel = 6, kRowsOfVersion = 10;

// Rows of one GPU against what the others say of it.
struct FewRows {
  std::size_t columns = 0;
  std::vector<float> features;  // with the context's codes and what was said beyond the base
  std::vector<double> missing;  // ln(measured / said)
  std::vector<double> log_base;
  std::vector<std::uint32_t> cell;
  std::vector<std::uint64_t> shape;
  std::size_t size() const { return missing.size(); }
};

FewRows few_rows(const FamilyJob& job, const LoadedFamily& family, int gpu) {
  FewRows few;
  FeatureRow row;
  const GpuSpec& spec = job.catalog.get(job.model.gpus[std::size_t(gpu)].name);
  for (const std::uint32_t r : job.rows_of(Part::Learn, gpu)) {
    const CellRecord& cell = job.model.cells[job.rows.cell[r]];
    const ContextRecord& context = job.model.contexts[cell.context];
    const Operator& op = job.dataset.op(job.rows.source[r]);
    const ContextKernel kernel = family.kernel(cell);
    compute_features(op, spec, kernel, family.constants(spec), row);
    const double said = cross_estimate(family, op, spec, {context.framework, context.version, context.kernel},
                                       cell.kind, kernel, row, gpu)
                            .log_p50;
    few.missing.push_back(std::log(job.dataset.latency(job.rows.source[r]).value()) - said);
    few.log_base.push_back(row.log_base);
    const ContextCodes& codes = job.codes[cell.context];
    row.add(double(codes.framework));
    row.add(double(codes.kernel));
    row.add(said - row.log_base);
    few.columns = std::size_t(row.count);
    few.features.insert(few.features.end(), row.values.begin(), row.values.begin() + row.count);
    few.cell.push_back(job.rows.cell[r]);
    few.shape.push_back(job.rows.shape[r]);
  }
  return few;
}

struct Levels {
  double gpu = 0;
  std::map<std::uint32_t, double> cells;
};

// Means of a grouping of rows, each shrunk towards the level above it, which comes in `level` by row.
template <class KeyOf>
void refine(const FewRows& few, const std::vector<std::uint32_t>& rows, double prior_rows,
            const KeyOf& key_of, std::vector<double>& level) {
  std::map<decltype(key_of(0)), std::pair<double, double>> sums;  // of what is missing, and of rows
  for (const std::uint32_t r : rows) {
    auto& [sum, count] = sums[key_of(r)];
    sum += few.missing[r] - level[r];
    ++count;
  }
  for (std::size_t r = 0; r < level.size(); ++r)
    if (const auto at = sums.find(key_of(std::uint32_t(r))); at != sums.end())
      level[r] += at->second.first / (at->second.second + prior_rows);
}

// Level of every row of `few`, learned from `rows`.
std::vector<double> fit_levels(const FamilyModel& model, const FewRows& few,
                               const std::vector<std::uint32_t>& rows, double& of_gpu) {
  std::vector<double> level(few.size(), 0);
  refine(
      few, rows, kRowsOfGpu, [](std::uint32_t) { return 0; }, level);
  of_gpu = level.empty() ? 0.0 : level[0];
  const auto cell_of = [&](std::uint32_t r) -> const CellRecord& { return model.cells[few.cell[r]]; };
  refine(
      few, rows, kRowsOfKind, [&](std::uint32_t r) { return cell_of(r).kind; }, level);
  refine(
      few, rows, kRowsOfKernel,
      [&](std::uint32_t r) {
        const ContextRecord& context = model.contexts[cell_of(r).context];
        return std::make_tuple(context.framework, context.kernel, cell_of(r).kind);
      },
      level);
  refine(
      few, rows, kRowsOfVersion, [&](std::uint32_t r) { return few.cell[r]; }, level);
  return level;
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
                      const std::vector<double>& level, std::uint64_t seed) {
  std::vector<float> features, targets;
  for (const std::uint32_t r : rows) {
    const auto from = few.features.begin() + std::ptrdiff_t(r * few.columns);
    features.insert(features.end(), from, from + std::ptrdiff_t(few.columns));
    targets.push_back(float(few.missing[r] - level[r]));
  }
  return encode_trees(boost_trees(features, few.columns, targets, few_settings(rows.size(), seed)));
}

double answer(const FewRows& few, const TreeEnsemble& trees, std::uint32_t r) {
  FeatureRow row;
  for (std::size_t f = 0; f < few.columns; ++f) row.add(double(few.features[r * few.columns + f]));
  TreeEnsemble::set_guard(row);
  return double(trees.predict(row));
}

// What levels and trees leave on rows that they did not learn from.
struct CrossValidated {
  std::vector<double> left, trees;
};

CrossValidated cross_validate(const FamilyJob& job, const FewRows& few) {
  CrossValidated result{std::vector<double>(few.size(), 0), std::vector<double>(few.size(), 0)};
  for (std::uint32_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::uint32_t> learn, test;
    for (std::uint32_t r = 0; r < few.size(); ++r)
      (shape_fold(few.shape[r], kFolds, job.options.seed + 37) == fold ? test : learn).push_back(r);
    double of_gpu = 0;
    const std::vector<double> level = fit_levels(job.model, few, learn, of_gpu);
    for (const std::uint32_t r : test) result.left[r] = few.missing[r] - level[r];
    if (learn.size() < kFewestRowsForTrees) continue;
    const TreeEnsemble trees(learn_few(few, learn, level, job.options.seed), "training");
    for (const std::uint32_t r : test) result.trees[r] = answer(few, trees, r);
  }
  return result;
}

void adapt(FamilyJob& job, const LoadedFamily& family, int gpu) {
  const FewRows few = few_rows(job, family, gpu);
  GpuRecord& record = job.model.gpus[std::size_t(gpu)];
  const CrossValidated validated = cross_validate(job, few);
  double best = std::numeric_limits<double>::max();
  for (const double share : kShares) {
    double sum = 0;
    for (std::size_t r = 0; r < few.size(); ++r)
      sum += std::abs(validated.left[r] - share * validated.trees[r]);
    if (sum < best) {
      best = sum;
      record.share = float(share);
    }
  }
  BucketResiduals residuals;
  for (std::size_t r = 0; r < few.size(); ++r)
    residuals.add(few.log_base[r], validated.left[r] - double(record.share) * validated.trees[r]);
  const LogInterval interval = fit_interval(residuals, job.model.interval_unknown);
  std::vector<std::uint32_t> all(few.size());
  std::iota(all.begin(), all.end(), 0U);
  double of_gpu = 0;
  const std::vector<double> level = fit_levels(job.model, few, all, of_gpu);
  record.level = float(of_gpu);
  for (std::size_t r = 0; r < few.size(); ++r) {
    job.model.cells[few.cell[r]].offset = float(level[r]);
    job.model.cells[few.cell[r]].interval = interval;
  }
  EnsembleRecord& ensemble = job.model.ensembles[std::size_t(gpu)];
  ensemble.gpu = std::uint16_t(gpu);
  if (few.size() >= kFewestRowsForTrees && record.share > 0)
    ensemble.trees = learn_few(few, all, level, job.options.seed);
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

void refit_constants(FamilyJob& job) {
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
  for (const auto& [architecture, members] : of_architecture) {
    const BaseConstants fitted = fit_constants_of(job, members, prior, overheads);
    for (std::size_t g = 0; g < members.size(); ++g)
      if (members[g]) job.model.constants.push_back({std::int32_t(g), fitted});
  }
}

void train_adapted(FamilyJob& job) {
  const LoadedFamily family(job.model, job.catalog);
  for (std::size_t g = 0; g < job.model.gpus.size(); ++g)
    if (job.model.gpus[g].adapted) adapt(job, family, int(g));
}

}  // namespace warploom
