#include "warploom/models/model_names.h"

#include <cctype>

namespace warploom {

std::string model_key(std::string_view name) {
  std::string key;
  for (const char c : name) {
    key.push_back(c == '_' || c == ' ' ? '-'
                                       : static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return key;
}

std::string_view without_owner(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

bool is_model_path(std::string_view text) {
  return text.ends_with(".json") || text.starts_with('.') || text.starts_with('/') || text.starts_with('~');
}

}  // namespace warploom
