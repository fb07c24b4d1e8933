#include "warploom/planner/plan_crew.h"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/parallel.h"
#include "warploom/planner/run_log.h"

namespace warploom {
namespace {

Json bounds_to_json(const EngineBounds& bounds) {
  Json document = {bounds.seconds_per_request,
                   bounds.prompt_seconds,
                   bounds.output_seconds,
                   bounds.per_token,
                   bounds.groups,
                   bounds.in_flight,
                   Json::array()};
  for (const auto& [share, seconds] : bounds.first_tokens) document.back().push_back({share, seconds});
  return document;
}

EngineBounds bounds_from_json(const Json& document) {
  EngineBounds bounds;
  bounds.seconds_per_request = document[0].get<double>();
  bounds.prompt_seconds = document[1].get<double>();
  bounds.output_seconds = document[2].get<double>();
  bounds.per_token = document[3].get<double>();
  bounds.groups = document[4].get<double>();
  bounds.in_flight = document[5].get<double>();
  for (const Json& entry : document[6])
    bounds.first_tokens.emplace_back(entry[0].get<double>(), entry[1].get<double>());
  return bounds;
}

Json fleet_to_json(const Fleet& fleet) { return {fleet.instances, fleet.decode}; }

Fleet fleet_from_json(const Json& document) {
  return {document[0].get<std::int64_t>(), document[1].get<std::int64_t>()};
}

// Without the instances of the best, which are added where all members have the same points.
Json spread_to_json(const LoadSpread& spread) {
  Json figures = Json::array();
  for (const DrawnFigure& each : spread.figures)
    figures.push_back({each.name, each.low, each.mean, each.high, each.sure, each.limit, each.kept});
  return {spread.draws, std::move(figures)};
}

LoadSpread spread_from_json(const Json& document) {
  LoadSpread spread{.draws = document[0].get<std::int64_t>()};
  for (const Json& each : document[1])
    spread.figures.push_back({each[0].get<std::string>(), each[1].get<double>(), each[2].get<double>(),
                              each[3].get<double>(), each[4].get<double>(), each[5].get<double>(),
                              each[6].get<bool>()});
  return spread;
}

}  // namespace

void share_work(PlanCrew& crew, std::size_t count, std::size_t threads,
                const std::function<void(std::size_t)>& work, const std::function<Json(std::size_t)>& pack,
                const std::function<void(std::size_t, const Json&)>& unpack) {
  std::mutex mutex;
  Json done = Json::array();
  const std::size_t workers = threads > 0 ? threads : machine_threads();
  parallel_for(workers, workers, [&](std::size_t) {
    for (std::size_t i = crew.take(); i < count; i = crew.take()) {
      Json piece;
      try {
        work(i);
        piece = {i, pack(i)};
      } catch (const std::exception& error) {
        piece = {i, nullptr, error.what()};  // all must hear of it, or they would wait for ever
      }
      const std::scoped_lock lock(mutex);
      done.push_back(std::move(piece));
    }
  });
  std::map<std::size_t, Json> pieces;
  for (const CrewMessage& message : crew.exchange(Json::to_cbor(done)))
    for (Json& piece : Json::from_cbor(message)) {
      const auto i = piece[0].get<std::size_t>();
      pieces[i] = std::move(piece);
    }
  for (const auto& [i, piece] : pieces) {
    if (piece.size() > 2) throw Error(piece[2].get<std::string>());
    unpack(i, piece[1]);
  }
}

Json screened_to_json(const Screened& screened) {
  Json document = {nullptr, bounds_to_json(screened.first), nullptr};
  if (screened.refusal) document[0] = {screened.refusal->reason, screened.refusal->text};
  if (screened.decode) document[2] = bounds_to_json(*screened.decode);
  return document;
}

Screened screened_from_json(const Json& document) {
  Screened screened;
  if (!document[0].is_null())
    screened.refusal = Refusal{document[0][0].get<std::string>(), document[0][1].get<std::string>()};
  screened.first = bounds_from_json(document[1]);
  if (!document[2].is_null()) screened.decode = bounds_from_json(document[2]);
  return screened;
}

Json answer_to_json(const ConfigurationAnswer& answer) {
  Json document = {{"reason", answer.reason},
                   {"example", answer.example},
                   {"short", answer.short_runs},
                   {"whole", answer.whole_runs},
                   {"points", Json::array()}};
  if (answer.most_rate) document["most_rate"] = *answer.most_rate;
  if (answer.nearest) {
    const LimitUse& use = answer.nearest->binding;
    document["nearest"] = {
        fleet_to_json(answer.nearest->fleet), use.name, use.figure, use.limit, use.use, use.low, use.high};
  }
  for (const PlanPoint& point : answer.points) {
    Json entry = {{"fleet", fleet_to_json(point.fleet)},
                  {"figures", run_figures_to_json(point.figures)},
                  {"confident", point.confident},
                  {"median_least", point.median_least},
                  {"rate", point.rate},
                  {"saturated", point.saturated_rate}};
    if (point.pessimistic) entry["pessimistic"] = run_figures_to_json(*point.pessimistic);
    if (point.spread) entry["spread"] = spread_to_json(*point.spread);
    if (point.pessimistic_spread) entry["pessimistic_spread"] = spread_to_json(*point.pessimistic_spread);
    document["points"].push_back(std::move(entry));
  }
  return document;
}

ConfigurationAnswer answer_from_json(const Json& document, const PlanTask& task,
                                     const Configuration& configuration, const Screened& screened) {
  constexpr std::string_view kWhere = "a member of the crew";
  ConfigurationAnswer answer;
  answer.reason = document["reason"].get<std::string>();
  answer.example = document["example"].get<std::string>();
  answer.short_runs = document["short"].get<std::int64_t>();
  answer.whole_runs = document["whole"].get<std::int64_t>();
  if (document.contains("most_rate")) answer.most_rate = document["most_rate"].get<double>();
  if (document.contains("nearest")) {
    const Json& near = document["nearest"];
    answer.nearest = NearMiss{configuration,
                              fleet_from_json(near[0]),
                              {near[1].get<std::string>(), near[2].get<double>(), near[3].get<double>(),
                               near[4].get<double>(), near[5].get<double>(), near[6].get<double>()}};
  }
  for (const Json& entry : document["points"]) {
    const double rate = task.find_max_rate ? entry["rate"].get<double>() : task.load.rate;
    PlanPoint point = point_of(task, configuration, screened, fleet_from_json(entry["fleet"]), rate,
                               run_figures_from_json(entry["figures"], kWhere));
    point.saturated_rate = entry["saturated"].get<double>();
    point.confident = entry["confident"].get<bool>();
    point.median_least = entry["median_least"].get<bool>();
    if (entry.contains("pessimistic"))
      point.pessimistic = run_figures_from_json(entry["pessimistic"], kWhere);
    if (entry.contains("spread")) point.spread = spread_from_json(entry["spread"]);
    if (entry.contains("pessimistic_spread"))
      point.pessimistic_spread = spread_from_json(entry["pessimistic_spread"]);
    answer.points.push_back(std::move(point));
  }
  return answer;
}

}  // namespace warploom
