// JSONL traces (Mooncake, LLMServingSim); see trace_file.h, which is the door.
#pragma once

#include <cstdint>
#include <filesystem>

#include "warploom/serving/workload/recorded_trace.h"

namespace warploom {

RecordedTrace read_trace_jsonl(const std::filesystem::path& path, std::int64_t max_requests);

}  // namespace warploom
