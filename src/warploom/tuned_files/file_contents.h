// What stands in each engine's tuned file.
#pragma once

#include <span>

#include "warploom/base/json.h"
#include "warploom/tuned_files/sure_rows.h"

namespace warploom {

// One configuration as the file's kernel is launched with it.
Json config_contents(const TunedFile& file, const MoeConfig& config);

// The whole file, which the engine's loader takes: no key beside those of rows, since some of its readers
// take every key for a number. Rows of adapters in vLLM nest as key_launches has them.
Json file_contents(const TunedFile& file, std::span<const SureRow> rows);

// A row's keys from the outermost to the innermost: "128", "2/3/128/4096/16".
std::string key_text(const SureRow& row);

}  // namespace warploom
