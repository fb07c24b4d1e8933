// Conversations and agents: sessions of several turns, each turn's prompt holding all that was said before.
#pragma once

#include <cstdint>

#include "warploom/base/fields.h"
#include "warploom/serving/workload/workload.h"

namespace warploom {

// Lengths are drawn evenly between half and one and a half of the stated means, times exponentially.
struct SessionShape {
  std::int64_t sessions = 100;
  std::int64_t turns = 4;
  std::int64_t system_prompt_tokens = 500;  // the same for every session; 0: none
  std::int64_t user_tokens = 200;           // new in each turn: a user's words or a tool's result
  std::int64_t output_tokens = 200;
  Seconds think_time{5.0};  // between an answer and the next turn: reading, or a tool's run
  double rate = 1.0;        // new sessions per second

  static FieldTable describe();
};

// Turn t of a session has the system prompt, all earlier turns and answers, and new words as its prompt; the
// workload says which parts are the same. Deterministic in the seed. Throws InvalidInput on values out of
// range or a prompt longer than kMaxRequestTokens.
Workload session_workload(const SessionShape& shape, std::uint64_t seed);

}  // namespace warploom
