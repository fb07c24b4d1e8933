#include "warploom/collector/operator_text.h"

#include <cctype>
#include <cstdlib>

#include "warploom/collector/failure.h"

namespace warploom::collector {
namespace {

constexpr int kDeepest = 4;  // an operator nests twice

class Reader {
 public:
  Reader(std::string_view text, std::string_view where, std::map<std::string, std::string>& members)
      : text_(text), where_(where), members_(members) {}

  void read() {
    value("", 0);
    skip_blanks();
    if (at_ != text_.size()) refuse("the end of the operator");
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    throw BadInput(std::string(where_) + ": operator, character " + std::to_string(at_ + 1) + ": expected " +
                   expected);
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) refuse(std::string("'") + wanted + "'");
  }
  std::string quoted() {
    need('"');
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) refuse("a closing quote");
    std::string word(text_.substr(at_, end - at_));
    if (word.find('\\') != std::string::npos) refuse("a name without escapes");
    at_ = end + 1;
    return word;
  }
  static std::string joined(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  void value(const std::string& path, int depth) {
    if (depth > kDeepest) refuse("fewer nested lists");
    skip_blanks();
    if (take('{')) {
      if (take('}')) return;
      do {
        const std::string key = quoted();
        need(':');
        value(joined(path, key), depth + 1);
      } while (take(','));
      need('}');
    } else if (take('[')) {
      if (take(']')) return;
      std::size_t index = 0;
      do value(joined(path, std::to_string(index++)), depth + 1);
      while (take(','));
      need(']');
    } else if (at_ < text_.size() && text_[at_] == '"') {
      members_[path] = quoted();
    } else {
      const std::size_t start = at_;
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                    text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+'))
        ++at_;
      if (at_ == start) refuse("a value");
      members_[path] = std::string(text_.substr(start, at_ - start));
    }
  }

  std::string_view text_, where_;
  std::map<std::string, std::string>& members_;
  std::size_t at_ = 0;
};

}  // namespace

OperatorText OperatorText::parse(std::string text, std::string_view where) {
  OperatorText op;
  op.text_ = std::move(text);
  Reader(op.text_, where, op.members_).read();
  if (!op.has("family")) throw BadInput(std::string(where) + ": operator without \"family\"");
  return op;
}

const std::string& OperatorText::word(const std::string& path) const {
  const auto at = members_.find(path);
  if (at == members_.end()) throw BadInput("operator " + text_ + ": lacks \"" + path + "\"");
  return at->second;
}

std::string OperatorText::word(const std::string& path, std::string fallback) const {
  const auto at = members_.find(path);
  return at == members_.end() ? fallback : at->second;
}

std::int64_t OperatorText::integer(const std::string& path) const {
  const std::string& text = word(path);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0 || value < 0 || value > 1e15)
    throw BadInput("operator " + text_ + ": \"" + path + "\" is " + text + ", expected a count");
  return static_cast<std::int64_t>(value);
}

std::int64_t OperatorText::integer(const std::string& path, std::int64_t fallback) const {
  return has(path) ? integer(path) : fallback;
}

bool OperatorText::flag(const std::string& path, bool fallback) const {
  return has(path) ? word(path) == "true" : fallback;
}

double OperatorText::real(const std::string& path, double fallback) const {
  return has(path) ? std::strtod(word(path).c_str(), nullptr) : fallback;
}

}  // namespace warploom::collector
