// What a reader of measurements kept and left out.
#pragma once

#include <string>

#include "warploom/base/json.h"
#include "warploom/measurements/import_report.h"

namespace warploom {

std::string import_report_text(const ImportReport& report);
// {"rows_read","rows_kept","repeats",
//  "files":[{"path","table","rows_read","rows_kept","repeats"}],
//  "skipped":[{"reason","rows","examples"}]}
Json import_report_json(const ImportReport& report);

}  // namespace warploom
