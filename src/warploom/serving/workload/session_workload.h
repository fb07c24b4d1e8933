// Conversations and agents: sessions of several turns, each turn's prompt holding all that was said before;
// tools run between turns, and branches are opened and waited for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// How a session's lengths and numbers of turns are distributed around their means: evenly between half and
// one and a half (turns: none but the mean); log-normally with the logarithm's deviation kLogNormalDeviation
// (turns: geometrically), as agents' traces are, with many short and few long ones.
enum class SessionSpread { Even, Heavy };
template <>
struct EnumNames<SessionSpread> {
  static constexpr std::array<std::pair<SessionSpread, std::string_view>, 2> kNames{
      {{SessionSpread::Even, "even"}, {SessionSpread::Heavy, "heavy"}}};
};
constexpr double kLogNormalDeviation = 1;

// Times are drawn exponentially, lengths by the spread.
struct SessionShape {
  std::int64_t sessions = 100;
  std::int64_t turns = 4;                   // of a session, mean
  std::int64_t system_prompt_tokens = 500;  // the same for every session; 0: none
  std::int64_t user_tokens = 200;           // new in a turn that a user begins
  std::int64_t output_tokens = 200;
  Seconds think_time{5.0};  // between an answer and the user's next turn
  double rate = 1.0;        // new sessions per second
  SessionSpread spread = SessionSpread::Even;
  // Agents: this share of later turns follows a tool's run, not a user.
  double tool_share = 0;
  std::int64_t tool_tokens = 500;  // new in such a turn: the tool's result
  Seconds tool_time{2.0};          // that the tool runs
  // This share of a session's turns but the last opens so many branches at once, each of branch_turns turns
  // that follow tools; the session's next turn waits for all of them and reads their last answers.
  double branch_share = 0;
  std::int64_t branches = 2;
  std::int64_t branch_turns = 3;
  bool branches_fork =
      true;  // a branch begins with all that was said, else with the system prompt and its task
  // Once a turn and its answer are longer than compact_at_tokens, an agent asks for a summary of
  // summary_tokens, and what follows begins with the system prompt and that; 0: never.
  std::int64_t compact_at_tokens = 0;
  std::int64_t summary_tokens = 2000;

  static FieldTable describe();
};

// Turn t of a session has the system prompt, all earlier turns and answers (or the latest summary and what
// was said since), and new words as its prompt; the
// workload says which parts are the same. Deterministic in the seed. Throws InvalidInput on values out of
// range, a prompt longer than kMaxRequestTokens or more than kMaxSessionRequests requests.
constexpr std::int64_t kMaxSessionRequests = 100'000'000;
Workload session_workload(const SessionShape& shape, std::uint64_t seed);

}  // namespace warploom
