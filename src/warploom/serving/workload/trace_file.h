// Readers of recorded request traces. The layout is recognised by the header (CSV) or the keys (JSONL); gzip
// is undone.
//
//   layout        arrival                      input                output
//   warploom      arrived_s or arrival_s [s]   input_tokens         output_tokens
//   splitwise     arrived_at [s]               num_prefill_tokens   num_decode_tokens    (also Vidur's)
//   azure         TIMESTAMP [date and time]    ContextTokens        GeneratedTokens
//   burstgpt      Timestamp [s]                Request tokens       Response tokens      (failed: skipped)
//   mooncake      timestamp [ms]               input_length         output_length        (JSONL)
//   dynamo_agentic timestamp [ms]             input_length         output_length        (JSONL, trees)
//   bailian       timestamp [s]                input_length         output_length        (JSONL, trees)
//   applied_compute none                      input_prompt_length  assistant_response_length  (JSONL)
//   llmservingsim arrival_time_ns              input_toks           output_toks          (JSONL)
//
//   sharegpt      none                         from the texts           from the texts       (JSON)
//   vllm_bench    start_times [s]              input_lens               output_lens          (JSON)
//
// LLMServingSim rows may be sessions (sub_requests, each with input_toks, output_toks and the
// tool_duration_ns before the next) and may have input_tok_ids (the prompt's tokens). Any row or CSV may have
// a priority. Mooncake rows may have hash_ids (contents of prompts in blocks of 512 tokens), session_id
// (later rows of a session are its later turns) and delay (ms between the end of a turn and the next). Trees
// are read by trace_agents.h. A file may lack the arrival column: the workload is then not `timed`. Further
// columns and keys are skipped. Arrivals are counted from the first request's.
#pragma once

#include <cstdint>
#include <filesystem>

#include "warploom/serving/workload/recorded_trace.h"

namespace warploom {

// Reads at most `max_requests` (0: all). Throws IoError when the file cannot be read, InvalidInput naming
// file and line on an unknown layout, a missing or malformed value, a length below 1, arrivals out of order,
// or no requests.
RecordedTrace read_trace_file(const std::filesystem::path& path, std::int64_t max_requests = 0);

}  // namespace warploom
