// Requests of a real run, whoever noted them: the engine's own record (CSV) or a load generator's result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/runs/client_result.h"

namespace warploom {

// Times in s on one clock, the engine's or the client's.
struct RealRequest {
  double arrival = 0;
  double queued = 0;  // what latencies count from; by a client's clock when it was sent
  std::optional<double> scheduled;
  double first_token = 0, last_token = 0;
  std::int32_t input_tokens = 0, output_tokens = 0;
  std::optional<std::int64_t> group;   // whose prompts begin with the same `prefix_tokens`
  std::int32_t prefix_tokens = 0;      // part of input_tokens
  std::optional<std::int64_t> client;  // sends its next request when the last one has ended
};
// Columns arrival_s, input_tokens, output_tokens, queued_s, scheduled_s, first_token_s, last_token_s, and
// optionally group with prefix_tokens, and client; cells of these may be empty. Throws IoError and
// InvalidInput (lengths below 1, arrivals out of order, times that run backwards, a prefix longer than its
// prompt, no rows).
std::vector<RealRequest> read_real_requests(const std::filesystem::path& path);

struct MeasuredRequests {
  std::vector<RealRequest> requests;  // in order of arrival
  std::optional<ClientRun> client;    // who measured them at the client; absent: the engine's own record
};

// What is known of a run beside its file of requests.
struct StatedLoad {
  std::optional<std::int64_t> max_concurrency;  // for a generator whose file does not state it
  std::optional<std::int64_t> benchmark;        // which benchmark of a report that holds several, from 0
};

// The layout is recognised by what the file holds; gzip is undone. A closed loop gives every request a
// `client`, who sends it as long after its answer before as in the run; where it is not known when requests
// were sent, they stay in the file's order at time 0, and `client->max_concurrency` are kept in flight.
// Throws IoError, InvalidInput (none of the known layouts, or what its reader refuses; neither sending times
// nor a concurrency; more requests in flight than stated), Unsupported.
MeasuredRequests read_measured_requests(const std::filesystem::path& path, const StatedLoad& load = {});

}  // namespace warploom
