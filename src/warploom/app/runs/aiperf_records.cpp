// Records of AIPerf, profile_export.jsonl (read in the package aiperf 0.13.0: MetricRecordInfo of
// aiperf/common/models/record_models.py and the formulas of aiperf/metrics/types). One JSON object a line:
// {"metadata": {"request_start_ns" (Unix time), "benchmark_phase": "profiling" or "warmup", "was_cancelled",
// "turn_index", ...}, "metrics": {NAME: {"value", "unit"}}, "error": null or an object}. Both
// time_to_first_token and request_latency count from the start of the request; the latter ends with the last
// response that has content. The first is there when the run streamed.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "warploom/app/runs/client_json.h"
#include "warploom/app/runs/client_result.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::array<std::pair<const char*, double>, 4> kAiperfUnits{
    {{"ms", 1e-3}, {"s", 1.0}, {"us", 1e-6}, {"ns", 1e-9}}};

const Json& aiperf_metric(const Json& metrics, std::string_view name, const std::string& where) {
  const Json* metric = client_member(metrics, name);
  const Json* value = metric == nullptr ? nullptr : client_member(*metric, "value");
  if (value == nullptr)
    throw InvalidInput(fmt::format("{}: metric '{}' is missing, expected {{\"value\", \"unit\"}}{}", where,
                                   name, name == "time_to_first_token" ? ": a run that streams" : ""));
  return *value;
}

double aiperf_time(const Json& metrics, std::string_view name, const std::string& where) {
  const Json& value = aiperf_metric(metrics, name, where);
  const Json* unit = client_member(metrics[std::string(name)], "unit");
  for (const auto& [word, seconds] : kAiperfUnits)
    if (unit != nullptr && *unit == word) return client_time(value, name, where, seconds);
  throw InvalidInput(fmt::format("{}: metric '{}' has the unit {}, expected \"ms\", \"s\", \"us\" or \"ns\"",
                                 where, name, unit == nullptr ? "null" : unit->dump()));
}

bool says(const Json& object, std::string_view key, const Json& value) {
  const Json* found = client_member(object, key);
  return found != nullptr && *found == value;
}

}  // namespace

void AiperfRecords::add(const Json& record, const std::string& where) {
  const Json* metadata = client_member(record, "metadata");
  const Json* metrics = client_member(record, "metrics");
  if (metadata == nullptr || metrics == nullptr)
    throw InvalidInput(fmt::format("{}: '{}' is missing, expected a record of AIPerf's profile_export.jsonl",
                                   where, metadata == nullptr ? "metadata" : "metrics"));
  ClientRun& run = result_.run;
  if (says(*metadata, "benchmark_phase", "warmup")) {
    ++run.warm_up;
    return;
  }
  if (client_member(record, "error") != nullptr || says(*metadata, "was_cancelled", true)) {
    ++run.failed;
    return;
  }
  if (client_count_if(*metadata, "turn_index", where).value_or(0) > 0)
    throw Unsupported(fmt::format(
        "{}: 'turn_index' is above 0: conversations of several turns are not read, their prompts repeat "
        "what came before",
        where));
  ClientRequest request;
  request.output_tokens = client_tokens(aiperf_metric(*metrics, "output_sequence_length", where),
                                        "output_sequence_length", where);
  if (request.output_tokens == 0) {
    ++run.failed;
    return;
  }
  request.input_tokens =
      client_tokens(aiperf_metric(*metrics, "input_sequence_length", where), "input_sequence_length", where);
  const Json* start = client_member(*metadata, "request_start_ns");
  if (start == nullptr)
    throw InvalidInput(fmt::format("{}: 'request_start_ns' is missing, expected a time in ns", where));
  const std::int64_t start_ns = client_count(*start, "request_start_ns", where);
  // Unix times in ns do not fit into a double: they count from the first record's.
  if (!first_ns_) first_ns_ = start_ns;
  request.arrival = request.sent = double(start_ns - *first_ns_) * 1e-9;
  request.first_token = request.sent + aiperf_time(*metrics, "time_to_first_token", where);
  request.last_token = request.sent + aiperf_time(*metrics, "request_latency", where);
  if (request.last_token < request.first_token)
    throw InvalidInput(fmt::format("{}: 'request_latency' is below 'time_to_first_token'", where));
  result_.requests.push_back(request);
}

ClientResult AiperfRecords::take(const std::string& where) {
  result_.run.generator = "AIPerf";
  result_.run.layout = "aiperf";
  finish_client_result(result_, where);
  return std::move(result_);
}

}  // namespace warploom
