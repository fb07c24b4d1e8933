// Lines that a newcomer can paste, shown at the top of every command's help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// Examples of the command with these words, "predict gemm"; of the program itself for "".
std::vector<std::string> examples_of(std::string_view command);

}  // namespace warploom
