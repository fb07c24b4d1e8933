#include "warploom/serving/workload/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/utf8.h"
#include "warploom/serving/workload/trace_json.h"
#include "warploom/serving/workload/trace_jsonl.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {
namespace {

struct CsvLayout {
  std::string_view name, arrival, input, output;
  bool date_and_time = false;
  bool skips_failed = false;  // rows without output are requests that failed
};

constexpr std::array kLayouts{
    CsvLayout{"warploom", "arrived_s", "input_tokens", "output_tokens"},
    CsvLayout{"warploom", "arrival_s", "input_tokens", "output_tokens"},
    CsvLayout{"splitwise", "arrived_at", "num_prefill_tokens", "num_decode_tokens"},
    CsvLayout{"azure", "TIMESTAMP", "ContextTokens", "GeneratedTokens", true},
    CsvLayout{"burstgpt", "Timestamp", "Request tokens", "Response tokens", false, true},
};

// A file that is no table of commas says so itself; its bytes are kept off the terminal.
void check_is_csv(const CsvReader& csv) {
  const std::string head = fmt::format("{}", fmt::join(csv.columns(), ","));
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; };
  if (std::any_of(head.begin(), head.end(), control) || utf8_bytes(head) < head.size())
    throw InvalidInput(fmt::format("{}: is no text, expected a trace as CSV or JSON lines, plain or gzip",
                                   csv.path().string()));
  if (csv.columns().size() > 1) return;
  for (const char separator : {';', '\t', '|'})
    if (head.find(separator) != std::string::npos)
      throw InvalidInput(fmt::format("{}: columns are separated by '{}', expected commas",
                                     csv.path().string(),
                                     separator == '\t' ? std::string("tab") : std::string(1, separator)));
}

// The layout with all its columns, else one that lacks only the arrival.
const CsvLayout& layout_of(const CsvReader& csv) {
  for (const bool need_arrival : {true, false}) {
    for (const CsvLayout& layout : kLayouts) {
      if (csv.find_column(layout.input) && csv.find_column(layout.output) &&
          (!need_arrival || csv.find_column(layout.arrival))) {
        return layout;
      }
    }
  }
  check_is_csv(csv);
  throw InvalidInput(fmt::format(
      "{}: no known trace layout in the columns {}; expected input_tokens,output_tokens (with arrived_s), "
      "num_prefill_tokens,num_decode_tokens (with arrived_at), TIMESTAMP,ContextTokens,GeneratedTokens, or "
      "Timestamp,Request tokens,Response tokens",
      csv.path().string(), fmt::join(csv.columns(), ",")));
}

RecordedTrace read_csv(const std::filesystem::path& path, std::int64_t max_requests) {
  CsvReader csv(path);
  const CsvLayout& layout = layout_of(csv);
  const auto arrival = csv.find_column(layout.arrival);
  const std::size_t input = csv.column(layout.input), output = csv.column(layout.output);
  const auto priority = csv.find_column("priority");
  TraceRows rows(path);
  while (!rows.full(max_requests) && csv.next()) {
    TraceRow row;
    row.line = csv.line();
    if (arrival) {
      row.arrival_ns = layout.date_and_time ? parse_date_and_time(csv.cell(*arrival), csv.where(*arrival))
                                            : seconds_to_ns(csv.real(*arrival), csv.where(*arrival));
    }
    row.input_tokens = csv.integer(input);
    row.output_tokens = csv.integer(output);
    if (priority) row.priority = csv.integer(*priority);
    if (layout.skips_failed && row.output_tokens == 0) continue;
    rows.add(row);
  }
  return {rows.take(arrival.has_value()), std::string(layout.name)};
}

}  // namespace

RecordedTrace read_trace_file(const std::filesystem::path& path, std::int64_t max_requests) {
  const std::string name = path.filename().string();
  if (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")) return read_trace_jsonl(path, max_requests);
  if (name.ends_with(".json") || name.ends_with(".json.gz")) return read_trace_json(path, max_requests);
  return read_csv(path, max_requests);
}

}  // namespace warploom
