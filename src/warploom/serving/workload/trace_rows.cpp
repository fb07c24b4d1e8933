#include "warploom/serving/workload/trace_rows.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kMostPriority = 1'000'000'000;

// The integer of exactly `digits` digits at `position`, or -1.
int digits_at(std::string_view text, std::size_t position, std::size_t digits) {
  if (text.size() < position + digits) return -1;
  int value = 0;
  const char* begin = text.data() + position;
  const auto [end, error] = std::from_chars(begin, begin + digits, value);
  return error == std::errc() && end == begin + digits ? value : -1;
}

// Nanoseconds of ".6805900" at the start of `text`; 0 without a point.
std::int64_t fraction_ns(std::string_view text) {
  std::int64_t value = 0, unit = kNanoseconds;
  if (text.empty() || text.front() != '.') return 0;
  for (std::size_t i = 1; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    unit /= 10;
    value += unit * (text[i] - '0');
  }
  return value;
}

}  // namespace

void TraceRows::add(const TraceRow& row) {
  const auto where = [&] { return fmt::format("{}:{}", path_.string(), row.line); };
  for (const auto& [what, tokens] :
       {std::pair{"input", row.input_tokens}, std::pair{"output", row.output_tokens}}) {
    if (tokens < 1 || tokens > kMaxRequestTokens) {
      throw InvalidInput(
          fmt::format("{}: {} {} tokens, expected 1 to {}", where(), tokens, what, kMaxRequestTokens));
    }
  }
  const auto index = std::int32_t(workload_.requests.size());
  WorkloadRequest request{SimTime(), std::int32_t(row.input_tokens), std::int32_t(row.output_tokens)};
  if (std::abs(row.priority) > kMostPriority)
    throw InvalidInput(fmt::format("{}: priority {}, expected -{} to {}", where(), row.priority,
                                   kMostPriority, kMostPriority));
  request.priority = std::int32_t(row.priority);
  for (const TraceParent& parent : row.parents) {
    const SimDuration delay(parent.delay_ns);
    if (request.after < 0) {
      request.after = parent.request;
      request.delay = delay;
      request.from_sending = parent.from_sending;
    } else {
      workload_.further_parents.push_back(
          {std::uint32_t(index), std::uint32_t(parent.request), delay, parent.from_sending});
    }
  }
  const auto turn = row.session.empty() ? latest_turn_.end() : latest_turn_.find(row.session);
  if (turn != latest_turn_.end()) {
    request.after = turn->second;
    request.delay = SimDuration(row.delay_ns);
  } else if (row.parents.empty()) {
    if (workload_.requests.empty()) first_ns_ = row.arrival_ns;
    request.arrival = SimTime(row.arrival_ns - first_ns_);
    if (request.arrival < latest_arrival_) {
      throw InvalidInput(
          fmt::format("{}: arrives {} s before the request above it, expected arrivals in order", where(),
                      (latest_arrival_ - request.arrival).seconds().value()));
    }
    latest_arrival_ = request.arrival;
  }
  if (!row.session.empty()) latest_turn_[row.session] = index;
  workload_.requests.push_back(request);
  workload_.content.insert(workload_.content.end(), row.content.begin(), row.content.end());
  workload_.content_begin.push_back(std::uint32_t(workload_.content.size()));
}

Workload TraceRows::take(bool timed) {
  if (workload_.requests.empty()) {
    throw InvalidInput(fmt::format("{}: no requests, expected at least one", path_.string()));
  }
  workload_.name = path_.filename().string();
  workload_.timed = timed;
  if (workload_.content.empty()) {
    workload_.content_begin.clear();
  } else {
    workload_.content_begin.insert(workload_.content_begin.begin(), 0);
  }
  return std::move(workload_);
}

std::int64_t seconds_to_ns(double seconds, std::string_view where) {
  if (!(seconds >= 0 && seconds <= 1e9)) {
    throw InvalidInput(fmt::format("{}: {} s, expected a time between 0 and 1e9 s", where, seconds));
  }
  return std::llround(seconds * 1e9);
}

std::int64_t parse_date_and_time(std::string_view text, std::string_view where) {
  const int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
  const int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  const bool separators =
      text.size() >= 19 && text[4] == '-' && text[7] == '-' && text[13] == ':' && text[16] == ':';
  if (!separators || year < 1970 || year > 2200 || !date.ok() || hour < 0 || hour > 23 || minute < 0 ||
      minute > 59 || second < 0 || second > 60) {
    throw InvalidInput(
        fmt::format("{}: '{}', expected a time like 2023-11-16 18:15:46.6805900", where, text));
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
  return seconds * kNanoseconds + fraction_ns(text.substr(19));
}

}  // namespace warploom
