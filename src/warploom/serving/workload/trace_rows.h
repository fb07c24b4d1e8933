// What every trace reader checks, row by row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warploom/serving/workload/workload.h"

namespace warploom {

// A row that another one waits for.
struct TraceParent {
  std::int32_t request = 0;  // how many rows were added before it
  std::int64_t delay_ns = 0;
  bool from_sending = false;
};

struct TraceRow {
  std::size_t line = 0;
  std::int64_t arrival_ns = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t priority = 0;            // lower is served first
  std::string session;                  // later rows of a session are its later turns; empty: none
  std::int64_t delay_ns = 0;            // of a later turn, after the one before it completes
  std::vector<TraceParent> parents;     // in place of a session
  std::vector<ContentSegment> content;  // empty: nothing known
};

class TraceRows {
 public:
  explicit TraceRows(std::filesystem::path path) : path_(std::move(path)) {}
  bool full(std::int64_t max_requests) const {
    return max_requests > 0 && std::int64_t(workload_.requests.size()) >= max_requests;
  }
  // Throws InvalidInput "<file>:<line>: ..." on a length out of range or an arrival before the previous one.
  void add(const TraceRow& row);
  // Throws InvalidInput when nothing was added.
  Workload take(bool timed);

 private:
  std::filesystem::path path_;
  Workload workload_;
  std::unordered_map<std::string, std::int32_t> latest_turn_;
  std::int64_t first_ns_ = 0;
  SimTime latest_arrival_;
};

// Nanoseconds; throws InvalidInput when not within 0 and 1e9 seconds.
std::int64_t seconds_to_ns(double seconds, std::string_view where);

// "2023-11-16 18:15:46.6805900" (fraction and time zone optional; the zone is ignored, one trace has one) to
// nanoseconds since 1970. Throws InvalidInput.
std::int64_t parse_date_and_time(std::string_view text, std::string_view where);

}  // namespace warploom
