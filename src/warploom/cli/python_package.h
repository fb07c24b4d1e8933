// The folder of the Python package that programs on a GPU are started from, unless an option says another.
#pragma once

#include <string>

namespace warploom {

// WARPLOOM_PACKAGE of the environment, else the source tree's.
std::string python_package();

}  // namespace warploom
