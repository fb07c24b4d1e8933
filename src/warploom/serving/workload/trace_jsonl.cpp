#include "warploom/serving/workload/trace_jsonl.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/serving/workload/internal/jsonl_row.h"
#include "warploom/serving/workload/trace_agents.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {
namespace {

constexpr double kMillisecond = 1e-3, kNanosecond = 1e-9;

class MooncakeRows {
 public:
  explicit MooncakeRows(const std::filesystem::path& path) : rows_(path) {}

  void add(const JsonlRow& row) {
    TraceRow read = mooncake_lengths(row);
    read.session = row.name("session_id");
    const std::string_view arrival = row.which("timestamp", "created_time");
    const std::string_view delay = row.which("delay", "delay_ms");
    const bool states_time = row.has(arrival);
    if (states_time || read.session.empty()) read.arrival_ns = row.time_ns(arrival, kMillisecond);
    const auto before = sent_.find(read.session);
    if (row.has(delay)) {
      read.delay_ns = row.time_ns(delay, kMillisecond);
    } else if (states_time && before != sent_.end()) {
      // As Dynamo's replay: a turn without a delay comes as long after the answer as it came after the turn.
      read.delay_ns = read.arrival_ns - before->second;
      if (read.delay_ns < 0)
        throw InvalidInput(
            fmt::format("{}: '{}' lies before that of the session's row above, expected turns in order",
                        row.where(), arrival));
    }
    if (states_time && !read.session.empty()) sent_[read.session] = read.arrival_ns;
    rows_.add(read);
  }
  TraceRows& rows() { return rows_; }

 private:
  TraceRows rows_;
  std::unordered_map<std::string, std::int64_t> sent_;  // by session, the latest turn that states it
};

// A session of LLMServingSim: the requests follow each other, tools run in between.
void add_session(TraceRows& rows, const JsonlRow& session) {
  const std::int64_t arrival_ns = session.count("arrival_time_ns");
  seconds_to_ns(double(arrival_ns) * kNanosecond, session.where());
  std::int64_t delay_ns = 0;
  for (const JsonlRow& sub : session.rows("sub_requests")) {
    TraceRow row{.line = session.line(),
                 .arrival_ns = arrival_ns,
                 .input_tokens = sub.count("input_toks"),
                 .output_tokens = sub.count("output_toks"),
                 .session = fmt::format("line {}", session.line()),
                 .delay_ns = delay_ns};
    row.content = sub.content(row.input_tokens);
    rows.add(row);
    delay_ns = sub.has("tool_duration_ns") ? sub.count("tool_duration_ns") : 0;
    if (delay_ns < 0)
      throw InvalidInput(
          fmt::format("{}: 'tool_duration_ns' is {}, expected at least 0", session.where(), delay_ns));
  }
}

void add_simulated(TraceRows& rows, const JsonlRow& row) {
  if (row.has("sub_requests")) return add_session(rows, row);
  TraceRow read{.line = row.line(),
                .arrival_ns = row.time_ns("arrival_time_ns", kNanosecond),
                .input_tokens = row.count("input_toks"),
                .output_tokens = row.count("output_toks")};
  if (row.has("priority")) read.priority = row.count("priority");
  read.content = row.content(read.input_tokens);
  rows.add(read);
}

RecordedTrace read_mooncake(const std::filesystem::path& path, const std::string& text,
                            std::int64_t max_requests) {
  MooncakeRows rows(path);
  read_jsonl(path, text, [&](const JsonlRow& row) {
    rows.add(row);
    return !rows.rows().full(max_requests);
  });
  return {rows.rows().take(true), "mooncake"};
}

RecordedTrace read_simulated(const std::filesystem::path& path, const std::string& text,
                             std::int64_t max_requests) {
  TraceRows rows(path);
  read_jsonl(path, text, [&](const JsonlRow& row) {
    add_simulated(rows, row);
    return !rows.full(max_requests);
  });
  return {rows.take(true), "llmservingsim"};
}

struct Layout {
  // Whether a file is of it, by its first row; `text` is the whole.
  bool (*recognises)(const JsonlRow& first, const std::string& text);
  RecordedTrace (*read)(const std::filesystem::path& path, const std::string& text,
                        std::int64_t max_requests);
};

bool is_mooncake(const JsonlRow& first) {
  return first.has("input_length") || (first.has("input_tokens") && first.has("output_tokens"));
}

constexpr std::array kLayouts{
    Layout{[](const JsonlRow& first, const std::string&) { return first.has("schema"); },
           read_agentic_dependencies},
    Layout{[](const JsonlRow& first, const std::string&) { return first.has("chat_id"); }, read_bailian},
    Layout{[](const JsonlRow& first, const std::string&) { return first.has("tool_call_latency"); },
           read_tool_calls},
    Layout{[](const JsonlRow& first, const std::string& text) {
             return is_mooncake(first) && text.find("\"wait_for\"") != std::string::npos;
           },
           read_agentic},
    Layout{[](const JsonlRow& first, const std::string&) { return is_mooncake(first); }, read_mooncake},
    Layout{[](const JsonlRow& first, const std::string&) {
             return first.has("input_toks") || first.has("sub_requests");
           },
           read_simulated},
};

}  // namespace

RecordedTrace read_trace_jsonl(const std::filesystem::path& path, std::int64_t max_requests) {
  const std::string text = read_file(path);
  const Layout* layout = nullptr;
  read_jsonl(path, text, [&](const JsonlRow& first) {
    for (const Layout& each : kLayouts) {
      if (!each.recognises(first, text)) continue;
      layout = &each;
      return false;
    }
    throw InvalidInput(
        fmt::format("{}: no known trace layout, expected the keys timestamp, input_length, output_length "
                    "(with request_id and wait_for), chat_id and parent_chat_id, tool_call_latency, "
                    "arrival_time_ns, input_toks, output_toks, or a first line with schema "
                    "dynamo.agentic_mooncake",
                    first.where()));
  });
  if (layout == nullptr)
    throw InvalidInput(fmt::format("{}: no requests, expected at least one", path.string()));
  return layout->read(path, text, max_requests);
}

}  // namespace warploom
