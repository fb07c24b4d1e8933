// The folder of the Python package that programs on a GPU are started from, unless an option says another.
#pragma once

#include <cstdlib>
#include <string>

namespace warploom {

// WARPLOOM_PACKAGE of the environment, else the source tree's.
inline std::string python_package() {
  const char* named = std::getenv("WARPLOOM_PACKAGE");
  return named != nullptr ? named : WARPLOOM_PYTHON_FOLDER;
}

}  // namespace warploom
