// An operator as the sweep carries it: the JSON text of kernels/operator_json.h, read without a JSON library,
// because the collector builds with nothing but a compiler and the CUDA toolkit.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warploom::collector {

// Value semantics. The text stays as it was given, so that a row of a sweep repeats its plan to the letter.
class OperatorText {
 public:
  // An object of numbers, texts and flags, with objects and arrays of them inside. Throws BadInput naming
  // `where` on anything else, and when "family" is missing.
  static OperatorText parse(std::string text, std::string_view where);

  const std::string& text() const { return text_; }
  const std::string& family() const { return word("family"); }
  // Members by path: "m", "requests.0.count". The fallback stands for a member that is absent; without one
  // BadInput is thrown.
  std::int64_t integer(const std::string& path) const;
  std::int64_t integer(const std::string& path, std::int64_t fallback) const;
  const std::string& word(const std::string& path) const;
  std::string word(const std::string& path, std::string fallback) const;
  bool flag(const std::string& path, bool fallback) const;
  double real(const std::string& path, double fallback) const;
  bool has(const std::string& path) const { return members_.contains(path); }

 private:
  std::string text_;
  std::map<std::string, std::string> members_;  // scalars by path; texts without quotes
};

}  // namespace warploom::collector
