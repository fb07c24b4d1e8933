// Several processes that search one plan together, on one machine or on many.
//
// All hold the same task and follow the same course. In each stage they take numbered pieces of work, whoever
// is free the next one, and then tell each other what came out; so the result has the same bytes as that of
// one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/planner/configuration_answer.h"

namespace warploom {

using CrewMessage = std::vector<std::uint8_t>;

class PlanCrew {
 public:
  virtual ~PlanCrew() = default;
  // The first member prints and writes.
  virtual bool is_first() const = 0;
  // The lowest number that no member took in this stage. By any thread.
  virtual std::size_t take() = 0;
  // Ends a stage: what every member sent, the first one's first, to all of them.
  virtual std::vector<CrewMessage> exchange(CrewMessage own) = 0;
};

// Runs work(i) for 0 to count - 1 on all members, packs what came out where it ran, and unpacks it
// everywhere.
void share_work(PlanCrew& crew, std::size_t count, std::size_t threads,
                const std::function<void(std::size_t)>& work, const std::function<Json(std::size_t)>& pack,
                const std::function<void(std::size_t, const Json&)>& unpack);

// Exact, infinities included.
Json screened_to_json(const Screened& screened);
Screened screened_from_json(const Json& document);
Json answer_to_json(const ConfigurationAnswer& answer);
// The answer of that configuration under that task; what follows from its runs is worked out again.
ConfigurationAnswer answer_from_json(const Json& document, const PlanTask& task,
                                     const Configuration& configuration, const Screened& screened);

}  // namespace warploom
