// How names of models are compared, and told from paths.
#pragma once

#include <string>
#include <string_view>

namespace warploom {

// Upper and lower case are one, so are '_', ' ' and '-'.
std::string model_key(std::string_view name);
// Behind the last '/'.
std::string_view without_owner(std::string_view name);
// Whether a text is meant as a path whether or not there is a file: it ends in .json or starts with '.', '/'
// or '~'.
bool is_model_path(std::string_view text);

}  // namespace warploom
