#include "warploom/judge/report/client_side_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/judge/report/comparison_json.h"
#include "warploom/report/number_text.h"

namespace warploom {
namespace {

// "closed loop of 8 clients"
std::string replay_text(const ClientRun& run) {
  const std::int64_t limit = run.max_concurrency.value_or(0);
  switch (run.replay) {
    case Replay::ClosedLoop:
      return fmt::format("closed loop of {} {}", limit, limit == 1 ? "client" : "clients");
    case Replay::LimitedArrivals:
      return fmt::format("arrival times, at most {} in flight", limit);
    case Replay::Arrivals:
      break;
  }
  return "arrival times";
}

// What is not replayed; empty when all is.
std::string left_out_text(const ClientRun& run) {
  std::string text;
  const auto add = [&](std::int64_t requests, const char* why) {
    if (requests > 0) text += fmt::format("{}{} {}", text.empty() ? "; left out: " : ", ", requests, why);
  };
  add(run.failed, "failed");
  add(run.unfinished, "cut off at the end");
  add(run.warm_up, "of the warm-up");
  return text;
}

}  // namespace

std::string client_side_text(const ClientSide& side) {
  const std::string frontend =
      side.frontend_per_token > Seconds(0.0)
          ? fmt::format("{} a request and {} a prompt token", duration_text(side.frontend_latency),
                        duration_text(side.frontend_per_token))
          : fmt::format("{} a request", duration_text(side.frontend_latency));
  return fmt::format(
      "measured at the client by {}; {}{}\nway to the engine (network, HTTP, tokenising): {}, {}; part of "
      "predicted ttft and e2el\n",
      side.run.generator, replay_text(side.run), left_out_text(side.run), frontend,
      side.frontend_stated ? "client_latency_ms of the run's record"
                           : "modelled, as the run's record has no client_latency_ms");
}

std::string frontend_share_text(const ClientSide& side, const Comparison& ttft) {
  const double engine = side.engine_ttft.front().figure.predicted;
  return fmt::format(
      "mean ttft: {} ms of the predicted {} ms are the way to the engine ({}); measured, {} ms lie beyond "
      "the engine's predicted {} ms\n",
      fixed_text(side.mean_frontend, 2), fixed_text(ttft.predicted, 2),
      percent_text(side.mean_frontend / ttft.predicted), fixed_text(ttft.measured - engine, 2),
      fixed_text(engine, 2));
}

Json client_side_json(const ClientSide& side) {
  const ClientRun& run = side.run;
  return {{"generator", run.generator},
          {"layout", run.layout},
          {"replay", name_of(run.replay)},
          {"max_concurrency", run.max_concurrency ? Json(*run.max_concurrency) : Json()},
          {"failed", run.failed},
          {"unfinished", run.unfinished},
          {"warm_up", run.warm_up},
          {"frontend_source", side.frontend_stated ? "run_record" : "modelled"},
          {"frontend_latency_ms", to_milliseconds(side.frontend_latency)},
          {"frontend_per_token_us", to_microseconds(side.frontend_per_token)},
          {"mean_frontend_ms", side.mean_frontend},
          {"ttft_without_frontend", metrics_json(side.engine_ttft)["ttft"]}};
}

}  // namespace warploom
