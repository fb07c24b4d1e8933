#include "warploom/serving/workload/fitted_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/base/random.h"
#include "warploom/base/statistics.h"
#include "warploom/serving/workload/named_sessions.h"
#include "warploom_embedded/traces.h"

namespace warploom {
namespace {

void check_quantiles(const std::vector<double>& quantiles, std::string_view what, std::string_view where) {
  if (quantiles.size() < 2 || !std::is_sorted(quantiles.begin(), quantiles.end()) || quantiles.front() < 0) {
    throw InvalidInput(
        fmt::format("{}: '{}' has {} quantiles, expected at least two, ascending and not negative", where,
                    what, quantiles.size()));
  }
}

std::vector<FittedWorkload> load_all() {
  std::vector<FittedWorkload> all;
  for (const EmbeddedFile& file : embedded::traces())
    all.push_back(parse_fitted_workload(file.contents, file.name));
  return all;
}

const std::vector<FittedWorkload>& all_fitted() {
  static const std::vector<FittedWorkload> all = load_all();
  return all;
}

std::int32_t draw_length(const std::vector<double>& quantiles, RandomStream& random) {
  return std::int32_t(std::max(1.0, std::round(quantile_of_sorted(quantiles, random.uniform()))));
}

}  // namespace

FieldTable FittedWorkload::describe() {
  using F = FittedWorkload;
  return FieldList<F>("fitted_workload")
      .add("name", &F::name, {.required = true})
      .add("source", &F::source, {.required = true})
      .add("request_rate_per_s", &F::request_rate,
           {.unit = "requests/s", .min = 1e-9, .max = 1e9, .required = true})
      .add("input_tokens", &F::input_tokens, {.doc = "quantiles", .min = 0, .max = 1e8, .required = true})
      .add("output_tokens", &F::output_tokens, {.doc = "quantiles", .min = 0, .max = 1e8, .required = true})
      .add("arrival_gap", &F::arrival_gap,
           {.doc = "quantiles, mean 1", .min = 0, .max = 1e6, .required = true})
      .table();
}

FittedWorkload parse_fitted_workload(std::string_view text, std::string_view where) {
  auto fitted = object_from_json<FittedWorkload>(parse_json(text, where), where);
  check_quantiles(fitted.input_tokens, "input_tokens", where);
  check_quantiles(fitted.output_tokens, "output_tokens", where);
  check_quantiles(fitted.arrival_gap, "arrival_gap", where);
  return fitted;
}

std::vector<std::string> fitted_workload_names() {
  std::vector<std::string> names;
  for (const FittedWorkload& fitted : all_fitted()) names.push_back(fitted.name);
  return names;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names = fitted_workload_names();
  for (std::string& name : named_sessions_names()) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

const FittedWorkload& fitted_workload(std::string_view name) {
  for (const FittedWorkload& fitted : all_fitted()) {
    if (fitted.name == name) return fitted;
  }
  const auto names = workload_names();
  throw NotFound(fmt::format("workload '{}': unknown, expected one of: {}{}", name, fmt::join(names, ", "),
                             did_you_mean(name, names)));
}

Workload sample_workload(const FittedWorkload& fitted, std::int64_t requests, std::optional<double> rate,
                         std::uint64_t seed) {
  const double arrivals_per_second = rate.value_or(fitted.request_rate);
  if (requests < 1 || !std::isfinite(arrivals_per_second) || arrivals_per_second <= 0) {
    throw InvalidInput(
        fmt::format("workload '{}': {} requests at {} requests per second, expected at least 1 at a "
                    "positive rate",
                    fitted.name, requests, arrivals_per_second));
  }
  RandomStream lengths(seed, "lengths"), gaps(seed, "arrivals");
  Workload workload;
  workload.name = fitted.name;
  workload.requests.reserve(std::size_t(requests));
  double time = 0;
  for (std::int64_t i = 0; i < requests; ++i) {
    const std::int32_t input = draw_length(fitted.input_tokens, lengths);
    const std::int32_t output = draw_length(fitted.output_tokens, lengths);
    workload.requests.push_back({to_sim_time(Seconds(time)), input, output});
    time += quantile_of_sorted(fitted.arrival_gap, gaps.uniform()) / arrivals_per_second;
  }
  return workload;
}

}  // namespace warploom
