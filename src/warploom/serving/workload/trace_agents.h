// Readers of agents' traces in JSON lines: requests that wait for answers, tools that run in between. See
// trace_file.h, which is the door.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "warploom/serving/workload/recorded_trace.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {

class JsonlRow;

// Lengths, priority and contents of a row with Mooncake's names, or Dynamo's other names for them.
TraceRow mooncake_lengths(const JsonlRow& row, std::int64_t block_tokens = 0, std::uint64_t scope = 0);

// Dynamo's agentic Mooncake rows (dynamo-data-gen 1.3 to 1.6): `request_id`, `wait_for`; a row is sent
// `delay` and `tool_wait_ms` after all that it waits for are answered, else at its `timestamp`.
RecordedTrace read_agentic(const std::filesystem::path& path, const std::string& text,
                           std::int64_t max_requests);

// The same in version 2 (schema dynamo.agentic_mooncake): a head with `block_size`, and of each row
// `dependencies` with a delay of their own, from sending or from completion. Sessions ("plays") state no
// arrivals; recorded times (`not_before_ms`) are not read where a row has dependencies.
RecordedTrace read_agentic_dependencies(const std::filesystem::path& path, const std::string& text,
                                        std::int64_t max_requests);

// Alibaba's Bailian traces (qwen-bailian-usagetraces-anon): `chat_id`, `parent_chat_id` (-1, or one that the
// file lacks: none), `timestamp` [s], `hash_ids` of 16 tokens. A follow-up comes as long after the answer as
// it was recorded after the request.
RecordedTrace read_bailian(const std::filesystem::path& path, const std::string& text,
                           std::int64_t max_requests);

// Applied Compute's agentic rows, as Dynamo reads them: a session each, with tools of stated latency [s]
// between its turns. They state no arrivals.
RecordedTrace read_tool_calls(const std::filesystem::path& path, const std::string& text,
                              std::int64_t max_requests);

}  // namespace warploom
