#include "warploom/judge/validate/validate_leave_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>

#include "warploom/base/error.h"
#include "warploom/base/learning.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/gpu_class.h"
#include "warploom/judge/validate/ablation.h"
#include "warploom/judge/validate/external_predictions.h"
#include "warploom/judge/validate/leave_out_groups.h"
#include "warploom/kernels/roofline.h"
#include "warploom/measurements/splits.h"
#include "warploom/predictor/features/features.h"
#include "warploom/predictor/predictor.h"
#include "warploom/predictor/training/train_predictor.h"

namespace warploom {

FieldTable LeaveOutRequest::describe() {
  using R = LeaveOutRequest;
  return RequestFields<R>("validate_leave_out")
      .add("source", &R::source, {.doc = "measured rows"})
      .add("leave_out", &R::leave_out,
           {.doc = "trains without each gpu, generation, model or version in turn, or without new shapes "
                   "(shape), and judges that"})
      .add("only_left_out", &R::only,
           {.doc = "of these GPUs, generations, folds of models or versions (\"vllm 0.31.0\") alone"})
      .add("few_shot", &R::few_shot, {.doc = "shapes of a GPU left out to give back", .min = 0})
      .add("few_shot_per", &R::few_shot_per,
           {.doc = "what `few_shot` counts: family, or kind (each combination of data types by itself)"})
      .add("rows_per_gpu", &R::rows_per_gpu,
           {.doc = "of each family, for `leave_out` to learn from", .min = 500})
      .add("judged_rows", &R::judged_rows, {.doc = "of each GPU and family that is left out", .min = 1})
      .add("fewest_rows", &R::fewest_rows,
           {.doc =
                "of a family that a GPU or version must have to be left out on its own; 0: as the rules say",
            .min = 0})
      .add("ablate", &R::ablate, {.doc = "with `leave_out`: also without the model's later parts"})
      .add("baselines", &R::baselines,
           {.doc = "also judge these, learned from the same rows: roofline, linear, habitat, neusight, "
                   "pipeweave, kernelsight, interpolation"})
      .add("external", &R::external,
           {.doc = "CSV files of id and predicted_us: other tools on the rows that `questions` writes"})
      .add("questions", &R::questions,
           {.doc = "JSON lines to write: the judged rows with their ids, without their times"})
      .add("seed", &R::seed, {.doc = "of every random choice"})
      .add("threads", &R::threads, {.doc = "of `leave_out`, 0 for all", .min = 0, .max = 4096})
      .table();
}

namespace {

// GPUs whose own ensembles matter when a group is left out: its siblings and cousins, and where there are
// some, every GPU with a sibling, since those set the interval.
std::vector<std::string> gpus_to_measure(const FamilyRows& rows, const LeaveOutGroup& group,
                                         const GpuCatalog& catalog) {
  std::map<int, std::vector<std::string>> by_architecture;
  std::set<int> wanted;
  for (const std::string& gpu : rows.gpus) {
    const int architecture = architecture_class(catalog.get(gpu));
    if (group.gpus.contains(gpu))
      wanted.insert(architecture);
    else
      by_architecture[architecture].push_back(gpu);
  }
  std::vector<std::string> chosen;
  const bool siblings = std::any_of(wanted.begin(), wanted.end(),
                                    [&](int architecture) { return by_architecture.contains(architecture); });
  const auto is_cousin = [&](int architecture) {
    return std::any_of(wanted.begin(), wanted.end(), [&](int out) { return are_cousins(out, architecture); });
  };
  for (const auto& [architecture, gpus] : by_architecture)
    if (is_cousin(architecture) || (siblings && (wanted.contains(architecture) || gpus.size() > 1)))
      chosen.insert(chosen.end(), gpus.begin(), gpus.end());
  return chosen;
}

// The data sheet alone, then each step of ablation.h.
constexpr auto& kParts = EnumNames<AblationStep>::kNames;
using AblationErrors = std::array<ErrorAccumulator, 1 + kParts.size()>;

class LeaveOutRun {
 public:
  LeaveOutRun(const LeaveOutRequest& request, const GpuCatalog& catalog)
      : request_(request), catalog_(catalog) {
    request.files.check_writes(request.questions, "questions");
    for (const std::string& name : request.baselines) {
      baselines_.push_back(open_baseline(name, request.files));
      if (baselines_.back().trained != nullptr)
        throw InvalidInput(
            fmt::format("baselines: {} was learned elsewhere, expected the name of a method, which learns "
                        "from what is left",
                        name));
    }
    for (const std::filesystem::path& path : request.external) external_.emplace_back(path);
  }

  // After the last group: answers that nobody asked for are refused, questions are written.
  void finish() const {
    for (const ExternalPredictions& tool : external_) tool.finish();
    if (!request_.questions.empty()) questions_.write(request_.questions);
  }

  LeftOutErrors judge(const FamilyRows& rows, const LeaveOutGroup& group, ErrorAccumulator& family,
                      ErrorAccumulator& family_with_launch_bound, AblationErrors& ablation) {
    const auto start = std::chrono::steady_clock::now();
    const WorkClock clock;
    std::vector<FamilyModel> models = train(rows, group);
    const WorkCost cost = clock.cost();
    if (request_.ablate) ablate(rows, group, models, ablation);
    const Predictor predictor(std::move(models));
    LeftOutErrors result{.family = std::string(name_of(rows.family)), .left_out = group.name};
    result.training = cost;
    ErrorAccumulator all, launch_bound;
    std::map<std::string, ErrorAccumulator> gpus, tiers;
    for_each_answer(rows, group.judged, predictor,
                    [&](std::uint32_t r, const LatencyEstimate& said, Seconds bound) {
                      const Dataset& data = rows.data;
                      for (ErrorAccumulator* sum :
                           {&all, &family, &gpus[data.gpu(r)], &tiers[std::string(name_of(said.tier))]})
                        sum->add(said.p50, said.p10, said.p90, bound, data.latency(r));
                    });
    for_each_answer(rows, group.launch_bound, predictor,
                    [&](std::uint32_t r, const LatencyEstimate& said, Seconds bound) {
                      launch_bound.add(said.p50, said.p10, said.p90, bound, rows.data.latency(r));
                    });
    result.errors = all.summary();
    result.answer_microseconds = answer_time(rows, group, predictor);
    compare(rows, group, result);
    all.merge(launch_bound);
    result.with_launch_bound = all.summary();
    family_with_launch_bound.merge(all);
    result.gpus = summaries(gpus);
    result.tiers = summaries(tiers);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  // Methods and other tools on the rows that were judged.
  void compare(const FamilyRows& rows, const LeaveOutGroup& group, LeftOutErrors& result) {
    if (!request_.questions.empty()) questions_.add(rows.data, group.judged, group.name);
    for (ExternalPredictions& tool : external_)
      result.external.emplace_back(tool.name(), tool.judge(rows.data, group.judged, catalog_));
    if (baselines_.empty()) return;
    const std::vector<std::uint32_t> learned = left_rows(rows, group);
    result.baselines = compare_baselines(
        {baselines_, {rows.data, learned}, rows.data, group.judged, std::size_t(request_.threads)}, catalog_,
        request_.progress);
  }

  // What baselines may learn from: as train_predictor, which keeps held-out shapes apart itself.
  std::vector<std::uint32_t> left_rows(const FamilyRows& rows, const LeaveOutGroup& group) const {
    if (!group.kept.empty()) return group.kept;
    const ShapeSplit split;
    std::vector<std::uint32_t> left;
    for (std::uint32_t row = 0; row < rows.data.size(); ++row)
      if (!split.is_test(rows.data.shape(row)) && !group.gpus.contains(rows.data.gpu(row)))
        left.push_back(row);
    return left;
  }

  double answer_time(const FamilyRows& rows, const LeaveOutGroup& group, const Predictor& predictor) const {
    const double start = thread_cpu_seconds();
    for (const std::uint32_t row : group.judged) try {
        predictor.estimate(rows.data.op(row), catalog_.get(rows.data.gpu(row)), rows.data.context(row));
      } catch (const Unsupported&) {
        continue;
      }
    constexpr double kMicrosecondsPerSecond = 1e6;
    return kMicrosecondsPerSecond * (thread_cpu_seconds() - start) / double(group.judged.size());
  }

  void ablate(const FamilyRows& rows, const LeaveOutGroup& group, const std::vector<FamilyModel>& models,
              AblationErrors& ablation) const {
    const auto judge_part = [&](const LatencyModel& part, ErrorAccumulator& errors) {
      for_each_answer(rows, group.judged, part,
                      [&](std::uint32_t r, const LatencyEstimate& said, Seconds bound) {
                        errors.add(said.p50, said.p10, said.p90, bound, rows.data.latency(r));
                      });
    };
    judge_part(RooflineModel(), ablation[0]);
    for (const auto& [step, name] : kParts)
      judge_part(Predictor(up_to(models, step)), ablation[1 + std::size_t(step)]);
  }

  // What the model says of each row, with the row's roofline; rows that the GPU's hardware cannot run
  // are left out.
  template <class Sink>
  void for_each_answer(const FamilyRows& rows, const std::vector<std::uint32_t>& judged,
                       const LatencyModel& model, const Sink& sink) const {
    const RooflineModel roofline;
    for (const std::uint32_t r : judged) {
      const GpuSpec& gpu = catalog_.get(rows.data.gpu(r));
      LatencyEstimate said;
      try {
        said = model.estimate(rows.data.op(r), gpu, rows.data.context(r));
      } catch (const Unsupported&) {
        continue;
      }
      sink(r, said, roofline.estimate(rows.data.op(r), gpu).p50);
    }
  }

  std::vector<FamilyModel> train(const FamilyRows& rows, const LeaveOutGroup& group) const {
    TrainingOptions options;
    options.families = {rows.family};
    options.seed = request_.seed;
    options.threads = request_.threads;
    options.few_shot_per = parse_enum<FewShotPer>(request_.few_shot_per, "few_shot_per");
    if (group.gpus.empty()) options.leave_out_rows_per_gpu = 0;
    // Few shapes of a GPU are weighed against what every other GPU needs.
    if (!group.gpus.empty() && request_.few_shot == 0)
      options.measured_gpus = gpus_to_measure(rows, group, catalog_);
    for (const std::string& gpu : group.gpus)
      if (request_.few_shot > 0)
        options.few_shot[gpu] = request_.few_shot;
      else
        options.exclude_gpus.push_back(gpu);
    return train_predictor(group.kept.empty() ? rows.data : rows.data.subset(group.kept), catalog_, options)
        .models;
  }

  const LeaveOutRequest& request_;
  const GpuCatalog& catalog_;
  std::vector<Baseline> baselines_;
  std::vector<ExternalPredictions> external_;
  QuestionFile questions_;
};

std::string protocol_of(const LeaveOutRequest& request) {
  const bool shapes = request.leave_out == "shape";
  const bool gpus = request.leave_out == "gpu" || request.leave_out == "generation";
  std::string text = fmt::format(
      "{}; trained on up to {} rows of each {}GPU and family, constants of the structural base included",
      shapes ? "new shapes left out" : fmt::format("each {} left out in turn", request.leave_out),
      request.rows_per_gpu, gpus ? "other " : "");
  if (request.few_shot > 0)
    text +=
        fmt::format(", and {} shapes per {} of each GPU left out", request.few_shot, request.few_shot_per);
  return text + (request.leave_out == "model" ? "; judged on a sample of all rows of the models left out"
                                              : "; judged on a sample of rows whose shapes no training saw");
}

}  // namespace

namespace {

// The rules that kept rows of a family from being judged.
void add_rules(const FamilyRows& rows, const std::vector<LeaveOutGroup>& groups, LeaveOutResult& result) {
  const std::string family(name_of(rows.family));
  std::size_t launch_bound = 0;
  for (const LeaveOutGroup& group : groups) launch_bound += group.launch_bound.size();
  if (launch_bound > 0) result.rules.push_back({&kernel_exclusion("launch_bound"), launch_bound, family});
  for (const auto& [gpu, count] : rows.small)
    result.rules.push_back({&kernel_exclusion("few_rows"), count, fmt::format("{} on {}", family, gpu)});
}

}  // namespace

namespace {

std::set<Family> families_of(const Dataset& dataset) {
  std::set<Family> families;
  for (std::size_t r = 0; r < dataset.size(); ++r) families.insert(dataset.family(r));
  return families;
}

}  // namespace

LeaveOutResult validate_leave_out(const LeaveOutRequest& request) {
  require_learning("validate leave-out");
  const LeaveOutKind kind = leave_out_kind(request.leave_out);
  if (!is_by_gpu(kind) && request.few_shot > 0)
    throw InvalidInput(
        "few_shot: gives shapes of a GPU back, expected `leave_out` gpu or generation with it");
  const auto per = parse_enum<FewShotPer>(request.few_shot_per, "few_shot_per");
  if (request.rows_per_gpu < 500 || request.judged_rows < 1)
    throw InvalidInput("rows_per_gpu: expected at least 500, and at least 1 row to judge");
  if (request.fewest_rows < 0) throw InvalidInput("fewest_rows: expected at least 1");
  const auto fewest_rows =
      request.fewest_rows > 0 ? request.fewest_rows : std::int64_t(*kernel_exclusion("few_rows").value);
  const GpuCatalog catalog;
  const ImportResult imported = read_measurements(request.source, catalog);
  const Dataset& dataset = imported.dataset;
  if (request.progress) request.progress(fmt::format("{} rows read", dataset.size()));
  const std::set<Family> families = families_of(dataset);
  LeaveOutResult result;
  result.protocol = protocol_of(request);
  LeaveOutRun run(request, catalog);
  const std::set<std::string> only = left_out_names(request.only, kind, catalog, versions_of(dataset));
  for (const Family family : families) {
    const FamilyRows rows =
        sample_family(dataset, family, kind, request.rows_per_gpu, request.few_shot, per, fewest_rows);
    ErrorAccumulator together, with_launch_bound;
    AblationErrors ablation;
    const std::vector<LeaveOutGroup> groups = leave_out_groups(rows, catalog, kind, request.judged_rows);
    if (groups.size() < 2 && kind != LeaveOutKind::Shape && kind != LeaveOutKind::Version) continue;
    for (const LeaveOutGroup& group : groups) {
      if (!only.empty() && !only.contains(group.name)) continue;
      result.groups.push_back(run.judge(rows, group, together, with_launch_bound, ablation));
      const LeftOutErrors& last = result.groups.back();
      if (request.progress)
        request.progress(
            fmt::format("{} without {}: {} rows, mean {:.1f} %, median {:.1f} %, coverage {:.0f} "
                        "%, {:.0f} s",
                        last.family, last.left_out, last.errors.rows, 100 * last.errors.mean_error,
                        100 * last.errors.median_error, 100 * last.errors.coverage, last.seconds));
    }
    if (result.groups.empty() || result.groups.back().family != name_of(family)) continue;
    result.families.emplace_back(std::string(name_of(family)), together.summary());
    result.with_launch_bound.emplace_back(std::string(name_of(family)), with_launch_bound.summary());
    add_rules(rows, groups, result);
    if (!request.ablate) continue;
    result.ablation.push_back({std::string(name_of(family)), "data sheet", ablation[0].summary()});
    for (const auto& [step, name] : kParts)
      result.ablation.push_back(
          {std::string(name_of(family)), std::string(name), ablation[1 + std::size_t(step)].summary()});
  }
  if (result.groups.empty() && !only.empty())
    throw InvalidInput(fmt::format("only_left_out: no family has {} rows of {}, and of another {}",
                                   fewest_rows, fmt::join(request.only, ", "), request.leave_out));
  if (result.groups.empty())
    throw InvalidInput(
        fmt::format("validate kernels, `leave_out` {}: no family has two of them with at least {} rows each",
                    request.leave_out, fewest_rows));
  run.finish();
  return result;
}

}  // namespace warploom
