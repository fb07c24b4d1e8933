// Which rows of a benchmark table are judged, and which fitted constants have seen them: the rules of
// data/benchmarks, each with its reason and source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"
#include "warploom/judge/validate/concurrency_truth.h"
#include "warploom/judge/validate/row_condition.h"

namespace warploom {

enum class ExclusionKind {
  Incomplete,  // a fact without which the row cannot be simulated is not stated
  Repeat,      // the same measurement as an earlier row
  SetAside,    // could be judged, but is not believed to be what it says
};
template <>
struct EnumNames<ExclusionKind> {
  static constexpr std::array<std::pair<ExclusionKind, std::string_view>, 3> kNames{
      {{ExclusionKind::Incomplete, "incomplete"},
       {ExclusionKind::Repeat, "repeat"},
       {ExclusionKind::SetAside, "set_aside"}}};
};

// What makes a row a repeat of an earlier one: every column but its id, or the same configuration and figures
// that differ by rounding.
enum class RepeatTest { None, Exact, Rounded };

struct ExclusionRule {
  std::string name, reason, source;
  ExclusionKind kind = ExclusionKind::SetAside;
  bool ttft_alone = false;  // the row's TPOT is judged
  RepeatTest repeats = RepeatTest::None;
  double rounding_ms = 0;  // of RepeatTest::Rounded: figures closer than this are one
  RowCondition when;       // of rules that test columns
};

// A constant or choice that was made with the errors of some rows in view.
struct FitRule {
  std::string name, fitted, source;
  bool ttft = false, tpot = false;  // the figures that it moves
  bool everywhere = false;          // one choice for all rows: stated, but it sets no row apart
  RowCondition when;
};

struct ConcurrencyRules {
  std::vector<ExclusionRule> exclusions;  // in the order in which they are applied
  std::string corrections;                // what undo_products does, and why
  std::vector<FitRule> fits;
};

// Throws InvalidInput on a document that is not of that schema.
ConcurrencyRules concurrency_rules_from_json(const Json& exclusions, const Json& fits);
// The built-in rules.
const ConcurrencyRules& concurrency_rules();

struct SortedRow {
  ConcurrencyTruth truth;
  int excluded_by = -1;       // index of the first rule that takes the whole row out; -1: judged
  int ttft_excluded_by = -1;  // the same for its TTFT alone
  bool corrected = false;     // undo_products changed it
};
// Every row of the file in its order; a rule sees the rows that no earlier rule took out.
std::vector<SortedRow> sort_rows(std::vector<ConcurrencyTruth> rows, const ConcurrencyRules& rules);

}  // namespace warploom
