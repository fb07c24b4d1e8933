#include "damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "warploom/base/error.h"
#include "warploom/base/file.h"

namespace warploom::damage {
namespace {

using Json = nlohmann::ordered_json;

#if defined(WARPLOOM_SANITIZED)
constexpr std::int64_t kUsualInputs = 100;
#else
constexpr std::int64_t kUsualInputs = 400;
#endif
constexpr double kLongest = 10;  // s

// Words that numbers become.
constexpr std::array<std::string_view, 22> kMadNumbers{"0",
                                                       "-1",
                                                       "1e308",
                                                       "-1e308",
                                                       "1e-320",
                                                       "NaN",
                                                       "inf",
                                                       "-inf",
                                                       "9223372036854775807",
                                                       "9223372036854775808",
                                                       "-9223372036854775808",
                                                       "18446744073709551615",
                                                       "14294967296",
                                                       "4294967296",
                                                       "2147483647",
                                                       "2147483648",
                                                       "1000000000000",
                                                       "99999999999999999999999999",
                                                       "0.5",
                                                       "1e10",
                                                       "",
                                                       "x"};

class Damager {
 public:
  explicit Damager(RandomStream& random) : random_(random) {}

  std::size_t below(std::size_t count) {
    return count == 0 ? 0 : std::size_t(random_.integer(0, std::int64_t(count) - 1));
  }
  std::string_view mad_number() { return kMadNumbers[below(kMadNumbers.size())]; }

  void bytes(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = below(text.size()), size = 1 + below(std::min<std::size_t>(64, text.size() - at));
    switch (below(7)) {
      case 0:
        text[at] = char(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text[at] = char(below(256));
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.erase(at, size);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), size));
        break;
      case 5:
        std::fill_n(text.begin() + std::ptrdiff_t(at), size, below(2) == 0 ? '\xFF' : '\0');
        break;
      default:
        text[at] = ",\"{}[]:\n\r#\\-"[below(12)];
    }
  }

  void number(std::string& text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t at = below(text.size());
    while (at < text.size() && !digit(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
    while (at > 0 && digit(text[at - 1])) --at;
    if (end > at) text.replace(at, end - at, mad_number());
  }

  void table(std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    if (lines.empty()) return;
    const std::size_t which = below(lines.size());
    switch (below(6)) {
      case 0:
        lines.erase(lines.begin() + std::ptrdiff_t(which));
        break;
      case 1:
        lines.insert(lines.begin() + std::ptrdiff_t(below(lines.size())), lines[which]);
        break;
      case 2:
        std::swap(lines[which], lines[below(lines.size())]);
        break;
      case 3:
        cell(lines[which]);
        break;
      default:
        column(lines);
    }
    text.clear();
    for (const std::string& line : lines) text.append(line).append("\n");
  }

  void document(Json& value) {
    Json* at = &value;
    for (std::size_t depth = below(6); depth > 0 && at->is_structured() && !at->empty(); --depth) {
      auto child = at->begin();
      std::advance(child, std::ptrdiff_t(below(at->size())));
      at = &*child;
    }
    if (at->is_object() && !at->empty() && below(3) == 0) {
      auto key = at->begin();
      std::advance(key, std::ptrdiff_t(below(at->size())));
      at->erase(key);
      return;
    }
    if (at->is_array() && !at->empty() && below(3) == 0) {
      at->push_back((*at)[below(at->size())]);
      return;
    }
    *at = any_value();
  }

 private:
  Json any_value() {
    switch (below(10)) {
      case 0:
        return nullptr;
      case 1:
        return Json::array();
      case 2:
        return Json::object();
      case 3:
        return "text";
      case 4:
        return below(2) == 0;
      case 5:
        return std::array<double, 5>{0.0, -1.5, 1e300, 1e-310, 0.3}[below(5)];
      case 6:
        return Json::array({1, "two", nullptr});
      case 7: {
        Json deep = 1;
        for (std::size_t i = below(400); i > 0; --i) deep = Json::array({std::move(deep)});
        return deep;
      }
      default:
        return std::array<std::int64_t, 7>{0,
                                           -1,
                                           1,
                                           1'000'000'000'000,
                                           std::int64_t{1} << 31,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min()}[below(7)];
    }
  }

  static std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    return cells;
  }
  static std::string joined(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line.append(i > 0 ? "," : "").append(cells[i]);
    return line;
  }

  void cell(std::string& line) {
    std::vector<std::string> cells = cells_of(line);
    std::string& one = cells[below(cells.size())];
    one = below(3) == 0 ? cells[below(cells.size())] : std::string(mad_number());
    line = joined(cells);
  }

  // A column of every line: left out, twice, exchanged with another, or one number for all.
  void column(std::vector<std::string>& lines) {
    const std::size_t which = below(cells_of(lines[below(lines.size())]).size()), what = below(4),
                      other = which == 0 ? 1 : which - 1;
    const std::string number(mad_number());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::string> cells = cells_of(lines[i]);
      if (which >= cells.size() || other >= cells.size()) continue;
      if (what == 0) cells.erase(cells.begin() + std::ptrdiff_t(which));
      if (what == 1) cells.push_back(cells[which]);
      if (what == 2) std::swap(cells[which], cells[other]);
      if (what == 3 && i > 0) cells[which] = number;
      lines[i] = joined(cells);
    }
  }

  RandomStream& random_;
};

void damage_document(std::string& text, Damager& damager) {
  Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return damager.bytes(text);
  damager.document(document);
  text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void damage_line(std::string& text, Damager& damager) {
  const std::size_t at = damager.below(text.size());
  const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string line = text.substr(begin, end - begin);
  damage_document(line, damager);
  text.replace(begin, end - begin, line);
}

// What is wrong with how an input was taken; empty when nothing is.
std::string fault_of(const Reader& reader, const std::string& input) {
  take_refused_requests();
  const auto begin = std::chrono::steady_clock::now();
  std::string fault;
  try {
    reader.read(input);
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) fault = "an error without a word";
  } catch (const std::exception& error) {
    fault = std::string("an exception: ") + error.what();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (take_refused_requests() > 0) fault += " (asked for more than a gigabyte)";
  if (seconds > kLongest) fault += " (took " + std::to_string(seconds) + " s)";
  return fault;
}

}  // namespace

std::string damaged(std::string_view sound, Kind kind, RandomStream& random) {
  Damager damager(random);
  std::string text(sound);
  for (std::size_t left = 1 + damager.below(4); left > 0 && !text.empty(); --left) {
    const std::size_t choice = damager.below(4);
    if (kind == Kind::Binary || choice == 0)
      damager.bytes(text);
    else if (choice == 1)
      damager.number(text);
    else if (kind == Kind::Csv)
      damager.table(text);
    else if (kind == Kind::Json)
      damage_document(text, damager);
    else
      damage_line(text, damager);
  }
  return text;
}

void expect_sound_or_refused(const Reader& reader) {
  ASSERT_NO_THROW(reader.read(reader.sound)) << reader.name;
  RandomStream random(12, reader.name);
  const char* asked = std::getenv("WARPLOOM_DAMAGED_INPUTS");
  const std::int64_t inputs = (asked != nullptr ? std::atoll(asked) : kUsualInputs) / reader.share;
  int faults = 0;
  for (std::int64_t i = 0; i < inputs && faults < 5; ++i) {
    std::string input = damaged(reader.sound, reader.kind, random);
    if (reader.mend && random.integer(0, 1) == 0) reader.mend(input);
    const std::string fault = fault_of(reader, input);
    if (fault.empty()) continue;
    ++faults;
    ADD_FAILURE() << reader.name << ", input " << i << ": " << fault << "\n"
                  << (reader.kind == Kind::Binary ? std::string() : input.substr(0, 3000));
  }
}

std::string first_lines(const std::filesystem::path& path, std::size_t lines) {
  const std::string text = read_file(path);
  std::size_t end = 0;
  while (lines-- > 0 && end < text.size()) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

}  // namespace warploom::damage
