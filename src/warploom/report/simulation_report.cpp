#include "warploom/report/simulation_report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/report/client_way.h"
#include "warploom/report/deployment_report.h"
#include "warploom/report/image_report.h"
#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

bool has_limits(const Slo& slo) { return slo.ttft || slo.tpot || slo.e2el; }

// Share of the completed requests.
double attainment(const Slo& slo, const SimulationResult& result) {
  return double(requests_meeting(slo, result.requests)) /
         double(std::max<std::int64_t>(1, result.metrics.completed));
}

double hit_rate(const SimulationResult& result) {
  return double(result.cached_tokens) / double(std::max<std::int64_t>(1, result.metrics.total_input_tokens));
}

std::string ms(Seconds time) { return fixed_text(to_milliseconds(time), 2); }

std::string between(const std::string& low, const std::string& high) { return low + " .. " + high; }

std::string percentile_table(const RunLabel& label, const SimulationResult& result,
                             const std::optional<RunInterval>& interval) {
  TextTable table(
      {{"latency [ms]", Align::Left}, {"mean"}, {"p50"}, {"p90"}, {"p95"}, {"p99"}, {"mean, p10 .. p90"}});
  const auto add = [&](const char* name, LatencySummary ServingMetrics::*which) {
    const LatencySummary& s = result.metrics.*which;
    table.add_row({name, ms(s.mean), ms(s.p50), ms(s.p90), ms(s.p95), ms(s.p99),
                   interval ? between(ms((interval->low.*which).mean), ms((interval->high.*which).mean))
                            : std::string("-")});
  };
  if (label.way.frontend_latency > Seconds(0.0) || label.way.frontend_per_token > Seconds(0.0))
    add("TTFT, client side", &ServingMetrics::ttft);
  add("TTFT, engine side", &ServingMetrics::engine_ttft);
  add("TPOT", &ServingMetrics::tpot);
  add("ITL", &ServingMetrics::itl);
  add("E2EL", &ServingMetrics::e2el);
  return table.text();
}

std::string throughput_table(const RunLabel& label, const SimulationResult& result,
                             const std::optional<RunInterval>& interval) {
  TextTable table({{"throughput", Align::Left}, {"value"}, {"p10 .. p90 of the kernels"}});
  const auto add = [&](const char* name, double ServingMetrics::*which, double scale) {
    table.add_row({name, fixed_text(result.metrics.*which * scale, 2),
                   interval ? between(fixed_text(interval->high.*which * scale, 2),
                                      fixed_text(interval->low.*which * scale, 2))
                            : std::string("-")});
  };
  const double per_gpu = 1.0 / static_cast<double>(label.gpus);
  add("requests/s", &ServingMetrics::request_throughput, 1.0);
  add("output tokens/s", &ServingMetrics::output_throughput, 1.0);
  add("total tokens/s", &ServingMetrics::total_token_throughput, 1.0);
  add("output tokens/s per GPU", &ServingMetrics::output_throughput, per_gpu);
  return table.text();
}

std::string kernel_table(const SimulationResult& result) {
  TextTable table({{"kernel", Align::Left},
                   {"family", Align::Left},
                   {"time [s]"},
                   {"share"},
                   {"mean call"},
                   {"tier", Align::Left},
                   {"answered by", Align::Left}});
  const double total = (result.totals.gpu_p50 + result.totals.host).value();
  for (const LabelledKernel& kernel : kernels_by_label(result.kernels)) {
    table.add_row({kernel.label, std::string(name_of(kernel.family)), fixed_text(kernel.time.value(), 3),
                   percent_text(kernel.time.value() / total), duration_text(kernel.time / kernel.calls),
                   std::string(name_of(weakest_tier(kernel.parts))), source_text(kernel)});
  }
  table.add_row({"host", "-", fixed_text(result.totals.host.value(), 3),
                 percent_text(result.totals.host.value() / total),
                 duration_text(result.totals.host /
                               static_cast<double>(std::max<std::int64_t>(1, result.totals.steps))),
                 "-", "-"});
  return table.text();
}

// What is said of each completed request, in the order of the workload; times in seconds.
struct RequestColumn {
  const char* name;
  Json (*value)(const RequestRecord&);
};
constexpr std::array<RequestColumn, 11> kRequestColumns{{
    {"input_lens", [](const RequestRecord& r) { return Json(r.input_tokens); }},
    {"output_lens", [](const RequestRecord& r) { return Json(r.output_tokens); }},
    {"ttfts", [](const RequestRecord& r) { return Json(r.ttft().seconds().value()); }},
    {"latencies", [](const RequestRecord& r) { return Json(r.e2el().seconds().value()); }},
    {"start_times", [](const RequestRecord& r) { return Json(r.arrival.seconds().value()); }},
    {"tpots", [](const RequestRecord& r) { return Json(r.tpot().value()); }},
    {"waiting_times",
     [](const RequestRecord& r) { return Json((r.scheduled - r.queued).seconds().value()); }},
    {"request_instances", [](const RequestRecord& r) { return Json(r.replica); }},
    {"request_decode_instances",
     [](const RequestRecord& r) { return r.decode_replica < 0 ? Json(nullptr) : Json(r.decode_replica); }},
    {"request_preemptions", [](const RequestRecord& r) { return Json(r.preemptions); }},
    {"request_cached_tokens", [](const RequestRecord& r) { return Json(r.cached_tokens); }},
}};

void add_request_arrays(Json& document, std::span<const RequestRecord> records) {
  for (const RequestColumn& column : kRequestColumns) {
    Json& list = document[column.name] = Json::array();
    for (const RequestRecord& record : records)
      if (record.completed()) list.push_back(column.value(record));
  }
}

Json kernel_json(const SimulationResult& result) {
  Json list = Json::array();
  for (const LabelledKernel& kernel : kernels_by_label(result.kernels)) {
    list.push_back({{"label", kernel.label},
                    {"family", name_of(kernel.family)},
                    {"time_s", kernel.time.value()},
                    {"calls", kernel.calls},
                    {"stands_in", any_stands_in(kernel.parts)}});
  }
  return list;
}

Json family_json(const SimulationResult& result) {
  Json families = Json::object();
  for (const KernelTime& kernel : result.kernels) {
    Json& sum = families[std::string(name_of(kernel.family))];
    sum = (sum.is_null() ? 0.0 : sum.get<double>()) + kernel.time.value();
  }
  return families;
}

// What runs at least once in every layer, for a layer of the mean.
double layer_time(const RunLabel& label, const SimulationResult& result) {
  double sum = 0;
  for (const LabelledKernel& kernel : kernels_by_label(result.kernels))
    if (!kernel.label.starts_with("draft ") && kernel.calls >= 1.5 * double(result.totals.steps))
      sum += kernel.time.value();
  return sum / double(std::max<std::int64_t>(1, label.layers));
}

Json timeline_json(const SimulationResult& result) {
  Json list = Json::array();
  for (const TimelineSample& sample : result.timeline) {
    list.push_back({{"time_s", sample.time.seconds().value()},
                    {"running", sample.running},
                    {"waiting", sample.waiting},
                    {"kv_use", sample.kv_use},
                    {"batch_tokens", sample.batch_tokens},
                    {"preemptions", sample.preemptions},
                    {"instances", sample.instances}});
  }
  return list;
}

// What else became of the requests: empty where all were completed whole.
std::string unserved_text(const SimulationResult& result) {
  std::string text;
  const auto add = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format(", {} {}", count_text(count), what);
  };
  add(result.rejected, "rejected as too long");
  add(result.cut, "cut short");
  add(result.turned_away, "turned away");
  add(result.timed_out, "timed out");
  return text;
}

}  // namespace

std::string simulation_text(const RunLabel& label, const SimulationResult& result,
                            const std::optional<RunInterval>& interval, const Slo& slo) {
  const ServingMetrics& metrics = result.metrics;
  std::string text = result.partial ? "STOPPED EARLY, partial results: " : "";
  text += fmt::format("{} on {}, {}{}, {}\n", label.model, hardware_text(label),
                      host_text(label.engine, label.host_profile), routing_text(label.expert_routing),
                      label.workload);
  text +=
      fmt::format("{} requests completed{} in {} ({} steps, {} preemptions); {}\n\n",
                  count_text(metrics.completed), unserved_text(result), duration_text(metrics.duration),
                  count_text(result.totals.steps), count_text(result.preemptions), trust_text(label.trust));
  text += percentile_table(label, result, interval) + client_way_text(label.way) + "\n";
  text += throughput_table(label, result, interval) + "\n";
  if (has_limits(slo)) {
    const double share = attainment(slo, result);
    text += fmt::format("goodput {} requests/s: {} of the completed requests meet the limits\n\n",
                        fixed_text(share * metrics.request_throughput, 2), percent_text(share));
  }
  if (result.cached_tokens > 0)
    text +=
        fmt::format("prefix cache: {} of {} prompt tokens found ({})\n\n", count_text(result.cached_tokens),
                    count_text(metrics.total_input_tokens), percent_text(hit_rate(result)));
  text += thinking_text(result) + image_text(label, result);
  return text + deployment_text(label, result) + kernel_table(result);
}

void erase_request_arrays(Json& document) {
  for (const RequestColumn& column : kRequestColumns) document.erase(column.name);
}

Json simulation_json(const RunLabel& label, const SimulationResult& result,
                     const std::optional<RunInterval>& interval, bool details, const Slo& slo) {
  Json document = to_json(result.metrics);
  document["model"] = label.model;
  document["gpu"] = label.gpu;
  document["gpus"] = label.gpus;
  document["engine"] = label.engine;
  document["expert_routing"] = label.expert_routing;
  document["host_profile"] = label.host_profile;
  document["workload"] = label.workload;
  add_client_way(document, label.way);
  document["num_prompts"] = result.requests.size();
  document["request_rate"] = std::isinf(label.request_rate) ? Json("inf") : Json(label.request_rate);
  document["max_concurrency"] = nullptr;
  if (label.max_concurrency) document["max_concurrency"] = *label.max_concurrency;
  add_trust(document, label.trust);
  document["partial"] = result.partial;
  document["preemptions"] = result.preemptions;
  document["kv_blocks"] = result.kv_blocks;
  document["cached_tokens"] = result.cached_tokens;
  document["prefix_hit_rate"] = hit_rate(result);
  if (has_limits(slo)) {
    const double share = attainment(slo, result);
    document["slo_attainment"] = share;
    document["request_goodput"] = share * result.metrics.request_throughput;
  }
  document["interval"] = nullptr;
  if (interval) document["interval"] = {{"low", to_json(interval->low)}, {"high", to_json(interval->high)}};
  add_deployment(document, label, result);
  add_image_figures(document, label, result);
  add_thinking_figures(document, result);
  const StepTotals& totals = result.totals;
  document["step_totals"] = {{"steps", totals.steps},
                             {"tokens", totals.tokens},
                             {"gpu_p10_s", totals.gpu_p10.value()},
                             {"gpu_p50_s", totals.gpu_p50.value()},
                             {"gpu_p90_s", totals.gpu_p90.value()},
                             {"collectives_s", totals.collectives.value()},
                             {"host_s", totals.host.value()}};
  document["kernel_time"] = kernel_json(result);
  document["kernel_sources"] = kernel_sources_json(result.kernels);
  document["family_time_s"] = family_json(result);
  document["mean_layer_time_s"] = layer_time(label, result);
  document["timeline"] = timeline_json(result);
  if (details) add_request_arrays(document, result.requests);
  return document;
}

}  // namespace warploom
