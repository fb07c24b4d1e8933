// Requests of a run in the layout of AIPerf's profile_export.jsonl: one JSON object a line,
// {"metadata": {"request_start_ns", "request_end_ns", ...}, "metrics": {NAME: {"value", "unit"}}}.
#pragma once

#include <span>
#include <string>

#include "warploom/serving/request.h"

namespace warploom {

// Completed requests in the order of the workload. Metrics: time_to_first_token, inter_token_latency (TPOT,
// requests of at least two tokens), request_latency in ms; output_token_throughput_per_user in tokens/s;
// input_sequence_length, output_sequence_length, cached_tokens in tokens.
std::string aiperf_jsonl(std::span<const RequestRecord> records);

}  // namespace warploom
