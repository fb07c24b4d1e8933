// The corrections of published rows in data/benchmarks/row_corrections.json.
#pragma once

#include "warploom/base/json.h"
#include "warploom/measurements/row_corrections.h"

namespace warploom {

// Throws InvalidInput on a document that is not of that schema, naming the rule.
RowCorrections row_corrections_from_json(const Json& document);
// The built-in ones.
const RowCorrections& row_corrections();

}  // namespace warploom
