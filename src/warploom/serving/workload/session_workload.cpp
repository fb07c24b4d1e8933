#include "warploom/serving/workload/session_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "warploom/base/error.h"
#include "warploom/base/random.h"

namespace warploom {
namespace {

constexpr std::uint64_t kSystemContent = 1;
constexpr std::uint64_t kFirstSessionContent = 2;

std::int32_t draw_length(RandomStream& random, std::int64_t mean) {
  return std::int32_t(
      random.integer(std::max<std::int64_t>(1, mean / 2), std::max<std::int64_t>(1, mean + mean / 2)));
}

}  // namespace

FieldTable SessionShape::describe() {
  using S = SessionShape;
  return FieldList<S>("session_shape")
      .add("sessions", &S::sessions, {.doc = "sessions in the workload", .min = 1, .max = 1e7})
      .add("turns", &S::turns, {.doc = "turns of a session", .min = 1, .max = 10000})
      .add("system_prompt_tokens", &S::system_prompt_tokens,
           {.doc = "tokens at the start of every session", .min = 0, .max = 1e7})
      .add("user_tokens", &S::user_tokens, {.doc = "new tokens of a turn, mean", .min = 1, .max = 1e7})
      .add("output_tokens", &S::output_tokens, {.doc = "tokens of an answer, mean", .min = 1, .max = 1e7})
      .add("think_time_s", &S::think_time,
           {.unit = "s", .doc = "between an answer and the next turn, mean", .min = 0, .max = 1e6})
      .add("session_rate", &S::rate,
           {.unit = "1/s", .doc = "new sessions per second", .min = 1e-9, .max = 1e9})
      .table();
}

Workload session_workload(const SessionShape& shape, std::uint64_t seed) {
  check(shape, "sessions");
  const double longest = double(shape.system_prompt_tokens) +
                         1.5 * double(shape.turns) * double(shape.user_tokens + shape.output_tokens);
  if (longest > double(kMaxRequestTokens) || double(shape.sessions) * double(shape.turns) > 1e8)
    throw InvalidInput(
        fmt::format("sessions: {} of {} turns grow to {:.3g} tokens, expected at most 1e8 requests of {}",
                    shape.sessions, shape.turns, longest, kMaxRequestTokens));
  RandomStream lengths(seed, "session lengths"), times(seed, "session times");
  Workload workload;
  workload.name = fmt::format("{} sessions of {} turns", shape.sessions, shape.turns);
  workload.content_begin.push_back(0);
  double start = 0;
  for (std::int64_t session = 0; session < shape.sessions; ++session) {
    std::int32_t said = 0;  // by both sides, after the system prompt
    for (std::int64_t turn = 0; turn < shape.turns; ++turn) {
      said += draw_length(lengths, shape.user_tokens);
      WorkloadRequest request;
      request.input_tokens = std::int32_t(shape.system_prompt_tokens) + said;
      request.output_tokens = draw_length(lengths, shape.output_tokens);
      if (turn == 0) {
        request.arrival = to_sim_time(Seconds(start));
      } else {
        request.after = std::int32_t(workload.requests.size()) - 1;
        request.delay = to_sim_duration(shape.think_time * times.exponential(1.0));
      }
      if (shape.system_prompt_tokens > 0)
        workload.content.push_back({kSystemContent, std::int32_t(shape.system_prompt_tokens)});
      workload.content.push_back({kFirstSessionContent + std::uint64_t(session), said});
      workload.content_begin.push_back(std::uint32_t(workload.content.size()));
      workload.requests.push_back(request);
      said += request.output_tokens;
    }
    start += times.exponential(1.0 / shape.rate);
  }
  return workload;
}

}  // namespace warploom
