#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "scenario.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 8> kRelations{
    " == ", " != ", " <= ", " >= ", " < ", " > ", " has ", " in "};
constexpr std::string_view kTimes = " * ", kTo = " .. ";

struct Reader {
  std::string_view fact;
  const std::map<std::string, Outcome>& outcomes;

  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidInput("'" + std::string(fact) + "': " + why);
  }

  // "run:/pointer", "run:status", "run:said", "run" for its whole output, or a word or number as it stands.
  json value(std::string_view text) const {
    const std::size_t colon = text.find(':');
    const auto run = outcomes.find(std::string(text.substr(0, colon)));
    if (run == outcomes.end()) return json(std::string(text));
    if (colon == std::string_view::npos) return json(run->second.output);
    const std::string_view part = text.substr(colon + 1);
    if (part == "status") return json(run->second.status);
    if (part == "said") return json(run->second.said);
    const json document = json::parse(run->second.output, nullptr, false);
    if (document.is_discarded()) refuse("the output of '" + run->first + "' is no JSON: " + run->second.said);
    const json::json_pointer pointer{std::string(part)};
    if (!document.contains(pointer)) refuse("nothing is at " + std::string(part));
    return document.at(pointer);
  }

  double number(std::string_view text) const {
    const json found = value(text);
    if (found.is_number()) return found.get<double>();
    const std::string word = found.is_string() ? found.get<std::string>() : found.dump();
    double read = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), read);
    if (error != std::errc() || end != word.data() + word.size()) refuse("'" + word + "' is no number");
    return read;
  }

  // "a * b"
  double product(std::string_view text) const {
    const std::size_t times = text.find(kTimes);
    if (times == std::string_view::npos) return number(text);
    return number(text.substr(0, times)) * product(text.substr(times + kTimes.size()));
  }
};

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// As numbers where the left one is a number in its document, else as text.
bool equal(const Reader& reader, std::string_view left, std::string_view right) {
  const json value = reader.value(left);
  if (value.is_number()) return value.get<double>() == reader.number(right);
  return text_of(value) == text_of(reader.value(right));
}

// "low .. high", both times what follows " * ".
bool within(const Reader& reader, double value, std::string_view range) {
  const std::size_t to = range.find(kTo);
  if (to == std::string_view::npos) reader.refuse("expected LOW .. HIGH");
  const std::string_view high = range.substr(to + kTo.size());
  const std::size_t times = high.find(kTimes);
  const double unit =
      times == std::string_view::npos ? 1 : reader.product(high.substr(times + kTimes.size()));
  return value >= unit * reader.number(range.substr(0, to)) &&
         value <= unit * reader.number(high.substr(0, times));
}

bool holds(const Reader& reader, std::string_view left, std::string_view relation, std::string_view right) {
  if (relation == " has ")
    return text_of(reader.value(left)).find(text_of(reader.value(right))) != std::string::npos;
  if (relation == " in ") return within(reader, reader.number(left), right);
  if (relation == " == ") return equal(reader, left, right);
  if (relation == " != ") return !equal(reader, left, right);
  const double a = reader.product(left), b = reader.product(right);
  if (relation == " < ") return a < b;
  if (relation == " > ") return a > b;
  return relation == " <= " ? a <= b : a >= b;
}

}  // namespace

std::string contradiction(std::string_view fact, const std::map<std::string, Outcome>& outcomes) {
  constexpr std::size_t kShown = 400;  // characters of a value
  const Reader reader{fact, outcomes};
  for (const std::string_view relation : kRelations) {
    const std::size_t at = fact.find(relation);
    if (at == std::string_view::npos) continue;
    const std::string_view left = fact.substr(0, at), right = fact.substr(at + relation.size());
    if (holds(reader, left, relation, right)) return "";
    return std::string(fact) + ": " + text_of(reader.value(left)).substr(0, kShown);
  }
  reader.refuse("expected LEFT RELATION RIGHT");
}

}  // namespace warploom
