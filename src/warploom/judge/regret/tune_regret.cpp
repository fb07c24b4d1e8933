#include "warploom/judge/regret/tune_regret.h"

#include <set>

#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/work_clock.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/judge/wavetune/tune_fit_wavetune.h"

namespace warploom {

FieldTable TuneRegretRequest::describe() {
  using R = TuneRegretRequest;
  return RequestFields<R>("tune_regret")
      .add("table", &R::table, {.doc = "a table that `tune fit` wrote, of either method", .required = true})
      .add("oracle", &R::oracle, {.doc = "CSV files of every configuration at every shape", .required = true})
      .add("samples", &R::samples, {.doc = "the table's samples, for more baselines and the time of a fit"})
      .add("seen", &R::seen,
           {.doc = "sets learned from or designed on: shapes of the oracle among them are not judged"})
      .add("gpu", &R::gpu, {.doc = "the GPU that the oracle was measured on: a table of another is refused"})
      .add("with_baselines", &R::with_baselines, {.doc = "other ways to choose beside the table"})
      .add("baselines", &R::baselines,
           {.doc =
                "only these: default, nearest_shape, xgboost, xgboost_samples, wavetune, wavetune_relative"})
      .add("times", &R::times, {.doc = "also measure how long fits and decisions take"})
      .table();
}

namespace {

std::set<TileShape> shapes_of(const std::vector<std::filesystem::path>& paths) {
  std::set<TileShape> shapes;
  if (paths.empty()) return shapes;
  for (const TileSample& sample : read_tile_samples(paths).rows) shapes.insert(sample.shape);
  return shapes;
}

std::vector<RegretBaseline> chosen_baselines(const TuneRegretRequest& request) {
  std::vector<RegretBaseline> chosen;
  for (const std::string& name : request.baselines)
    chosen.push_back(parse_enum<RegretBaseline>(name, "baselines"));
  if (!chosen.empty() && !request.with_baselines)
    throw InvalidInput("baselines: named and turned off, expected one of the two");
  if (!chosen.empty() || !request.with_baselines) return chosen;
  chosen = {RegretBaseline::Default, RegretBaseline::NearestShape, RegretBaseline::XGBoost};
  if (!request.samples.empty())
    chosen.insert(chosen.end(), {RegretBaseline::XGBoostSamples, RegretBaseline::WaveTune});
  return chosen;
}

// Wall time of what made the table, done again.
double refit_seconds(const TileTable& table, const TuneRegretRequest& request) {
  TuneFitRequest fit{.samples = request.samples, .gpu = gpu_of(table).name, .kernel = kernel_of(table)};
  fit.default_config = config_text(default_config_of(table));
  return std::holds_alternative<WaveTuneTable>(table) ? tune_fit_wavetune(fit).fit_seconds
                                                      : tune_fit(fit).fit_seconds;
}

ChoiceCost cost_of(const TileTable& table, const TuneRegretRequest& request,
                   std::span<const TileSample> samples, std::span<const OracleShape> shapes) {
  ChoiceCost cost;
  if (const auto* published = std::get_if<WaveTuneTable>(&table))
    cost.anchors = published->model().anchors;
  else if (!samples.empty())
    cost.anchors = samples.size();
  if (!request.times) return cost;
  if (!samples.empty()) {
    const WorkClock clock;
    cost.fit_seconds = refit_seconds(table, request);
    cost.fit_peak_bytes = clock.cost().peak_bytes;
  }
  cost.decision_ns = decision_ns(
      shapes, [&](const OracleShape& oracle) { return pick_of(table, oracle.shape).config.tile_m; });
  return cost;
}

}  // namespace

TuneRegretResult tune_regret(const TuneRegretRequest& request) {
  const std::vector<RegretBaseline> baselines = chosen_baselines(request);
  const TileTable table = open_tile_table(request.table);
  if (!request.gpu.empty()) require(table, GpuCatalog().load_gpu(request.gpu, request.files).name, "");
  std::vector<OracleShape> shapes = oracle_shapes(read_tile_samples(request.oracle));
  std::vector<TileSample> samples;
  if (!request.samples.empty()) samples = read_tile_samples(request.samples).rows;
  std::set<TileShape> seen = shapes_of(request.seen);
  for (const TileSample& sample : samples) seen.insert(sample.shape);
  const Picker picker = [&](const TileShape& shape) { return pick_of(table, shape); };
  const TileConfig fallback = default_config_of(table);
  TuneRegretResult result{.wavetune = std::holds_alternative<WaveTuneTable>(table)};
  result.with_seen = summarize(regret_of(picker, shapes, fallback));
  result.seen_shapes =
      std::erase_if(shapes, [&](const OracleShape& shape) { return seen.contains(shape.shape); });
  if (shapes.empty())
    throw InvalidInput("tune regret: every shape of the oracle is in the sets that were seen before");
  result.rows = regret_of(picker, shapes, fallback);
  result.table = summarize(result.rows);
  if (const auto* ours = std::get_if<RuntimeTable>(&table))
    for (const std::size_t more : {1U, 2U}) {
      const MeasuredRegret measured = measured_regret_of(*ours, shapes, 1 + more);
      result.measured.push_back(
          {.candidates = more, .timings = measured.timings, .summary = summarize(measured.rows)});
    }
  result.cost = cost_of(table, request, samples, shapes);
  const RegretSetting setting{.table = &table, .shapes = shapes, .samples = samples, .times = request.times};
  for (const RegretBaseline baseline : baselines)
    if (auto judged = regret_of_baseline(baseline, setting)) result.baselines.push_back(std::move(*judged));
  return result;
}

}  // namespace warploom
