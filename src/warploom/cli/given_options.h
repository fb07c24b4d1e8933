// Messages speak of options as they were given, not as the field behind them is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warploom {

// "split by tensor_parallel=3" becomes "split by --tp 3" where `arguments` hold --tp. What was given in no
// option of its own keeps its name.
std::string in_given_options(std::string_view message, const std::vector<std::string>& arguments);

}  // namespace warploom
