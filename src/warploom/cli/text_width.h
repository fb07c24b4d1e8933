// How wide what is printed may be.
#pragma once

#include "warploom/report/fitted_text.h"

namespace warploom {

// COLUMNS where it says 20 or more, else the terminal's; as wide as it is where standard output is none, so
// that a row of a table stays a line for what reads it.
TextWidth text_width();

}  // namespace warploom
