// JSONL traces (Mooncake, LLMServingSim); see trace_file.h, which is the door.
#pragma once

#include "warploom/serving/workload/trace_file.h"

namespace warploom {

TraceFile read_trace_jsonl(const std::filesystem::path& path, std::int64_t max_requests);

}  // namespace warploom
