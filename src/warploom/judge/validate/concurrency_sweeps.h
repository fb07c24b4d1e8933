// Sweeps over the number of requests, and the rule by which such a sweep is taken to have drafted tokens
// (data/benchmarks/concurrency_speculation.json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/judge/validate/concurrency_exclusions.h"

namespace warploom {

struct SweepPoint {
  std::size_t row = 0;           // its place among the rows that were grouped
  double requests = 0;           // in flight, of one rank of the attention
  std::int64_t concurrency = 0;  // in flight in all
  double ratio = 0;              // measured TPOT over the plain prediction; 0: not known
};

// Rows of one dump and image that differ in the number of requests alone, in order of that number.
struct ConcurrencySweep {
  std::string name;
  std::vector<SweepPoint> points;
};

// Rows that no rule takes out and that one engine serves. Keys say what the rows of a sweep share.
std::map<std::string, ConcurrencySweep> sweeps_of(const std::vector<SortedRow>& rows);

struct SpeculationRule {
  std::int64_t fewest_rows = 3;
  double few_requests = 16;          // a sweep must begin at so few, or it does not show what drafts gain
  double most_ratio = 0.8;           // mean ratio of the two points of fewest requests
  double least_rise = 0.8;           // the ratio of the last point over that mean
  std::vector<std::int64_t> drafts;  // numbers of drafts that are tried
  std::string reason, source;

  // False while a ratio is not known.
  bool finds(const ConcurrencySweep& sweep) const;
  // Whether the known ratios leave it open that the sweep is found.
  bool may_find(const ConcurrencySweep& sweep) const;
};

// Throws InvalidInput on a document that is not of the schema.
SpeculationRule speculation_rule_from_json(const Json& document);
// The built-in one.
const SpeculationRule& speculation_rule();

}  // namespace warploom
