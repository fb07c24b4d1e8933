#include "warploom/judge/report/ceiling_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string rows_text(std::size_t rows) { return count_text(static_cast<std::int64_t>(rows)); }

std::string share_table(const std::string& title, const std::vector<CeilingShare>& shares) {
  TextTable table({{title, Align::Left}, {"rows"}, {"above"}, {"flagged"}});
  for (const CeilingShare& share : shares)
    table.add_row(
        {share.name, rows_text(share.rows), percent_text(share.above_share()), rows_text(share.flagged)});
  return table.text();
}

std::string tuned_text(const TunedComparison& tuned) {
  TextTable table({{"GPU", Align::Left},
                   {"flagged"},
                   {"tuned rows"},
                   {"flagged of these"},
                   {"mean speed-up"},
                   {"geo-mean"}});
  for (const TunedGpu& gpu : tuned.gpus)
    table.add_row({gpu.gpu, rows_text(gpu.flagged), rows_text(gpu.matched), rows_text(gpu.matched_flagged),
                   fixed_text(gpu.mean_speedup, 3), fixed_text(gpu.geomean_speedup, 3)});
  return fmt::format(
      "\n{}\n{}Pearson over GPUs of the geo-mean speed-up with flagged rows {:.3f}, with the share flagged "
      "of "
      "the tuned rows {:.3f}\n",
      tuned.source, table.text(), tuned.pearson_flagged, tuned.pearson_matched);
}

Json shares_json(const std::vector<CeilingShare>& shares) {
  Json document = Json::object();
  for (const CeilingShare& share : shares)
    document[share.name] = {
        {"rows", share.rows}, {"above_share", share.above_share()}, {"flagged", share.flagged}};
  return document;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string counts_text(const CeilingCounts& counts) {
  std::string text = share_table("family", counts.families) + "\n" + share_table("GPU", counts.gpus);
  for (const TunedComparison& tuned : counts.tuned) text += tuned_text(tuned);
  for (const auto& [reason, rows] : counts.skipped)
    text += fmt::format("skipped {} rows: {}\n", rows_text(rows), reason);
  return text;
}

Json counts_json(const CeilingCounts& counts) {
  Json tuned = Json::array();
  for (const TunedComparison& comparison : counts.tuned) {
    Json gpus = Json::object();
    for (const TunedGpu& gpu : comparison.gpus)
      gpus[gpu.gpu] = {{"flagged", gpu.flagged},
                       {"tuned_rows", gpu.matched},
                       {"flagged_of_tuned", gpu.matched_flagged},
                       {"mean_speedup", gpu.mean_speedup},
                       {"geomean_speedup", gpu.geomean_speedup}};
    tuned.push_back({{"source", comparison.source},
                     {"gpus", std::move(gpus)},
                     {"pearson_flagged", number_or_null(comparison.pearson_flagged)},
                     {"pearson_matched", number_or_null(comparison.pearson_matched)}});
  }
  Json skipped = Json::array();
  for (const auto& [reason, rows] : counts.skipped) skipped.push_back({{"reason", reason}, {"rows", rows}});
  return {{"families", shares_json(counts.families)},
          {"gpus", shares_json(counts.gpus)},
          {"tuned", std::move(tuned)},
          {"skipped", std::move(skipped)}};
}

}  // namespace

std::string ceiling_validation_text(const CeilingValidation& validation) {
  std::string text = fmt::format("ceilings at q = {:.2f}; {}\n{:.0f} % of rows should lie above\n\n",
                                 validation.quantile, validation.split, 100 * (1 - validation.quantile));
  text += counts_text(validation);
  if (validation.published)
    text += "\nthe published quantile model on the same rows\n\n" + counts_text(*validation.published);
  return text;
}

Json ceiling_validation_json(const CeilingValidation& validation) {
  Json document = counts_json(validation);
  document["quantile"] = validation.quantile;
  document["split"] = validation.split;
  if (validation.published) document["published"] = counts_json(*validation.published);
  return document;
}

}  // namespace warploom
