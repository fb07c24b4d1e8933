#include "warploom/app/emit/emitted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "warploom/base/json.h"

namespace warploom {
namespace {

constexpr std::size_t kLongestName = 40;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// In quotes, those of JSON where a line's end or another control character stands in it.
std::string yaml_quoted(const std::string& word) {
  if (std::any_of(word.begin(), word.end(), is_control))
    return Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string safe;
  for (const char c : word) safe += c == '\'' ? std::string("''") : std::string(1, c);
  return "'" + safe + "'";
}

}  // namespace

// Plain where it is an owner and a name, as models have, or their address: a colon in it is followed by no
// blank, so it makes no key.
std::string yaml_text(const std::string& word) {
  const bool plain =
      word.find('/') != std::string::npos && word.back() != ':' &&
      std::isalnum(static_cast<unsigned char>(word[0])) != 0 &&
      std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_' || c == '.' || c == ':';
      });
  return plain ? word : yaml_quoted(word);
}

std::string yaml_words(const std::vector<std::string>& words, std::string_view indent) {
  std::string text;
  for (const std::string& word : words) text += fmt::format("{}- {}\n", indent, yaml_quoted(word));
  return text;
}

std::string comment_text(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

std::string kubernetes_name(const std::string& model) {
  std::string name = model;
  while (name.ends_with('/')) name.pop_back();
  name = name.substr(name.rfind('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::isalnum(c) != 0 ? char(std::tolower(c)) : '-'; });
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  name.resize(std::min(name.size(), kLongestName));
  while (!name.empty() && name.back() == '-') name.pop_back();
  const bool letter = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  return letter ? name : "model" + (name.empty() ? name : "-" + name);
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += fmt::format("{}{}\n", indent, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace warploom
