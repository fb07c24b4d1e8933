#include "warploom/judge/report/validation_report.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "warploom/base/statistics.h"
#include "warploom/judge/report/client_side_report.h"
#include "warploom/judge/report/comparison_json.h"
#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"
#include "warploom/report/work_cost_report.h"

namespace warploom {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void add_comparison(Json& document, const std::string& name, const std::optional<Comparison>& figure) {
  document["measured_" + name + "_ms"] = figure ? figure->measured : kNone;
  document["predicted_" + name + "_ms"] = figure ? figure->predicted : kNone;
  document[name + "_error"] = figure ? figure->error() : kNone;
}

std::string error_cell(const std::optional<Comparison>& figure) {
  return figure ? percent_text(figure->bias()) : "-";
}

std::string value_cell(const std::optional<Comparison>& figure, double Comparison::*which) {
  return figure ? fixed_text((*figure).*which, 1) : "-";
}

std::string static_means_text(const StaticErrors& means) {
  return fmt::format("prefill {}, decode {}, total {}", percent_text(mean(means.prefill.errors)),
                     percent_text(mean(means.decode.errors)), percent_text(mean(means.total.errors)));
}

std::string static_baselines_text(const std::vector<StaticBaseline>& baselines) {
  std::string text;
  for (const StaticBaseline& baseline : baselines)
    text +=
        fmt::format("{}: {}; {} of the time from the roofline, for want of a model\n", baseline.name,
                    static_means_text(static_errors(baseline.rows)), percent_text(baseline.roofline_share));
  return text.empty() ? text : "\nmean error of published methods, without a host:\n" + text;
}

Json static_rows_json(const std::vector<StaticValidationRow>& list) {
  Json rows = Json::array();
  for (const StaticValidationRow& row : list) {
    Json entry = {{"hardware", row.hardware},
                  {"tp", row.tp},
                  {"pp", row.pp},
                  {"engine", row.engine},
                  {"model", row.model},
                  {"expert_routing", row.expert_routing},
                  {"workload", row.workload},
                  {"batch_size", row.batch},
                  {"tier", name_of(row.tier)}};
    add_comparison(entry, "prefill", row.prefill);
    add_comparison(entry, "decode", row.decode);
    add_comparison(entry, "total", row.total);
    entry["predicted_total_p10_ms"] = row.total_p10;
    entry["predicted_total_p90_ms"] = row.total_p90;
    entry["predicted_host_ms"] = row.host;
    entry["predicted_collectives_ms"] = row.collectives;
    rows.push_back(std::move(entry));
  }
  return rows;
}

Json static_means_json(const StaticErrors& means, std::vector<double> PhaseErrors::*which) {
  return {{"prefill", mean(means.prefill.*which)},
          {"decode", mean(means.decode.*which)},
          {"total", mean(means.total.*which)}};
}

}  // namespace

std::string static_validation_text(const StaticValidation& validation) {
  TextTable table({{"hardware", Align::Left},
                   {"tp x pp"},
                   {"engine", Align::Left},
                   {"model", Align::Left},
                   {"workload", Align::Left},
                   {"prefill [ms]"},
                   {"bias"},
                   {"decode [ms]"},
                   {"bias"},
                   {"total [ms]"},
                   {"bias"}});
  for (const StaticValidationRow& row : validation.rows) {
    table.add_row({row.hardware, fmt::format("{} x {}", row.tp, row.pp), row.engine, row.model, row.workload,
                   value_cell(row.prefill, &Comparison::measured), error_cell(row.prefill),
                   value_cell(row.decode, &Comparison::measured), error_cell(row.decode),
                   fixed_text(row.total.measured, 1), error_cell(row.total)});
  }
  const StaticErrors means = static_errors(validation.rows);
  return table.text() +
         fmt::format("\nmean error: {}; {} of the totals inside p10 .. p90\n", static_means_text(means),
                     percent_text(means.coverage)) +
         (validation.left_out > 0 ? fmt::format("{} left out: too little of them is measured\n",
                                                counted(std::int64_t(validation.left_out), "row"))
                                  : "") +
         static_baselines_text(validation.baselines);
}

Json static_validation_json(const StaticValidation& validation) {
  const StaticErrors means = static_errors(validation.rows);
  Json document = {{"rows", static_rows_json(validation.rows)},
                   {"mean", static_means_json(means, &PhaseErrors::errors)},
                   {"bias", static_means_json(means, &PhaseErrors::biases)},
                   {"coverage", means.coverage}};
  if (validation.left_out > 0) document["left_out"] = validation.left_out;
  for (const StaticBaseline& baseline : validation.baselines) {
    const StaticErrors errors = static_errors(baseline.rows);
    document["baselines"][baseline.name] = {{"rows", static_rows_json(baseline.rows)},
                                            {"mean", static_means_json(errors, &PhaseErrors::errors)},
                                            {"bias", static_means_json(errors, &PhaseErrors::biases)},
                                            {"roofline_share", baseline.roofline_share}};
    document["baselines"][baseline.name].update(work_cost_json(baseline.training));
  }
  return document;
}

std::string serving_validation_text(const ServingValidation& validation) {
  std::string text =
      fmt::format("{} on {} x {}, {}{}: {} requests, {} KV blocks, tier {}\n\n", validation.model,
                  validation.gpus, validation.gpu, host_text(validation.engine, validation.host_profile),
                  routing_text(validation.expert_routing), validation.requests,
                  count_text(validation.kv_blocks), name_of(validation.tier));
  if (validation.client) text.insert(text.size() - 1, client_side_text(*validation.client));
  TextTable table({{"figure", Align::Left}, {"measured"}, {"predicted"}, {"bias"}});
  const auto add = [&](const std::string& name, const Comparison& figure) {
    table.add_row(
        {name, fixed_text(figure.measured, 2), fixed_text(figure.predicted, 2), percent_text(figure.bias())});
  };
  for (const ServingFigure& row : validation.latencies)
    add(row.metric + " " + row.statistic + " [ms]", row.figure);
  if (validation.client)
    for (const ServingFigure& row : validation.client->engine_ttft)
      add(row.metric + " " + row.statistic + ", engine alone [ms]", row.figure);
  add("duration [s]", validation.duration);
  add("output tokens/s", validation.output_throughput);
  add("requests/s", validation.request_throughput);
  text += table.text();
  text += "\n";
  if (validation.client) text += frontend_share_text(*validation.client, validation.latencies.front().figure);
  const std::string order =
      validation.start_order_correlation
          ? "; rank correlation of start order " + fixed_text(*validation.start_order_correlation, 3)
          : "";
  text +=
      fmt::format("mean error of each request's TPOT {}{}; host {} of the steps\n\n",
                  percent_text(validation.tpot_request_error), order, percent_text(validation.host_share));
  TextTable kernels({{"kernel", Align::Left}, {"family", Align::Left}, {"time [s]"}});
  for (const LabelledKernel& kernel : kernels_by_label(validation.kernels)) {
    kernels.add_row({kernel.label, std::string(name_of(kernel.family)), fixed_text(kernel.time.value(), 3)});
  }
  return text + kernels.text();
}

Json serving_validation_json(const ServingValidation& validation) {
  Json kernels = Json::array();
  for (const LabelledKernel& kernel : kernels_by_label(validation.kernels)) {
    kernels.push_back({{"label", kernel.label},
                       {"family", name_of(kernel.family)},
                       {"time_s", kernel.time.value()},
                       {"calls", kernel.calls}});
  }
  Json document = {{"model", validation.model},
                   {"gpu", validation.gpu},
                   {"gpus", validation.gpus},
                   {"engine", validation.engine},
                   {"expert_routing", validation.expert_routing},
                   {"host_profile", validation.host_profile},
                   {"requests", validation.requests},
                   {"kv_blocks", validation.kv_blocks},
                   {"tier", name_of(validation.tier)},
                   {"metrics", metrics_json(validation.latencies)},
                   {"duration", comparison_json(validation.duration, "_s")},
                   {"output_throughput", comparison_json(validation.output_throughput, "")},
                   {"request_throughput", comparison_json(validation.request_throughput, "")},
                   {"tpot_request_error", validation.tpot_request_error},
                   {"start_order_correlation",
                    validation.start_order_correlation ? Json(*validation.start_order_correlation) : Json()},
                   {"host_share", validation.host_share},
                   {"kernel_time", std::move(kernels)}};
  if (validation.client) document["client"] = client_side_json(*validation.client);
  return document;
}

}  // namespace warploom
