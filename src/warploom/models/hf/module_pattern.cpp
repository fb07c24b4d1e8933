#include "warploom/models/hf/module_pattern.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom {
namespace {

// '*' stands for any text. Two pointers with one point of return: O(len(text) * len(pattern)).
bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool contains_path(std::string_view path, std::string_view part) {
  for (std::size_t at = path.find(part); at != std::string_view::npos; at = path.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || path[at - 1] == '.') && (end == path.size() || path[end] == '.')) return true;
  }
  return false;
}

}  // namespace

ModulePattern::ModulePattern(const std::string& text, std::string_view where) : text_(text) {
  if (text.starts_with("re:")) {
    try {
      expression_.emplace(text.substr(3));
    } catch (const std::regex_error&) {
      throw InvalidInput(fmt::format("{}: '{}' is no valid regular expression", where, text));
    }
  }
  glob_ = !expression_ && text.find('*') != std::string::npos;
}

bool ModulePattern::matches(std::string_view module) const {
  if (text_.empty()) return false;
  if (expression_) {
    return std::regex_search(module.begin(), module.end(), *expression_,
                             std::regex_constants::match_continuous);
  }
  if (!glob_) return contains_path(module, text_);
  const std::string_view head = std::string_view(text_).substr(0, text_.find_first_of("*?"));
  if (!module.starts_with(head)) return false;
  if (glob_matches(text_, module)) return true;
  for (std::size_t dot = module.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = module.rfind('.', dot - 1)) {
    if (glob_matches(text_, module.substr(0, dot))) return true;
  }
  return false;
}

}  // namespace warploom
