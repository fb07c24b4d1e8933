// The folder of the Python package that programs on a GPU are started from, unless an option says another.
#pragma once

#include <string>

namespace warploom {

// WARPLOOM_PACKAGE of the environment; else the package beside this program, or in a `python` beside it, or
// the same of a folder above; else `python`. No path of the build stands in the program (tools/same_bytes).
std::string python_package();

}  // namespace warploom
