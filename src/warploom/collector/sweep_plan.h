// What a sweep measures, most informative first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "warploom/collector/operator_text.h"

namespace warploom::collector {

struct PlannedCase {
  OperatorText op;
  std::string kernel;  // the one to measure; empty: every kernel that can
};

// A plan that `warploom sweep-plan` wrote: CSV with the column `operator` and, if wanted, `kernel`. Throws
// FileFailure on a file that cannot be read, BadInput naming file and line on a damaged one.
std::vector<PlannedCase> read_plan(const std::filesystem::path& path);

// Without a plan: shapes that suit no model in particular, spread evenly over the logarithms of all sizes by
// a low-discrepancy sequence, families taking turns. Any beginning of it covers all families. The first
// `cases` of it; equal seeds give equal plans. With more than one of `gpus` also collectives over 2, 4, ...
// of them, buffers from 1 KiB to 1 GiB.
std::vector<PlannedCase> general_plan(std::size_t cases, std::uint64_t seed, int gpus = 1);

}  // namespace warploom::collector
