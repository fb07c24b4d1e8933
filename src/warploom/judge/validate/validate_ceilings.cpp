#include "warploom/judge/validate/validate_ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/app/tune/tuned_times.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/statistics.h"
#include "warploom/baselines/method_file.h"
#include "warploom/ceiling/ceiling_features.h"
#include "warploom/ceiling/ceiling_training.h"
#include "warploom/ceiling/gap.h"

namespace warploom {

FieldTable ValidateCeilingsRequest::describe() {
  using R = ValidateCeilingsRequest;
  return RequestFields<R>("validate_ceilings")
      .add("source", &R::source, {.doc = "measured rows"})
      .add("ceilings", &R::ceilings, {.doc = "a folder that `train-ceilings` wrote"})
      .add("require_tier", &R::require_tier,
           {.doc = "measured: leave out GPUs from which the ceiling learned nothing"})
      .add("quantile", &R::quantile, {.doc = "of the ceiling", .min = 0.5, .max = 0.99})
      .add("cross_fit", &R::cross_fit,
           {.doc = "learn anew from the data's other folds of shapes, so many folds; judges every row",
            .max = 20})
      .add("tuned", &R::tuned, {.doc = "tables of tuned times, to compare with what is flagged"})
      .add("published", &R::published,
           {.doc = "a file that `train` with `method` pipeweave and this quantile wrote, counted beside"})
      .table();
}

namespace {

using baselines::PipeWeaveModel;

constexpr std::uint64_t kFoldSeed = 11;

// How each row of the data set stands.
enum class Verdict : std::uint8_t { NotJudged, Below, Above, Flagged };

struct Judgement {
  const Dataset& dataset;
  const GpuCatalog& catalog;
  std::vector<Verdict> verdicts = std::vector<Verdict>(dataset.size(), Verdict::NotJudged);
  std::map<std::string, std::size_t> skipped{};  // reason, rows
};

struct Judge : Judgement {
  double quantile = 0;
  bool measured_alone = false;
  RoutingCache routing{};

  void judge(const CeilingModel& model, std::uint32_t row) {
    try {
      const GpuSpec& gpu = catalog.get(dataset.gpu(row));
      const KernelProfile p = ceiling_profile(dataset.op(row), gpu, &routing);
      const Ceiling ceiling = model.ceiling(dataset.op(row), gpu, p, quantile);
      if (measured_alone && !ceiling.known_gpu) {
        ++skipped["require_tier: the ceiling learned nothing from the GPU"];
        return;
      }
      const Gap gap = gap_of(ceiling, dataset.latency(row));
      verdicts[row] = gap.above ? Verdict::Above : gap.flagged() ? Verdict::Flagged : Verdict::Below;
    } catch (const Unsupported& error) {
      ++skipped[fmt::format("refused: {}", error.what())];
    }
  }
};

// The published model's verdicts on the rows that `ours` judged.
Judgement judge_published(const PipeWeaveModel& model, const Judgement& ours) {
  Judgement judged{.dataset = ours.dataset, .catalog = ours.catalog};
  for (std::uint32_t row = 0; row < ours.verdicts.size(); ++row) {
    if (ours.verdicts[row] == Verdict::NotJudged) continue;
    const Operator& op = ours.dataset.op(row);
    const GpuSpec& gpu = ours.catalog.get(ours.dataset.gpu(row));
    const KernelContext context = ours.dataset.context(row);
    try {
      const auto expected = model.expected(op, gpu, context);
      if (!expected) {
        ++judged.skipped[model.lacks(op, gpu, context)];
        continue;
      }
      const double reached = expected->at_full_rate / ours.dataset.latency(row);
      judged.verdicts[row] = reached > expected->efficiency                 ? Verdict::Above
                             : expected->efficiency - reached > kFlaggedGap ? Verdict::Flagged
                                                                            : Verdict::Below;
    } catch (const Unsupported& error) {
      ++judged.skipped[fmt::format("refused: {}", error.what())];
    }
  }
  return judged;
}

void judge_kept_out(const CeilingModel& model, Judge& judge) {
  for (std::uint32_t row = 0; row < judge.dataset.size(); ++row) {
    const FamilyCeiling* family = model.family(judge.dataset.family(row));
    if (family == nullptr) {
      ++judge.skipped["family without a ceiling"];
    } else if (!ceiling_counts(judge.dataset, row)) {
      ++judge.skipped["chosen as bad, or timed with the host's launch"];
    } else if (!ShapeSplit{family->test_fraction, family->split_seed}.is_test(judge.dataset.shape(row))) {
      ++judge.skipped["shape was available to training"];
    } else {
      judge.judge(model, row);
    }
  }
}

void judge_folds(std::uint32_t folds, Judge& judge) {
  const Dataset& dataset = judge.dataset;
  for (const auto& [family, name] : EnumNames<Family>::kNames) {
    const std::vector<std::uint32_t> rows = dataset.rows_of(family);
    for (std::uint32_t fold = 0; fold < folds && !rows.empty(); ++fold) {
      std::vector<std::uint32_t> others;
      for (const std::uint32_t row : rows)
        if (shape_fold(dataset.shape(row), folds, kFoldSeed) != fold) others.push_back(row);
      auto ceiling = train_ceiling(dataset, others, judge.catalog, family, {.split = {.test_fraction = 0}});
      if (!ceiling) {
        judge.skipped["family with too few rows to learn from"] += rows.size();
        break;
      }
      const CeilingModel model(std::vector<FamilyCeiling>{*std::move(ceiling)});
      for (const std::uint32_t row : rows)
        if (ceiling_counts(dataset, row) && shape_fold(dataset.shape(row), folds, kFoldSeed) == fold)
          judge.judge(model, row);
    }
  }
}

void count(std::map<std::string, CeilingShare>& shares, std::string_view name, Verdict verdict) {
  CeilingShare& share = shares[std::string(name)];
  ++share.rows;
  share.above += verdict == Verdict::Above ? 1 : 0;
  share.flagged += verdict == Verdict::Flagged ? 1 : 0;
}

std::vector<CeilingShare> listed(std::map<std::string, CeilingShare> shares) {
  std::vector<CeilingShare> list;
  for (auto& [name, share] : shares) {
    share.name = name;
    list.push_back(std::move(share));
  }
  return list;
}

TunedComparison compare(const std::filesystem::path& path, const Judgement& judged,
                        const std::vector<CeilingShare>& gpus) {
  std::map<std::string, TunedGpu> by_gpu;
  std::map<std::string, double> logs, sums;
  for (const TunedRow& row : match_tuned_times(read_tuned_times(path, judged.catalog), judged.dataset)) {
    if (judged.verdicts[row.row] == Verdict::NotJudged) continue;
    const std::string& gpu = judged.dataset.gpu(row.row);
    ++by_gpu[gpu].matched;
    by_gpu[gpu].matched_flagged += judged.verdicts[row.row] == Verdict::Flagged ? 1 : 0;
    logs[gpu] += std::log(row.speedup);
    sums[gpu] += row.speedup;
  }
  if (by_gpu.empty())
    throw InvalidInput(fmt::format("{}: no tuned row has a measured row that was judged", path.string()));
  TunedComparison result{.source = path.filename().string()};
  std::vector<double> flagged, share, speedup;
  for (auto& [name, gpu] : by_gpu) {
    gpu.gpu = name;
    gpu.geomean_speedup = std::exp(logs[name] / double(gpu.matched));
    gpu.mean_speedup = sums[name] / double(gpu.matched);
    for (const CeilingShare& all : gpus)
      if (all.name == name) gpu.flagged = all.flagged;
    flagged.push_back(double(gpu.flagged));
    share.push_back(double(gpu.matched_flagged) / double(gpu.matched));
    speedup.push_back(gpu.geomean_speedup);
    result.gpus.push_back(std::move(gpu));
  }
  result.pearson_flagged = pearson_correlation(flagged, speedup);
  result.pearson_matched = pearson_correlation(share, speedup);
  return result;
}

CeilingCounts counted(const Judgement& judged, const std::vector<std::filesystem::path>& tuned) {
  std::map<std::string, CeilingShare> families, gpus;
  for (std::uint32_t row = 0; row < judged.verdicts.size(); ++row) {
    if (judged.verdicts[row] == Verdict::NotJudged) continue;
    count(families, name_of(judged.dataset.family(row)), judged.verdicts[row]);
    count(gpus, judged.dataset.gpu(row), judged.verdicts[row]);
  }
  CeilingCounts counts{.families = listed(std::move(families)), .gpus = listed(std::move(gpus))};
  if (counts.families.empty()) return counts;
  for (const auto& path : tuned) counts.tuned.push_back(compare(path, judged, counts.gpus));
  for (const auto& [reason, rows] : judged.skipped) counts.skipped.emplace_back(reason, rows);
  return counts;
}

// The published model of `path`, which must be a ceiling at the quantile.
std::shared_ptr<const PipeWeaveModel> open_published(const std::filesystem::path& path, double quantile) {
  MethodFile file = read_method_file(path);
  const std::shared_ptr<const MethodModel> held = std::move(file.model);
  auto model = std::dynamic_pointer_cast<const PipeWeaveModel>(held);
  if (model == nullptr || file.provenance.quantile != quantile)
    throw InvalidInput(fmt::format(
        "published: {} holds {} of quantile {:.2f}, expected pipeweave of quantile {:.2f} (`train` "
        "with `method` and `quantile`)",
        path.string(), name_of(file.kind), file.provenance.quantile, quantile));
  return model;
}

}  // namespace

CeilingValidation validate_ceilings(const ValidateCeilingsRequest& request) {
  check_quantile(request.quantile, "quantile");
  if (request.cross_fit == 1 || request.cross_fit > 20)
    throw InvalidInput(fmt::format("cross_fit is {}, expected 0 or 2 to 20 folds", request.cross_fit));
  std::shared_ptr<const PipeWeaveModel> published;
  if (!request.published.empty()) published = open_published(request.published, request.quantile);
  const GpuCatalog catalog;
  const ImportResult imported = read_measurements(request.source, catalog);
  Judge judge{{.dataset = imported.dataset, .catalog = catalog},
              request.quantile,
              requires_measured(request.require_tier)};
  if (request.progress) request.progress(fmt::format("{} rows read", imported.dataset.size()));
  CeilingValidation result;
  result.quantile = request.quantile;
  if (request.cross_fit == 0) {
    const CeilingModel model = request.ceilings.empty() ? CeilingModel() : CeilingModel(request.ceilings);
    judge_kept_out(model, judge);
    result.split = "rows of shapes kept out of training";
  } else {
    judge_folds(request.cross_fit, judge);
    result.split = fmt::format("every row, by ceilings learned from the other {} of {} folds of shapes",
                               request.cross_fit - 1, request.cross_fit);
  }
  static_cast<CeilingCounts&>(result) = counted(judge, request.tuned);
  if (result.families.empty() && judge.measured_alone)
    throw Unsupported("require_tier: no ceiling learned from the GPU of a row that is to be judged");
  if (result.families.empty())
    throw InvalidInput("validate ceilings: no row is left to judge; `cross_fit` 5 judges every row");
  if (published != nullptr) result.published = counted(judge_published(*published, judge), request.tuned);
  return result;
}

}  // namespace warploom
