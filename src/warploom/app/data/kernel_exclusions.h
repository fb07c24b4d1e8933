// Which measured kernels `validate kernels` does not judge: the rules of
// data/benchmarks/kernel_exclusions.json.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/base/json.h"

namespace warploom {

struct KernelExclusion {
  std::string rule, reason, source;
  std::string counted_as;  // the importers' reason for the rows it skips; empty: not skipped by an importer
  std::optional<double> value;
  bool leave_out = false;  // applies where a GPU or generation is left out alone
};

// Throws InvalidInput on a document that is not of that schema.
std::vector<KernelExclusion> kernel_exclusions_from_json(const Json& document);
// The built-in rules.
const std::vector<KernelExclusion>& kernel_exclusions();
// The rule of that name. Throws NotFound.
const KernelExclusion& kernel_exclusion(std::string_view rule);

// A rule and how many rows it matched.
struct KernelRuleRows {
  const KernelExclusion* exclusion = nullptr;
  std::size_t rows = 0;
  std::string of;  // what the rows are of; empty: everything read
};

}  // namespace warploom
