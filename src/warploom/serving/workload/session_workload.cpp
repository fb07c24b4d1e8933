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

// Draws the sessions one after another.
class SessionDraw {
 public:
  SessionDraw(const SessionShape& shape, std::uint64_t seed)
      : shape_(shape),
        lengths_(seed, "session lengths"),
        times_(seed, "session times"),
        tools_(seed, "session tools"),
        branching_(seed, "session branches") {
    workload_.name = fmt::format("{} sessions of {} turns", shape.sessions, shape.turns);
    workload_.content_begin.push_back(0);
  }

  Workload take() {
    for (std::int64_t i = 0; i < shape_.sessions; ++i) {
      add_session();
      start_ += times_.exponential(1.0 / shape_.rate);
    }
    return std::move(workload_);
  }

 private:
  // What was said in a session or a branch of it, after the system prompt.
  struct Talk {
    std::vector<ContentSegment> before;  // what a branch has from its session
    std::uint64_t content = 0;           // its own words and answers
    std::int64_t said = 0;
    std::int32_t latest = -1;  // its latest turn
  };

  std::int32_t draw_length(std::int64_t mean) {
    if (shape_.spread == SessionSpread::Even)
      return std::int32_t(
          lengths_.integer(std::max<std::int64_t>(1, mean / 2), std::max<std::int64_t>(1, mean + mean / 2)));
    const double deviation = kLogNormalDeviation;
    const double drawn =
        std::exp(lengths_.normal(std::log(double(mean)) - deviation * deviation / 2, deviation));
    return std::int32_t(std::clamp(std::round(drawn), 1.0, double(kMaxRequestTokens)));
  }

  std::int64_t draw_turns() {
    if (shape_.spread == SessionSpread::Even || shape_.turns == 1) return shape_.turns;
    // Geometric from 1 on: each turn is the last one with the chance of 1 over the mean.
    const double more = std::log1p(-1.0 / double(shape_.turns));
    return 1 + std::int64_t(std::log1p(-lengths_.uniform()) / more);
  }

  SimDuration draw_time(Seconds mean) { return to_sim_duration(mean * times_.exponential(1.0)); }

  // A turn that waits for an answer; tool turns follow each other in a branch.
  void follow(WorkloadRequest& turn, Talk& talk, std::int32_t after, bool of_branch) {
    const bool tool = of_branch || (shape_.tool_share > 0 && tools_.uniform() < shape_.tool_share);
    talk.said += draw_length(tool ? shape_.tool_tokens : shape_.user_tokens);
    turn.after = after;
    turn.delay = draw_time(tool ? shape_.tool_time : shape_.think_time);
  }

  // `goes_on`: another turn of the talk follows.
  void add(WorkloadRequest turn, Talk& talk, bool goes_on) {
    turn.output_tokens = draw_length(shape_.output_tokens);
    const std::int64_t said = push(turn, talk) + turn.output_tokens;
    talk.said += turn.output_tokens;
    if (goes_on && shape_.compact_at_tokens > 0 && said > shape_.compact_at_tokens) compact(talk);
  }

  // The request with all that was said as its prompt, whose length is returned.
  std::int64_t push(WorkloadRequest turn, Talk& talk) {
    std::int64_t input = shape_.system_prompt_tokens + talk.said;
    for (const ContentSegment& segment : talk.before) input += segment.tokens;
    if (input > kMaxRequestTokens || std::ssize(workload_.requests) >= kMaxSessionRequests)
      throw InvalidInput(
          fmt::format("sessions: request {} grows to {} tokens, expected at most {} requests of {} tokens",
                      workload_.requests.size(), input, kMaxSessionRequests, kMaxRequestTokens));
    turn.input_tokens = std::int32_t(input);
    if (shape_.system_prompt_tokens > 0)
      workload_.content.push_back({kSystemContent, std::int32_t(shape_.system_prompt_tokens)});
    workload_.content.insert(workload_.content.end(), talk.before.begin(), talk.before.end());
    workload_.content.push_back({talk.content, std::int32_t(talk.said)});
    workload_.content_begin.push_back(std::uint32_t(workload_.content.size()));
    talk.latest = std::int32_t(workload_.requests.size());
    workload_.requests.push_back(turn);
    return input;
  }

  // The summary is asked for at once, with all that was said as its prompt.
  void compact(Talk& talk) {
    WorkloadRequest request;
    request.after = talk.latest;
    request.output_tokens = draw_length(shape_.summary_tokens);
    push(request, talk);
    talk.before.clear();
    talk.content = next_content_++;
    talk.said = request.output_tokens;
  }

  void add_session() {
    Talk talk{.before = {}, .content = next_content_++};
    const std::int64_t turns = draw_turns();
    std::vector<std::int32_t> ends;  // of branches that the next turn waits for
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      WorkloadRequest request;
      if (turn == 0) {
        talk.said += draw_length(shape_.user_tokens);
        request.arrival = to_sim_time(Seconds(start_));
      } else if (ends.empty()) {
        follow(request, talk, talk.latest, false);
      } else {
        join(request, ends);
      }
      add(request, talk, turn + 1 < turns);
      ends.clear();
      const bool branches =
          shape_.branch_share > 0 && turn + 1 < turns && branching_.uniform() < shape_.branch_share;
      for (std::int64_t i = 0; branches && i < shape_.branches; ++i) ends.push_back(add_branch(talk));
      for (const std::int32_t end : ends) talk.said += workload_.requests[std::size_t(end)].output_tokens;
    }
  }

  // Nobody thinks between the last answer of a branch and the turn that reads it.
  void join(WorkloadRequest& turn, const std::vector<std::int32_t>& ends) {
    turn.after = ends.front();
    for (std::size_t i = 1; i < ends.size(); ++i)
      workload_.further_parents.push_back(
          {std::uint32_t(workload_.requests.size()), std::uint32_t(ends[i]), SimDuration(), false});
  }

  std::int32_t add_branch(const Talk& parent) {
    Talk talk{.before = {}, .content = next_content_++};
    if (shape_.branches_fork) {
      talk.before = parent.before;
      talk.before.push_back({parent.content, std::int32_t(parent.said)});
    }
    std::int32_t after = parent.latest;
    for (std::int64_t turn = 0; turn < shape_.branch_turns; ++turn) {
      WorkloadRequest request;
      follow(request, talk, after, true);
      add(request, talk, turn + 1 < shape_.branch_turns);
      after = talk.latest;
    }
    return after;
  }

  const SessionShape& shape_;
  RandomStream lengths_, times_, tools_, branching_;
  Workload workload_;
  double start_ = 0;
  std::uint64_t next_content_ = kFirstSessionContent;
};

}  // namespace

FieldTable SessionShape::describe() {
  using S = SessionShape;
  const auto share = [](std::string_view doc) { return FieldOptions{.doc = doc, .min = 0, .max = 1}; };
  return FieldList<S>("session_shape")
      .add("sessions", &S::sessions, {.doc = "sessions in the workload", .min = 1, .max = 1e7})
      .add("turns", &S::turns, {.doc = "turns of a session, mean", .min = 1, .max = 10000})
      .add("system_prompt_tokens", &S::system_prompt_tokens,
           {.doc = "tokens at the start of every session", .min = 0, .max = 1e7})
      .add("user_tokens", &S::user_tokens, {.doc = "new tokens of a user's turn, mean", .min = 1, .max = 1e7})
      .add("output_tokens", &S::output_tokens, {.doc = "tokens of an answer, mean", .min = 1, .max = 1e7})
      .add("think_time_s", &S::think_time,
           {.unit = "s", .doc = "between an answer and the user's next turn, mean", .min = 0, .max = 1e6})
      .add("session_rate", &S::rate,
           {.unit = "1/s", .doc = "new sessions per second", .min = 1e-9, .max = 1e9})
      .add("session_spread", &S::spread,
           {.doc = "of lengths and turns: even around the mean, or heavy (log-normal, geometric)"})
      .add("tool_share", &S::tool_share, share("of later turns that follow a tool's run, not a user"))
      .add("tool_tokens", &S::tool_tokens, {.doc = "tokens of a tool's result, mean", .min = 1, .max = 1e7})
      .add("tool_time_s", &S::tool_time, {.unit = "s", .doc = "a tool's run, mean", .min = 0, .max = 1e6})
      .add("branch_share", &S::branch_share,
           share("of turns that open branches, which the next one waits for"))
      .add("branches", &S::branches, {.doc = "branches opened at once", .min = 1, .max = 1000})
      .add("branch_turns", &S::branch_turns,
           {.doc = "turns of a branch, each after a tool", .min = 1, .max = 1000})
      .add("branches_fork", &S::branches_fork,
           {.doc = "branches begin with all that was said, not with the system prompt alone"})
      .add("compact_at_tokens", &S::compact_at_tokens,
           {.doc = "beyond it a summary takes the place of what was said, 0: never", .min = 0, .max = 1e7})
      .add("summary_tokens", &S::summary_tokens,
           {.doc = "tokens of such a summary, mean", .min = 1, .max = 1e7})
      .table();
}

Workload session_workload(const SessionShape& shape, std::uint64_t seed) {
  check(shape, "sessions");
  const double longest = double(shape.system_prompt_tokens) +
                         1.5 * double(shape.turns) * double(shape.user_tokens + shape.output_tokens);
  if (longest > double(kMaxRequestTokens) ||
      double(shape.sessions) * double(shape.turns) > double(kMaxSessionRequests))
    throw InvalidInput(
        fmt::format("sessions: {} of {} turns grow to {:.3g} tokens, expected at most 1e8 requests of {}",
                    shape.sessions, shape.turns, longest, kMaxRequestTokens));
  const auto alone = [](bool given, std::string_view fields, std::string_view expected) {
    if (given)
      throw InvalidInput(
          fmt::format("{} bear on nothing by themselves, expected `{}` above 0 too", fields, expected));
  };
  const SessionShape usual;
  const bool branches = shape.branch_share > 0;
  alone(!branches && (shape.branches != usual.branches || shape.branch_turns != usual.branch_turns ||
                      shape.branches_fork != usual.branches_fork),
        "`branches`, `branch_turns` and `branches_fork`", "branch_share");
  alone(!branches && shape.tool_share == 0 &&
            (shape.tool_tokens != usual.tool_tokens || shape.tool_time != usual.tool_time),
        "`tool_tokens` and `tool_time_s`", "tool_share");
  const bool compacts = shape.compact_at_tokens > 0;
  alone(!compacts && shape.summary_tokens != usual.summary_tokens, "`summary_tokens`", "compact_at_tokens");
  if (compacts && shape.compact_at_tokens <= shape.system_prompt_tokens + shape.summary_tokens)
    throw InvalidInput(fmt::format(
        "sessions: compact_at_tokens is {}, expected more than the {} tokens of the system prompt "
        "and the summary",
        shape.compact_at_tokens, shape.system_prompt_tokens + shape.summary_tokens));
  return SessionDraw(shape, seed).take();
}

}  // namespace warploom
