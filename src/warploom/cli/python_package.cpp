#include "warploom/cli/python_package.h"

#include <cstdlib>

namespace warploom {

std::string python_package() {
  const char* named = std::getenv("WARPLOOM_PACKAGE");
  return named != nullptr ? named : WARPLOOM_PYTHON_FOLDER;
}

}  // namespace warploom
