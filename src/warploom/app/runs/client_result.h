// What a load generator wrote of a run: every request as the client saw it, in one form for all generators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/json.h"

namespace warploom {

// When a request went out.
enum class Replay {
  ClosedLoop,       // each client's next one when its last one has ended
  Arrivals,         // at a time of its own
  LimitedArrivals,  // at a time of its own, but not before fewer than so many are in flight
};
template <>
struct EnumNames<Replay> {
  static constexpr std::array<std::pair<Replay, std::string_view>, 3> kNames{{
      {Replay::ClosedLoop, "closed_loop"},
      {Replay::Arrivals, "arrivals"},
      {Replay::LimitedArrivals, "limited_arrivals"},
  }};
};

// The run as a whole.
struct ClientRun {
  std::string generator;  // "AIPerf", "GuideLLM 0.8.1"
  std::string layout;     // "aiperf"
  Replay replay = Replay::Arrivals;
  std::optional<std::int64_t> max_concurrency;  // requests in flight; stated wherever replay needs it
  bool paced = false;                           // a rate called for the requests, whatever limits them
  bool timed = true;                            // false: it is not known when a request was sent
  std::optional<double> duration;  // s, as the generator states it; read where the run is not timed
  // Requests that are not replayed: they failed, were cut off at the end, or warmed the engine up.
  std::int64_t failed = 0, unfinished = 0, warm_up = 0;
};

// Times in s. Where the run is not timed, `sent` is 0 and the other times count from it.
struct ClientRequest {
  double arrival = 0;  // when the load called for it; before `sent` where the generator held it back
  double sent = 0, first_token = 0, last_token = 0;
  std::int32_t input_tokens = 0, output_tokens = 0;
};

struct ClientResult {
  ClientRun run;
  std::vector<ClientRequest> requests;
};

// Readers of one generator's files, each with its source and version in its .cpp. `where` names the file.
// They throw InvalidInput on a missing key, lists of different lengths, times that are negative or run
// backwards, lengths out of range and no completed request; Unsupported on conversations of several turns.
ClientResult read_vllm_bench_result(const Json& document, const std::string& where);
// `benchmark`: which of several, from 0; not needed where there is one.
ClientResult read_guidellm_report(const Json& document, std::optional<std::int64_t> benchmark,
                                  const std::string& where);

class AiperfRecords {
 public:
  // One line of profile_export.jsonl.
  void add(const Json& record, const std::string& where);
  ClientResult take(const std::string& where);

 private:
  ClientResult result_;
  std::optional<std::int64_t> first_ns_;
};

// What every reader does last: puts requests in the order of sending, counts times from the first, and checks
// them. Throws InvalidInput.
void finish_client_result(ClientResult& result, const std::string& where);

}  // namespace warploom
