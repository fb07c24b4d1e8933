#include "warploom/report/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "warploom/report/fitted_text.h"
#include "warploom/report/number_text.h"
#include "warploom/report/plan_front.h"
#include "warploom/report/plan_words.h"
#include "warploom/report/text_table.h"

namespace warploom {
namespace {

std::string dollars(double value) { return fmt::format("{:.2f}", value); }

std::string limits_text(const PlanResult& plan) {
  std::vector<std::string> words;
  for (const SloLimit& limit : plan.level.limits)
    words.push_back(fmt::format("{} {} <= {:g} ms", name_of(limit.metric), name_of(limit.statistic),
                                to_milliseconds(limit.limit)));
  const auto add_share = [&](std::string_view whose, const Slo& slo) {
    std::vector<std::string> parts;
    const auto add = [&](const char* name, const std::optional<Seconds>& limit) {
      if (limit) parts.push_back(fmt::format("{} {:g} ms", name, to_milliseconds(*limit)));
    };
    add("ttft", slo.ttft);
    add("tpot", slo.tpot);
    add("e2el", slo.e2el);
    words.push_back(fmt::format("{} of {} within {}", percent_text(plan.level.goodput_share), whose,
                                fmt::join(parts, ", ")));
  };
  if (plan.level.has_goodput()) add_share("the requests", plan.level.goodput);
  for (const ClassLimits& each : plan.level.classes) add_share("class " + each.name, each.limits);
  return fmt::format("{}, as the {} measures", fmt::join(words, "; "), name_of(plan.measured_at));
}

std::string load_text(const PlanResult& plan) {
  std::string text =
      fmt::format("{}: {}, {:.0f} tokens in and {:.0f} out on average", plan.workload,
                  plan.load.open_ended ? "without an end" : counted(plan.load.requests, "request"),
                  plan.load.mean_input, plan.load.mean_output);
  if (plan.find_max_rate) return text + ", at the highest rate";
  return text + (plan.load.in_flight > 0 ? fmt::format(", {} in flight", plan.load.in_flight)
                                         : fmt::format(", {:.3g} a second", plan.load.rate));
}

std::string money_text(const PlanResult& plan, const PlanPoint& point) {
  if (!plan.priced) return "";
  return fmt::format(", ${}/h, ${}/M output tokens (prompts ${}/M and outputs ${}/M, by their GPU time)",
                     dollars(point.dollars_per_hour), dollars(point.dollars_per_million_output),
                     significant_text(point.input_price), significant_text(point.output_price));
}

std::string rented_text(const PlanPoint& point) {
  const RentedGpus& rented = point.rented;
  if (rented.nodes == 0) return "";
  return fmt::format("{:>14} rented: {} = {}; the plan uses {}\n", "", counted(rented.gpus(), "GPU"),
                     counted(rented.nodes, "node"),
                     rented.gpus() == point.gpus ? "all" : std::to_string(point.gpus));
}

// What is paid for each part, where they are rented in different ways.
std::string shares_text(const PlanPoint& point) {
  std::string text;
  if (point.shares.size() < 2) return text;
  for (const RentedShare& share : point.shares) {
    const std::int64_t instances = share.fleet.instances + share.fleet.decode;
    if (instances == 0) continue;
    text +=
        fmt::format("{:>14} {}: {}, {}, ${}/h{}\n", "", name_of(share.kind), counted(instances, "instance"),
                    counted(share.rented.gpus(), "GPU"), dollars(share.dollars),
                    share.kind == PriceKind::Spot ? "; may be taken back at any time" : "");
  }
  return text;
}

std::string room_text(const PlanPoint& point) {
  if (!point.room) return "";
  std::string text = fmt::format("{:>14} room: {}", "", counted(point.room->nodes, "node"));
  if (point.room->power_kw) text += fmt::format(", {:.4g} kW at most", *point.room->power_kw);
  if (point.room->racks) text += ", " + counted(*point.room->racks, "rack");
  return text + "\n";
}

std::string best_text(const PlanResult& plan, const char* what, const std::optional<std::size_t>& rank) {
  if (!rank) return fmt::format("{} none in the space\n", what);
  const PlanPoint& point = plan.search.points[*rank];
  return fmt::format("{} {}\n{:>14} {}{}{}\n{}{}{}", what,
                     deployment_words(plan.labels[*rank], point.configuration, point.fleet), "",
                     counted(point.gpus, "GPU"), money_text(plan, point),
                     plan.find_max_rate ? fmt::format(", {:.3g} requests/s", point.rate) : "",
                     rented_text(point), shares_text(point), room_text(point));
}

// How long the run behind a point was, and what that leaves open.
std::string run_text(const RunLength& length) {
  std::string run = fmt::format("{}, {:.0f} s judged, {:.3g} lives of a request",
                                counted(length.requests, "request"), length.window.value(), length.lives);
  switch (length.steadiness) {
    case Steadiness::Steady:
      return fmt::format("steady: {}, at most {} of the arrivals pile up", run,
                         percent_text(std::max(0.0, length.growth_high)));
    case Steadiness::Growing:
      return fmt::format("GROWING: {}, {} of the arrivals pile up", run, percent_text(length.growth));
    case Steadiness::TooShort:
      return fmt::format(
          "TOO SHORT to be judged steady: {}, expected at least {:.0f}; more `requests` tell, "
          "or none said",
          run, kLeastLives);
    case Steadiness::Unsettled:
      return fmt::format("NOT SETTLED: {}, {} to {} of the arrivals pile up", run,
                         percent_text(length.growth_low), percent_text(length.growth_high));
  }
  return run;
}

// What the draws of the load say of a finalist.
std::string seeds_text(const PlanResult& plan, const char* what, const std::optional<LoadSpread>& spread) {
  if (!spread) return "";
  std::vector<std::string> figures;
  for (const DrawnFigure& each : spread->figures) {
    if (!(each.limit > 0) && !each.name.ends_with("p95_ms")) continue;
    figures.push_back(fmt::format("{} {:.4g} to {:.4g}", each.name, each.low, each.high));
    if (each.limit > 0)
      figures.back() +=
          fmt::format(" (mean {:.4g}, 90 % sure {:.4g}, limit {:.4g})", each.mean, each.sure, each.limit);
  }
  std::string text =
      fmt::format("{} over seeds {} to {}: {}", what, plan.first_seed,
                  plan.first_seed + std::uint64_t(spread->draws) - 1, fmt::join(figures, ", "));
  if (const auto& each = spread->instances)
    text += each->low == each->high
                ? fmt::format("; each alone asks for {}", counted(each->low, "instance"))
                : fmt::format("; one alone asks for {} to {} instances", each->low, each->high);
  return text + "\n";
}

std::string use_text(const LimitUse& use) {
  return use.name.empty() ? "no limit" : fmt::format("{} {}", use.name, percent_text(use.use));
}

// The lines of a table with one below each row: what is too long for a column of 80.
std::string with_lines_below(const std::string& table, const std::vector<std::string>& below) {
  std::istringstream lines(table);
  std::string text, line;
  for (int i = 0; i < 2 && std::getline(lines, line); ++i) text += line + "\n";  // titles and rule
  for (const std::string& words : below)
    if (std::getline(lines, line)) text += fmt::format("{}\n   {}\n", line, words);
  return text;
}

std::string ranking(const PlanResult& plan, std::size_t rows) {
  std::vector<TableColumn> columns{{"#"}, {"GPUs"}};
  const bool by_node = std::any_of(plan.search.points.begin(), plan.search.points.end(),
                                   [](const PlanPoint& point) { return point.rented.nodes > 0; });
  if (by_node) columns.push_back({"rented"});
  if (plan.find_max_rate) columns.push_back({"req/s"});
  if (plan.priced) columns.insert(columns.end(), {{"$/h"}, {"$/M out"}});
  columns.insert(columns.end(),
                 {{"tok/s/GPU"}, {"/user"}, {"TTFT p95"}, {"TPOT p95"}, {"sure", Align::Left}});
  TextTable table(columns);
  const bool differ = std::any_of(plan.labels.begin(), plan.labels.end(),
                                  [](const PlanLabel& label) { return label.by_structure; });
  std::vector<std::string> below;
  for (std::size_t i = 0; i < std::min(rows, plan.search.points.size()); ++i) {
    const PlanPoint& point = plan.search.points[i];
    std::vector<std::string> cells{std::to_string(i + 1), std::to_string(point.gpus)};
    if (by_node) cells.push_back(std::to_string(point.rented.gpus()));
    if (plan.find_max_rate) cells.push_back(significant_text(point.rate));
    if (plan.priced) {
      cells.push_back(dollars(point.dollars_per_hour));
      cells.push_back(dollars(point.dollars_per_million_output));
    }
    const ServingMetrics& metrics = point.figures.metrics;
    for (std::string& cell : std::vector<std::string>{
             significant_text(point.tokens_per_s_per_gpu), significant_text(point.tokens_per_s_per_user),
             duration_text(metrics.ttft.p95), duration_text(metrics.tpot.p95),
             point.confident ? "90 %" : "median"})
      cells.push_back(std::move(cell));
    table.add_row(std::move(cells));
    below.push_back(fmt::format("{}; {}{}",
                                deployment_words(plan.labels[i], point.configuration, point.fleet),
                                use_text(binding_limit(plan.level, point.figures)),
                                differ ? "; " + rests_words(plan.labels[i]) : std::string()));
  }
  std::string text = with_lines_below(table.text(), below);
  if (plan.search.points.size() > rows)
    text += fmt::format("... and {} more (--json lists all)\n", plan.search.points.size() - rows);
  return text;
}

// Where another run as long may have the figure.
std::string of_another_run(const LimitUse& use) {
  return use.high > use.low ? fmt::format(" ({:.4g} to {:.4g} in another such run)", use.low, use.high)
                            : std::string();
}

// A deployment that keeps the limits in this run and perhaps not in the next.
std::string only_just(const WhatIf& answer) {
  const LimitUse& use = answer.binding;
  if (!answer.meets || use.high <= use.limit) return {};
  return fmt::format(", up to {} in another such run", percent_text(use.high / use.limit));
}

std::string what_if_text(const PlanResult& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.what_ifs.size(); ++i) {
    const WhatIf& answer = plan.what_ifs[i];
    const PlanPoint& point = *answer.point;
    text += fmt::format("{}: {}, {}{}: {} ({}{})\n", answer.question,
                        deployment_words(plan.what_if_labels[i], point.configuration, point.fleet),
                        counted(point.gpus, "GPU"),
                        plan.priced ? fmt::format(", ${}/h", dollars(point.dollars_per_hour)) : "",
                        answer.meets ? "meets the limits" : "misses the limits", use_text(answer.binding),
                        only_just(answer));
  }
  return text;
}

std::string nothing_text(const PlanResult& plan) {
  std::string text = "No deployment of the space meets the limits.\n";
  if (!plan.contradiction.empty()) text += plan.contradiction + "\n";
  if (plan.search.nearest) {
    const NearMiss& near = *plan.search.nearest;
    const std::string words = deployment_words(plan.nearest_label, near.configuration, near.fleet);
    text += near.binding.figure <= near.binding.limit && near.binding.name == kBacklogGrowth
                ? fmt::format("nearest: {}: its run came to no steady state; --seeds 5 has more\n", words)
                : fmt::format("nearest: {}: {} is {:.4g}, the limit {:.4g}\n", words, near.binding.name,
                              near.binding.figure, near.binding.limit);
  }
  return text;
}

std::string search_text(const PlanResult& plan) {
  const SearchResult& search = plan.search;
  std::string text = fmt::format(
      "{}, {} with every number of instances; {} meet the limits; {}, {} of a quarter{}{}\n",
      counted(search.configurations, "configuration"), counted(search.candidates, "candidate"),
      count_text(search.with_point), counted(search.whole_runs, "whole run"), count_text(search.short_runs),
      plan.exhaustive ? "; exhaustive" : "", search.partial ? "; stopped early" : "");
  for (const PlanCount& count : search.without_point)
    text += fmt::format("  {:>7} {}{}\n", count_text(count.configurations), count.reason,
                        count.example.empty() ? "" : fmt::format(" (one of them: {})", count.example));
  return text;
}

std::string prices_text(const PlanResult& plan) {
  std::string text;
  for (const GpuPrice& price : plan.prices)
    text += fmt::format("  {} ${:g}/h {}, {}{}{}\n", price.gpu, price.usd_per_gpu_hour, name_of(price.kind),
                        price.provider, price.whole_nodes ? ", whole nodes" : "",
                        price.date.empty() ? "" : ", read " + price.date);
  return text.empty() ? text : "Prices of one GPU:\n" + text;
}

std::string whole_text(const PlanResult& plan, std::size_t rows) {
  std::string text = plan.search.partial ? "STOPPED EARLY, the best so far: " : "";
  text += fmt::format("{}; {}\n{}; best by {}\n\n", plan.model, load_text(plan), limits_text(plan),
                      name_of(plan.objective));
  if (plan.search.points.empty()) return text + nothing_text(plan) + "\n" + search_text(plan);
  text += best_text(plan, "by the median:", plan.search.best);
  text += best_text(plan, "90 % sure:    ", plan.search.best_confident);
  const PlanPoint& best = plan.search.points[*plan.search.best];
  const LimitUse binding = binding_limit(plan.level, best.figures);
  text += fmt::format("binding limit: {} at {:.4g} of {:.4g}{}; {}\n", binding.name, binding.figure,
                      binding.limit, of_another_run(binding), relaxing_advice(best.figures, binding));
  text += fmt::format("run of the best: {}\n", run_text(best.figures.length));
  text += seeds_text(plan, "the best", best.spread);
  if (plan.search.best_confident)
    text += seeds_text(plan, "90 % sure", plan.search.points[*plan.search.best_confident].pessimistic_spread);
  text += fmt::format("kernel time of the best: {} measured on that GPU\n\n",
                      percent_text(plan.best_measured_share));
  text += ranking(plan, rows) + "\n";
  if (!plan.what_ifs.empty()) text += "What if:\n" + what_if_text(plan) + "\n";
  text += plot_text(speed_plot(plan)) + "\n" + plot_text(cost_plot(plan)) + "\n";
  return text + prices_text(plan) + search_text(plan);
}

}  // namespace

std::string plan_text(const PlanResult& plan, std::size_t rows) {
  constexpr std::size_t kScreen = 80;
  return fitted_text(whole_text(plan, rows), {.prose = kScreen, .tables = 0});
}

}  // namespace warploom
