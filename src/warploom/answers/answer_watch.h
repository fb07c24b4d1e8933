// How a caller follows a long answer, and ends it.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

namespace warploom {

class PlanCrew;

// Called from any thread, one call at a time; may throw to end the answer
// where the use case allows it.
struct AnswerWatch {
  std::function<void(double done, double total)> progress;  // of what the answer counts: requests, rows
  std::function<void(std::string_view line)> said;          // a word on the way
  // What the answer left out of what was asked, or took in its place. Empty: `said` is told.
  std::function<void(std::string_view line)> noted;
  const std::atomic<bool>* cancelled = nullptr;  // a run then ends as it stands, marked as partial
  // Called before `progress`: how far a run's clock is ("310 s simulated"), or which part of a plan is
  // counted ("screened", "decided").
  std::function<void(std::string_view place)> at;
  PlanCrew* crew = nullptr;  // of a plan: processes that search together; all but the first get null

  void note(std::string_view line) const {
    if (const auto& told = noted ? noted : said) told(line);
  }
};

}  // namespace warploom
