// Conditions over rows of concurrency_runs.csv, as the files of data/benchmarks write them.
//
// A condition is an object that tests columns by their names in the CSV; all tests must hold:
//   {"backend": "vllm", "model_path": {"contains": "gpt-oss"}, "tp_size": {"at_least": 16}}
// or a list of such objects, of which one must hold. A test is a value or a list of values to be equal to, or
// an object of "contains", "starts_with", "ends_with" (texts), "at_least", "at_most" (numbers), "absent"
// (true or false: whether the row states nothing) and "not" (another test). "is" and "is_not" name conditions
// that the file defines under "sets".
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "warploom/base/json.h"
#include "warploom/judge/validate/concurrency_truth.h"

namespace warploom {

using RowCondition = std::function<bool(const ConcurrencyTruth&)>;
using NamedConditions = std::map<std::string, RowCondition, std::less<>>;

// Throws InvalidInput "<where>: ..." on an unknown column, test or set, with the nearest name.
RowCondition parse_condition(const Json& document, std::string_view where, const NamedConditions& sets = {});
// The conditions under "sets" of a file, none when it has no such key.
NamedConditions parse_sets(const Json& document, std::string_view where);

}  // namespace warploom
