// Words as one line of a shell.
#pragma once

#include <string>
#include <vector>

namespace warploom {

// For a POSIX shell, which reads the same words from it.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace warploom
