#include "warploom/app/runs/measured_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <queue>
#include <string_view>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom {
namespace {

constexpr std::string_view kKnownRequestFiles =
    "a CSV with arrival_s, input_tokens, output_tokens, queued_s, scheduled_s, first_token_s and "
    "last_token_s, a result of vllm bench serve with save-detailed, AIPerf's "
    "profile_export.jsonl or GuideLLM's benchmarks.json";

[[noreturn]] void refuse_request_file(const std::string& where) {
  throw InvalidInput(fmt::format("{}: no known record of requests, expected {}", where, kKnownRequestFiles));
}

constexpr std::string_view kBlanks = " \t\r\n";

// The next line that is not blank, and behind it the rest; empty at the end.
std::string_view take_line(std::string_view& text, std::size_t& number) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(kBlanks) != std::string_view::npos) return line;
  }
  return {};
}

// Several JSON documents, one a line.
bool is_json_lines(std::string_view text) {
  std::size_t number = 0;
  const std::string_view first = take_line(text, number);
  return text.find_first_not_of(kBlanks) != std::string_view::npos && Json::accept(first);
}

ClientResult read_json_lines(std::string_view text, const std::string& where) {
  AiperfRecords records;
  std::size_t number = 0;
  for (std::string_view line = take_line(text, number); !line.empty(); line = take_line(text, number)) {
    const std::string inside = fmt::format("{}:{}", where, number);
    const Json record = parse_json(line, inside);
    if (number == 1 && record.is_object() && record.contains("request_throughput"))
      throw InvalidInput(
          fmt::format("{}: holds several results, expected one: a run without append-result", where));
    if (!record.is_object() || (!record.contains("metadata") && !record.contains("metrics")))
      refuse_request_file(inside);
    records.add(record, inside);
  }
  return records.take(where);
}

ClientResult read_client_json(std::string_view text, std::optional<std::int64_t> benchmark,
                              const std::string& where) {
  const auto refuse_choice = [&](std::string_view generator) {
    if (benchmark)
      throw InvalidInput(fmt::format(
          "benchmark: {} is a result of {}, expected it with a report of GuideLLM alone", where, generator));
  };
  if (is_json_lines(text)) {
    refuse_choice("AIPerf");
    return read_json_lines(text, where);
  }
  const Json document = parse_json(text, where);
  if (!document.is_object()) refuse_request_file(where);
  if (document.contains("benchmarks")) return read_guidellm_report(document, benchmark, where);
  if (document.contains("metadata") && document.contains("metrics")) {
    refuse_choice("AIPerf");
    AiperfRecords one;
    one.add(document, where);
    return one.take(where);
  }
  for (const char* key : {"input_lens", "output_lens", "ttfts", "request_throughput"})
    if (document.contains(key)) {
      refuse_choice("vllm bench serve");
      return read_vllm_bench_result(document, where);
    }
  refuse_request_file(where);
}

void settle_replay(ClientRun& run, const std::optional<std::int64_t>& stated, const std::string& where) {
  if (stated && run.max_concurrency && *stated != *run.max_concurrency)
    throw InvalidInput(fmt::format("{}: max_concurrency is {}, expected {}, what the run's record states",
                                   where, *run.max_concurrency, *stated));
  if (stated) run.max_concurrency = stated;
  if (run.max_concurrency && *run.max_concurrency < 1)
    throw InvalidInput(
        fmt::format("{}: max_concurrency is {}, expected at least 1", where, *run.max_concurrency));
  if (run.max_concurrency) run.replay = run.paced ? Replay::LimitedArrivals : Replay::ClosedLoop;
  if (run.timed) return;
  if (run.replay != Replay::ClosedLoop)
    throw InvalidInput(
        fmt::format("{}: 'start_times' is missing, expected it wherever requests come at a rate{}", where,
                    run.max_concurrency ? "" : ", or max_concurrency of a closed loop in the run's record"));
  if (!run.duration)
    throw InvalidInput(
        fmt::format("{}: 'duration' and 'start_times' are missing, expected one of them", where));
}

// A generator that keeps n requests in flight sends the first n at once (or as its ramp says), and each later
// one for the earliest answer that has not been followed yet.
void assign_clients(std::vector<RealRequest>& requests, std::int64_t clients, const std::string& where) {
  constexpr double kClockError = 0.05;  // s, clocks of a generator's processes and times of last tokens
  using Ended = std::pair<double, std::int64_t>;
  std::priority_queue<Ended, std::vector<Ended>, std::greater<>> in_flight;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    RealRequest& request = requests[i];
    request.client = std::int64_t(i);
    if (std::ssize(in_flight) >= clients) {
      const auto [end, client] = in_flight.top();
      if (end > request.queued + kClockError)
        throw InvalidInput(fmt::format(
            "{}: completed request {} was sent at {:.6g} s while {} others were in flight, expected at most "
            "{}, one less than max_concurrency",
            where, i, request.queued, clients, clients - 1));
      in_flight.pop();
      request.client = client;
    }
    in_flight.emplace(request.last_token, *request.client);
  }
}

std::vector<RealRequest> real_requests_of(const ClientResult& result, const std::string& where) {
  const ClientRun& run = result.run;
  const bool limited = run.replay == Replay::LimitedArrivals;
  std::vector<RealRequest> requests;
  for (const ClientRequest& request : result.requests)
    requests.push_back({.arrival = limited ? request.arrival : request.sent,
                        .queued = request.sent,
                        .first_token = request.first_token,
                        .last_token = request.last_token,
                        .input_tokens = request.input_tokens,
                        .output_tokens = request.output_tokens});
  std::stable_sort(requests.begin(), requests.end(),
                   [](const RealRequest& a, const RealRequest& b) { return a.arrival < b.arrival; });
  if (run.replay == Replay::ClosedLoop && run.timed) assign_clients(requests, *run.max_concurrency, where);
  return requests;
}

// Whether a column that the engine's record has stands near the beginning.
bool has_known_column(std::string_view text) {
  constexpr std::size_t kHeader = 4096;  // bytes, remarks before the header included
  for (const std::string_view column : {"arrival_s", "queued_s", "first_token_s", "input_tokens"})
    if (text.substr(0, kHeader).find(column) != std::string_view::npos) return true;
  return false;
}

}  // namespace

MeasuredRequests read_measured_requests(const std::filesystem::path& path, const StatedLoad& load) {
  const std::string text = read_file(path), where = path.string();
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin != std::string::npos && (text[begin] == '{' || text[begin] == '[')) {
    ClientResult result = read_client_json(text, load.benchmark, where);
    settle_replay(result.run, load.max_concurrency, where);
    std::vector<RealRequest> requests = real_requests_of(result, where);
    return {std::move(requests), std::move(result.run)};
  }
  if (load.benchmark)
    throw InvalidInput(fmt::format(
        "benchmark: {} is a CSV of requests, expected it with a report of GuideLLM alone", where));
  if (!has_known_column(text)) refuse_request_file(where);
  return {read_real_requests(path), std::nullopt};
}

}  // namespace warploom
