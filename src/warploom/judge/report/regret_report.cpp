#include "warploom/judge/report/regret_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/app/tune/tune_method.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

constexpr std::size_t kWorstRows = 8;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json summary_json(const RegretSummary& summary) {
  return {{"shapes", summary.shapes},
          {"geo_mean_share", summary.geo_mean_share},
          {"mean_share", summary.mean_share},
          {"worst_share", summary.worst_share},
          {"p10_share", summary.p10_share},
          {"pick_error_median", summary.pick_error_median},
          {"geo_mean_speedup", optional_json(summary.geo_mean_speedup)},
          {"best_speedup", optional_json(summary.best_speedup)},
          {"worst_speedup", optional_json(summary.worst_speedup)}};
}

void add_cost(Json& document, const ChoiceCost& cost) {
  document["anchors"] = cost.anchors ? Json(*cost.anchors) : Json(nullptr);
  document["fit_seconds"] = optional_json(cost.fit_seconds);
  document["fit_peak_bytes"] = optional_json(cost.fit_peak_bytes);
  document["decision_ns"] = optional_json(cost.decision_ns);
}

// Decisions take from nanoseconds to milliseconds.
std::string decision_text(const std::optional<double>& ns) {
  if (!ns) return "-";
  if (*ns < 1e3) return fixed_text(*ns, 0) + " ns";
  return *ns < 1e6 ? fixed_text(*ns * 1e-3, 1) + " us" : fixed_text(*ns * 1e-6, 1) + " ms";
}

std::string factor(const std::optional<double>& value) { return value ? fixed_text(*value, 3) : "-"; }

void add_summary(TextTable& table, const std::string& name, const RegretSummary& summary,
                 const ChoiceCost& cost = {}) {
  table.add_row({name, std::to_string(summary.shapes), percent_text(summary.geo_mean_share),
                 percent_text(summary.worst_share), percent_text(summary.p10_share),
                 factor(summary.geo_mean_speedup), factor(summary.worst_speedup),
                 factor(summary.best_speedup), cost.anchors ? count_text(std::int64_t(*cost.anchors)) : "-",
                 cost.fit_seconds ? fixed_text(*cost.fit_seconds, 3) : "-", decision_text(cost.decision_ns)});
}

std::string shape_text(const TileShape& shape) {
  return fmt::format("{} x {} x {}", shape.m, shape.n, shape.k);
}

}  // namespace

std::string tune_regret_text(const TuneRegretResult& result) {
  TextTable text({{"chooser", Align::Left},
                  {"shapes"},
                  {"share of best"},
                  {"worst"},
                  {"p10"},
                  {"against default"},
                  {"least"},
                  {"most"},
                  {"anchors"},
                  {"fit [s]"},
                  {"a decision"}});
  add_summary(text, result.wavetune ? "table (wavetune)" : "table", result.table, result.cost);
  if (result.seen_shapes > 0) add_summary(text, "with shapes seen before", result.with_seen);
  for (const MeasuredSummary& entry : result.measured)
    add_summary(text,
                fmt::format("{} more measured ({} a shape)", entry.candidates, fixed_text(entry.timings, 1)),
                entry.summary);
  for (const RegretOf& entry : result.baselines) add_summary(text, entry.name, entry.summary, entry.cost);
  std::vector<const ShapeRegret*> worst;
  for (const ShapeRegret& row : result.rows) worst.push_back(&row);
  std::stable_sort(worst.begin(), worst.end(),
                   [](const ShapeRegret* a, const ShapeRegret* b) { return a->share() < b->share(); });
  TextTable detail({{"m x n x k", Align::Left},
                    {"share"},
                    {"picked", Align::Left},
                    {"time [us]"},
                    {"predicted"},
                    {"best", Align::Left},
                    {"time [us]"}});
  for (std::size_t i = 0; i < std::min(kWorstRows, worst.size()); ++i) {
    const ShapeRegret& row = *worst[i];
    detail.add_row({shape_text(row.shape), percent_text(row.share()), config_text(row.picked),
                    fixed_text(row.picked_us, 2), fixed_text(row.predicted_us, 2), config_text(row.best),
                    fixed_text(row.best_us, 2)});
  }
  const std::string dropped =
      result.seen_shapes == 0
          ? ""
          : fmt::format("\nnot judged: {} shapes that were seen before\n", result.seen_shapes);
  return text.text() + dropped +
         fmt::format("\nmedian error of the picked configurations' predictions: {}\n\nworst shapes:\n",
                     percent_text(result.table.pick_error_median)) +
         detail.text();
}

Json tune_regret_json(const TuneRegretResult& result) {
  Json document = {{"method", name_of(result.wavetune ? TuneMethod::WaveTune : TuneMethod::Warploom)}};
  document.update(summary_json(result.table));
  add_cost(document, result.cost);
  document["seen"] = {{"shapes", result.seen_shapes}, {"with_them", summary_json(result.with_seen)}};
  for (const MeasuredSummary& entry : result.measured) {
    Json one = {{"timings", entry.timings}};
    one.update(summary_json(entry.summary));
    document["measured"][std::to_string(entry.candidates)] = std::move(one);
  }
  document["baselines"] = Json::object();
  for (const RegretOf& entry : result.baselines) {
    Json one = {{"how", entry.how}};
    one.update(summary_json(entry.summary));
    add_cost(one, entry.cost);
    document["baselines"][entry.name] = std::move(one);
  }
  document["rows"] = Json::array();
  for (const ShapeRegret& row : result.rows)
    document["rows"].push_back({{"m", row.shape.m},
                                {"n", row.shape.n},
                                {"k", row.shape.k},
                                {"picked", config_text(row.picked)},
                                {"best", config_text(row.best)},
                                {"share", row.share()},
                                {"picked_us", row.picked_us},
                                {"best_us", row.best_us},
                                {"predicted_us", row.predicted_us},
                                {"default_us", optional_json(row.default_us)},
                                {"library_us", optional_json(row.library_us)}});
  return document;
}

}  // namespace warploom
