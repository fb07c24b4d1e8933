#include "warploom/manifests/lines/shell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "warploom/base/error.h"

namespace warploom {
namespace {

class ShellReader {
 public:
  ShellReader(std::string_view text, std::string_view where, LineEnd line_end)
      : text_(text), where_(where), line_end_(line_end) {}

  std::vector<std::vector<std::string>> read() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote_ == 0 && c == '\\' && next_is('\n')) {
        ++at_;  // a continued line
      } else if (quote_ == 0 && c == '\n' && line_end_ == LineEnd::Command) {
        end_command();
      } else if (quote_ == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
        end_word();
      } else if (quote_ == 0 && (c == ';' || c == '|' || c == '&')) {
        end_command();
      } else if (quote_ == 0 && (c == '>' || c == '<')) {
        skip_redirection();
      } else if (quote_ == 0 && c == '#' && !word_) {
        at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      } else {
        take(c);
      }
    }
    if (quote_ != 0) throw InvalidInput(fmt::format("{}: a quote is not closed", where_));
    end_command();
    return std::move(commands_);
  }

 private:
  bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }

  void take(char c) {
    if (!word_) word_.emplace();
    if (quote_ != '\'' && c == '\\' && at_ + 1 < text_.size()) {
      *word_ += text_[++at_];
    } else if (quote_ == 0 && (c == '"' || c == '\'')) {
      quote_ = c;
    } else if (c == quote_) {
      quote_ = 0;
    } else {
      *word_ += c;
    }
  }

  void end_word() {
    if (word_ && !std::exchange(skipped_, false)) words_.push_back(std::move(*word_));
    word_.reset();
  }

  void end_command() {
    end_word();
    skipped_ = false;
    if (!words_.empty()) commands_.push_back(std::move(words_));
    words_.clear();
  }

  // "> file", "2>&1", "&> file": the number before it and the word behind it are no words of the command.
  void skip_redirection() {
    const bool number = word_ && word_->find_first_not_of("0123456789") == std::string::npos;
    if (number) word_.reset();
    end_word();
    while (next_is('>') || next_is('&') || next_is('<')) ++at_;
    skipped_ = true;
  }

  std::string_view text_, where_;
  LineEnd line_end_;
  std::size_t at_ = 0;
  char quote_ = 0;
  bool skipped_ = false;  // the next word is a file
  std::optional<std::string> word_;
  std::vector<std::string> words_;
  std::vector<std::vector<std::string>> commands_;
};

// 0: no such letter.
double factor_of(char letter) {
  constexpr double kThousand = 1e3, kBinary = 1024;
  constexpr std::string_view kSmall = "kmgt", kLarge = "KMGT";
  const std::size_t small = kSmall.find(letter), large = kLarge.find(letter);
  if (small != std::string_view::npos) return std::pow(kThousand, double(small + 1));
  return large != std::string_view::npos ? std::pow(kBinary, double(large + 1)) : 0;
}

}  // namespace

std::vector<std::vector<std::string>> shell_commands(std::string_view text, std::string_view where,
                                                     LineEnd line_end) {
  return ShellReader(text, where, line_end).read();
}

std::vector<std::string> plain_words(std::string_view text) {
  std::vector<std::vector<std::string>> commands = shell_commands(text, text);
  return commands.empty() ? std::vector<std::string>() : std::move(commands.front());
}

std::string plain_integer(const std::string& text) {
  constexpr double kMost = 1e15;
  if (text.size() < 2 || text.find_first_not_of("0123456789.") != text.size() - 1) return text;
  const double factor = factor_of(text.back());
  const std::string number = text.substr(0, text.size() - 1);
  if (factor == 0 || number.front() == '.' || number.find('.') != number.rfind('.')) return text;
  const double value = std::stod(number) * factor;
  return value <= kMost ? std::to_string(std::int64_t(std::llround(value))) : text;
}

}  // namespace warploom
