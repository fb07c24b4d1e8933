// What a reader of measurements kept and left out.
#pragma once

#include <filesystem>
#include <string>

#include "warploom/app/data/import_data.h"
#include "warploom/base/json.h"
#include "warploom/measurements/import_report.h"

namespace warploom {

std::string import_report_text(const ImportReport& report);
// {"rows_read","rows_kept","repeats",
//  "files":[{"path","table","rows_read","rows_kept","repeats"}],
//  "skipped":[{"reason","rows","examples"}]}
Json import_report_json(const ImportReport& report);

std::string import_summary_text(const ImportSummary& summary, const std::filesystem::path& store);
// The same keys, and "store": {"added", "replaced", "rows"}
Json import_summary_json(const ImportSummary& summary);

}  // namespace warploom
