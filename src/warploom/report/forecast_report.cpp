#include "warploom/report/forecast_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warploom/report/kernel_sources.h"
#include "warploom/report/number_text.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string ms(Seconds time) { return fixed_text(to_milliseconds(time), 2); }

std::string load_text(const ForecastResult& result) {
  const ObservedLoad& load = result.load;
  std::string text = fmt::format("{} on {} x {}, {}\n", result.model, result.gpus, result.gpu,
                                 host_text(result.engine, result.host_profile));
  text += fmt::format(
      "{} requests/s over {} s (by {}): {} input and {} output tokens in the mean; {} of prompts found in "
      "the prefix cache; {} running, {} waiting at the end\n\n",
      significant_text(load.rate), significant_text(load.window.value()), load.window_from,
      fixed_text(load.prompt.mean(), 0), fixed_text(load.output.mean(), 0), percent_text(load.hit_rate),
      fixed_text(load.running, 0), fixed_text(load.waiting, 0));
  return text;
}

std::string agreement_text(const ForecastResult& result) {
  TextTable table({{"engine side, as it is", Align::Left},
                   {"measured mean [ms]"},
                   {"simulated [ms]"},
                   {"off"},
                   {"measured p50 [ms]"},
                   {"simulated [ms]"}});
  std::string off;
  for (const ForecastAgreement& row : result.agreement) {
    table.add_row({row.metric, ms(row.measured), ms(row.simulated), percent_text(row.off()),
                   ms(row.measured_p50), ms(row.simulated_p50)});
    if (!row.agrees()) off += (off.empty() ? "" : ", ") + row.metric;
  }
  std::string text = table.text() + "\n";
  text += off.empty() ? "The simulation reproduces these metrics.\n"
                      : fmt::format(
                            "Warning: the simulation does not reproduce {}: is the deployment named as it "
                            "runs?\n",
                            off);
  if (result.calibrated)
    text += fmt::format(
        "Below, steps with prompts are multiplied by {} and those without by {}, with which the simulation "
        "has the measured means; half of what was off is in the intervals.\n",
        fixed_text(result.prompt_factor, 3), fixed_text(result.decode_factor, 3));
  return text + "\n";
}

std::string figure_text(const ForecastFigure& figure) {
  return fmt::format("{} ({} .. {})", ms(figure.mid), ms(figure.low), ms(figure.high));
}

std::string points_text(const ForecastResult& result) {
  TextTable table({{"load"},
                   {"requests/s"},
                   {"TTFT p50 [ms] (p10 .. p90)"},
                   {"TTFT p90 [ms]"},
                   {"TPOT mean [ms]"},
                   {"E2EL mean [ms]"},
                   {"tokens/s"},
                   {"tier", Align::Left}});
  std::string growing;
  const auto add = [&](const ForecastPoint& point) {
    table.add_row({significant_text(point.scale) + "x", significant_text(point.rate),
                   figure_text(point.ttft_p50), figure_text(point.ttft_p90), figure_text(point.tpot_mean),
                   figure_text(point.e2el_mean), fixed_text(point.output_throughput, 0),
                   std::string(name_of(point.trust.tier))});
    if (!point.keeps_up)
      growing += fmt::format(
          "At {}x the queue grows: the server does not keep up, and waits depend on how long "
          "the load lasts.\n",
          significant_text(point.scale));
  };
  add(result.now);
  for (const ForecastPoint& point : result.points) add(point);
  return table.text() + "\n" + growing + "As it is: " + trust_text(result.now.trust) + "\n";
}

// The first of those that take no more GPUs than the server has, else of those that take more.
const ForecastLever* best_lever(const ForecastResult& result, bool more_gpus) {
  for (const ForecastLever& lever : result.levers)
    if (lever.refused.empty() && (lever.gpus > result.gpus) == more_gpus) return &lever;
  return nullptr;
}

std::string best_levers_text(const ForecastResult& result) {
  const auto now = std::find_if(result.levers.begin(), result.levers.end(),
                                [](const ForecastLever& lever) { return lever.change == kAsItIs; });
  if (now == result.levers.end() || !now->refused.empty()) return {};
  const auto gain = [&](const ForecastLever& lever) { return 1 - lever.e2el_mean / now->e2el_mean; };
  constexpr double kLeastGain = 0.01;  // less is within what arrivals of another seed change
  const ForecastLever* flag = best_lever(result, false);
  std::string text = flag != nullptr && gain(*flag) >= kLeastGain
                         ? fmt::format("Of the same GPUs, {} helps most: E2EL {} shorter.\n", flag->change,
                                       percent_text(gain(*flag)))
                         : "No flag on the same GPUs shortens E2EL by 1 %.\n";
  if (const ForecastLever* more = best_lever(result, true); more != nullptr && gain(*more) >= kLeastGain)
    text += fmt::format("With {} GPUs, {}: E2EL {} shorter.\n", more->gpus, more->change,
                        percent_text(gain(*more)));
  return text;
}

std::string levers_text(const ForecastResult& result) {
  if (result.levers.empty()) return {};
  TextTable table({{"change, at the largest load", Align::Left},
                   {"GPUs"},
                   {"TTFT mean [ms]"},
                   {"TPOT mean [ms]"},
                   {"E2EL mean [ms]"},
                   {"tier", Align::Left}});
  std::string refused;
  for (const ForecastLever& lever : result.levers) {
    if (lever.refused.empty())
      table.add_row({lever.change, std::to_string(lever.gpus), ms(lever.ttft_mean), ms(lever.tpot_mean),
                     ms(lever.e2el_mean), std::string(name_of(lever.tier))});
    else
      refused += fmt::format("{} cannot be: {}\n", lever.change, lever.refused);
  }
  return table.text() + refused + best_levers_text(result);
}

Json figure_json(const ForecastFigure& figure) {
  return {{"p50", to_milliseconds(figure.mid)},
          {"p10", to_milliseconds(figure.low)},
          {"p90", to_milliseconds(figure.high)}};
}

Json point_json(const ForecastPoint& point) {
  Json document{{"scale", point.scale},
                {"request_rate", point.rate},
                {"mean_ttft_ms", figure_json(point.ttft_mean)},
                {"median_ttft_ms", figure_json(point.ttft_p50)},
                {"p90_ttft_ms", figure_json(point.ttft_p90)},
                {"mean_tpot_ms", figure_json(point.tpot_mean)},
                {"mean_e2el_ms", figure_json(point.e2el_mean)},
                {"output_throughput", point.output_throughput},
                {"keeps_up", point.keeps_up}};
  add_trust(document, point.trust);
  return document;
}

Json lever_json(const ForecastLever& lever) {
  if (!lever.refused.empty()) return {{"change", lever.change}, {"refused", lever.refused}};
  return {{"change", lever.change},
          {"gpus", lever.gpus},
          {"mean_ttft_ms", to_milliseconds(lever.ttft_mean)},
          {"mean_tpot_ms", to_milliseconds(lever.tpot_mean)},
          {"mean_e2el_ms", to_milliseconds(lever.e2el_mean)},
          {"tier", name_of(lever.tier)}};
}

Json load_json(const ObservedLoad& load) {
  return {{"request_rate", load.rate},
          {"requests", load.requests},
          {"window_s", load.window.value()},
          {"window_from", load.window_from},
          {"input_tokens_mean", load.prompt.mean()},
          {"output_tokens_mean", load.output.mean()},
          {"prefix_hit_rate", load.hit_rate},
          {"running", load.running},
          {"waiting", load.waiting}};
}

}  // namespace

std::string forecast_text(const ForecastResult& result) {
  std::string text = load_text(result) + agreement_text(result) + points_text(result);
  const std::string levers = levers_text(result);
  return levers.empty() ? text : text + "\n" + levers;
}

Json forecast_json(const ForecastResult& result) {
  Json agreement = Json::array(), points = Json::array(), levers = Json::array();
  for (const ForecastAgreement& row : result.agreement)
    agreement.push_back({{"metric", row.metric},
                         {"measured_ms", to_milliseconds(row.measured)},
                         {"simulated_ms", to_milliseconds(row.simulated)},
                         {"measured_p50_ms", to_milliseconds(row.measured_p50)},
                         {"simulated_p50_ms", to_milliseconds(row.simulated_p50)},
                         {"off", row.off()},
                         {"agrees", row.agrees()}});
  for (const ForecastPoint& point : result.points) points.push_back(point_json(point));
  for (const ForecastLever& lever : result.levers) levers.push_back(lever_json(lever));
  return {{"model", result.model},
          {"gpu", result.gpu},
          {"gpus", result.gpus},
          {"engine", result.engine},
          {"host_profile", result.host_profile},
          {"load", load_json(result.load)},
          {"agreement", std::move(agreement)},
          {"ttft_residual", result.ttft_residual},
          {"tpot_residual", result.tpot_residual},
          {"calibrated", result.calibrated},
          {"prompt_step_factor", result.prompt_factor},
          {"decode_step_factor", result.decode_factor},
          {"now", point_json(result.now)},
          {"forecast", std::move(points)},
          {"levers", std::move(levers)}};
}

}  // namespace warploom
