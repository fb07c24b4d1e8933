#include "warploom/report/aiperf.h"

#include <fmt/format.h>

#include <iterator>

namespace warploom {
namespace {

void add_metric(std::string& text, std::string_view name, double value, std::string_view unit) {
  fmt::format_to(std::back_inserter(text), R"({}"{}":{{"value":{:.6f},"unit":"{}"}})",
                 text.ends_with('{') ? "" : ",", name, value, unit);
}

}  // namespace

std::string aiperf_jsonl(std::span<const RequestRecord> records) {
  std::string text;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RequestRecord& record = records[i];
    if (!record.completed()) continue;
    fmt::format_to(
        std::back_inserter(text),
        R"({{"metadata":{{"x_request_id":"{}","session_num":{},"worker_id":"replica-{}",)"
        R"("request_start_ns":{},"request_end_ns":{},"benchmark_phase":"profiling"}},"metrics":{{)",
        i, i, record.replica, record.arrival.nanoseconds(), record.last_token.nanoseconds());
    std::string metrics = "{";
    add_metric(metrics, "time_to_first_token", to_milliseconds(record.ttft().seconds()), "ms");
    if (record.output_tokens > 1) {
      add_metric(metrics, "inter_token_latency", to_milliseconds(record.tpot()), "ms");
      if (record.tpot() > Seconds(0.0))
        add_metric(metrics, "output_token_throughput_per_user", 1.0 / record.tpot().value(),
                   "tokens/sec/user");
    }
    add_metric(metrics, "request_latency", to_milliseconds(record.e2el().seconds()), "ms");
    add_metric(metrics, "input_sequence_length", record.input_tokens, "tokens");
    add_metric(metrics, "output_sequence_length", record.output_tokens, "tokens");
    add_metric(metrics, "cached_tokens", record.cached_tokens, "tokens");
    text.append(metrics, 1);
    text += "}}\n";
  }
  return text;
}

}  // namespace warploom
