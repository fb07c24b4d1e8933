// What a benchmark says of a plan's promise.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "warploom/report/number_text.h"
#include "warploom/report/plan_report.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string figure_or_dash(double value) { return value > 0 ? significant_text(value) : "-"; }
Json figure_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

}  // namespace

std::string plan_check_text(const PlanCheck& check) {
  TextTable table(
      {{"figure", Align::Left}, {"promised"}, {"kernels at p90"}, {"measured"}, {"limit"}, {"error"}});
  for (const CheckedFigure& figure : check.figures)
    table.add_row({figure.name, significant_text(figure.promised), figure_or_dash(figure.pessimistic),
                   significant_text(figure.measured), figure_or_dash(figure.limit),
                   percent_text(figure.error())});
  const std::string unjudged = check.unjudged.empty() ? ""
                                                      : fmt::format("\nnot told by such a result: {}\n",
                                                                    fmt::join(check.unjudged, ", "));
  const std::string unlike =
      check.unlike.empty() ? "" : fmt::format("NOT THE PLAN'S LOAD: {}\n", fmt::join(check.unlike, "; "));
  return fmt::format("{}{} measured by {}: {:.4g} a second, promised {:.4g}; the limits are {}\n\n{}{}",
                     unlike, counted(check.requests, "request"), check.generator, check.measured_rate,
                     check.promised_rate, check.kept ? "kept" : "MISSED", table.text(), unjudged);
}

Json plan_check_json(const PlanCheck& check) {
  Json document = {{"generator", check.generator},
                   {"requests", check.requests},
                   {"promised_rate", check.promised_rate},
                   {"measured_rate", check.measured_rate},
                   {"kept", check.kept},
                   {"figures", Json::array()}};
  if (!check.unjudged.empty()) document["unjudged"] = check.unjudged;
  if (!check.unlike.empty()) document["unlike"] = check.unlike;
  for (const CheckedFigure& figure : check.figures)
    document["figures"].push_back({{"name", figure.name},
                                   {"promised", figure.promised},
                                   {"pessimistic", figure_or_null(figure.pessimistic)},
                                   {"measured", figure.measured},
                                   {"limit", figure_or_null(figure.limit)}});
  return document;
}

}  // namespace warploom
