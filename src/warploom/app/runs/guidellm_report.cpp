// Reports of GuideLLM, benchmarks.json (read in the packages guidellm 0.5.0 and 0.8.1, whose metadata.version
// is 1 and 2, and 0.3.1, which has none): {"benchmarks": [{"requests": {"successful", "incomplete",
// "errored"}, "config": {"strategy": {"type_", "streams", "max_concurrency"}}, ...}]}; 0.3.1 has "args" for
// "config". A request has prompt_tokens, output_tokens and Unix times in s: request_start_time, and
// in info.timings first_token_iteration and last_token_iteration (0.3.1: start_time, first_token_time,
// last_token_time). The lists hold the warm-up too, or a sample, where one was asked for.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/runs/client_json.h"
#include "warploom/app/runs/client_result.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

using JsonPath = std::initializer_list<std::string_view>;

const Json& chosen_benchmark(const Json& document, std::optional<std::int64_t> benchmark,
                             const std::string& where) {
  const Json& benchmarks = client_list(document, "benchmarks", where);
  const std::size_t number = std::size_t(benchmark.value_or(0));
  if (benchmarks.empty())
    throw InvalidInput(fmt::format("{}: 'benchmarks' is empty, expected at least one", where));
  if (!benchmark && benchmarks.size() > 1)
    throw InvalidInput(fmt::format("{}: holds {} benchmarks, expected `benchmark` to name one, from 0", where,
                                   benchmarks.size()));
  if (number >= benchmarks.size())
    throw InvalidInput(
        fmt::format("benchmark: is {}, expected 0 to {}, those of {}", number, benchmarks.size() - 1, where));
  return benchmarks[number];
}

void check_report_version(const Json& document, const std::string& where) {
  constexpr std::int64_t kLatestReport = 2;
  const Json* version = client_member(document, {"metadata", "version"});
  if (version == nullptr) return;
  const std::int64_t stated = client_count(*version, "metadata.version", where);
  if (stated > kLatestReport)
    throw Unsupported(fmt::format("{}: a GuideLLM report of version {}, expected at most {}", where, stated,
                                  kLatestReport));
}

double guidellm_time(const Json& request, JsonPath path, JsonPath older, const std::string& where) {
  for (const JsonPath& each : {path, older})
    if (const Json* time = client_member(request, each))
      return client_time(*time, fmt::format("{}", fmt::join(each, ".")), where);
  throw InvalidInput(
      fmt::format("{}: '{}' is missing, expected a time of a streamed request", where, fmt::join(path, ".")));
}

const Json& guidellm_length(const Json& request, std::string_view key, const std::string& where) {
  const Json* length = client_member(request, key);
  if (length == nullptr)
    throw InvalidInput(fmt::format("{}: '{}' is missing, expected a number of tokens", where, key));
  return *length;
}

// How many requests are kept in flight; absent where they come at times of their own.
std::optional<std::int64_t> streams_of(const Json& benchmark, const std::string& where) {
  const Json* strategy = client_member(benchmark, {"config", "strategy"});
  if (strategy == nullptr) strategy = client_member(benchmark, {"args", "strategy"});
  const Json* type = strategy == nullptr ? nullptr : client_member(*strategy, "type_");
  if (type == nullptr)
    throw InvalidInput(fmt::format(
        "{}: 'config.strategy.type_' is missing, expected how the requests were scheduled", where));
  if (*type == "synchronous") return 1;
  if (*type == "throughput") return client_count_if(*strategy, "max_concurrency", where);
  if (*type != "concurrent") return std::nullopt;
  const auto streams = client_count_if(*strategy, "streams", where);
  if (!streams)
    throw InvalidInput(fmt::format("{}: 'config.strategy.streams' is missing, expected a number", where));
  return streams;
}

// A sample of the requests is not the load that the engine had.
void check_guidellm_whole(const Json& benchmark, std::size_t listed, const std::string& where) {
  const Json* total = client_member(benchmark, {"metrics", "request_totals", "successful"});
  if (total == nullptr) total = client_member(benchmark, {"run_stats", "requests_made", "successful"});
  if (total == nullptr) return;
  const std::int64_t measured = client_count(*total, "successful", where);
  if (std::int64_t(listed) < measured)
    throw InvalidInput(
        fmt::format("{}: lists {} of {} successful requests, expected all: a run without sample_requests",
                    where, listed, measured));
}

ClientRequest guidellm_request(const Json& request, const std::string& where) {
  const Json* turn = client_member(request, {"info", "turn_index"});
  if (turn != nullptr && client_count(*turn, "info.turn_index", where) > 0)
    throw Unsupported(fmt::format(
        "{}: 'info.turn_index' is above 0: conversations of several turns are not read, their prompts "
        "repeat what came before",
        where));
  ClientRequest read;
  read.input_tokens = client_tokens(guidellm_length(request, "prompt_tokens", where), "prompt_tokens", where);
  read.output_tokens =
      client_tokens(guidellm_length(request, "output_tokens", where), "output_tokens", where);
  read.arrival = read.sent = guidellm_time(request, {"request_start_time"}, {"start_time"}, where);
  read.first_token =
      guidellm_time(request, {"info", "timings", "first_token_iteration"}, {"first_token_time"}, where);
  read.last_token =
      guidellm_time(request, {"info", "timings", "last_token_iteration"}, {"last_token_time"}, where);
  return read;
}

std::int64_t length_of(const Json& lists, std::string_view key) {
  const Json* list = client_member(lists, key);
  return list != nullptr && list->is_array() ? std::ssize(*list) : 0;
}

}  // namespace

ClientResult read_guidellm_report(const Json& document, std::optional<std::int64_t> benchmark,
                                  const std::string& where) {
  check_report_version(document, where);
  const Json& chosen = chosen_benchmark(document, benchmark, where);
  const std::string inside = fmt::format("{}: benchmark {}", where, benchmark.value_or(0));
  const Json* lists = client_member(chosen, "requests");
  if (lists == nullptr)
    throw InvalidInput(fmt::format("{}: 'requests' is missing, expected lists of requests", inside));
  const Json& successful = client_list(*lists, "successful", inside);
  check_guidellm_whole(chosen, successful.size(), inside);
  ClientResult result;
  ClientRun& run = result.run;
  const Json* version = client_member(document, {"metadata", "guidellm_version"});
  run.generator = "GuideLLM";
  if (version != nullptr && version->is_string()) run.generator += " " + version->get<std::string>();
  run.layout = "guidellm";
  run.max_concurrency = streams_of(chosen, inside);
  run.failed = length_of(*lists, "errored");
  run.unfinished = length_of(*lists, "incomplete");
  for (std::size_t i = 0; i < successful.size(); ++i) {
    const ClientRequest request =
        guidellm_request(successful[i], fmt::format("{}: successful request {}", inside, i));
    if (request.output_tokens == 0)
      ++run.failed;
    else
      result.requests.push_back(request);
  }
  finish_client_result(result, inside);
  return result;
}

}  // namespace warploom
