// Workloads that stand in one JSON document: ShareGPT dumps and results of `vllm bench serve`; see
// trace_file.h, which is the door.
#pragma once

#include <cstdint>
#include <filesystem>

#include "warploom/serving/workload/recorded_trace.h"

namespace warploom {

// ShareGPT states texts and no tokens: a token is counted for every kShareGptBytesPerToken bytes. As vLLM's
// benchmark does, a conversation gives one request, its first two messages, and those with a prompt or an
// answer below 4 tokens, a prompt above 1,024 or both together above 2,048 are left out.
constexpr double kShareGptBytesPerToken = 4.2;  // English chat under tokenisers of 100,000 to 150,000 words

RecordedTrace read_trace_json(const std::filesystem::path& path, std::int64_t max_requests);

}  // namespace warploom
