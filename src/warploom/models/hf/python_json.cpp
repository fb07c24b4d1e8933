#include "warploom/models/hf/python_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace warploom {
namespace {

// The sign before Infinity stays where it is.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWords{
    {{"Infinity", "1e308"}, {"NaN", "null"}}};

// Outside of texts, whose quotes a backslash may escape.
std::string without_words(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\' && i + 1 < text.size()) {
      result.append(text.substr(i++, 2));
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    const std::pair<std::string_view, std::string_view>* found = nullptr;
    if (!quoted)
      for (const auto& word : kWords)
        if (text.substr(i).starts_with(word.first)) found = &word;
    if (found == nullptr) {
      result.push_back(text[i]);
      continue;
    }
    result.append(found->second);
    i += found->first.size() - 1;
  }
  return result;
}

}  // namespace

Json parse_python_json(std::string_view text, std::string_view where) {
  for (const auto& word : kWords)
    if (text.find(word.first) != std::string_view::npos) return parse_json(without_words(text), where);
  return parse_json(text, where);
}

}  // namespace warploom
