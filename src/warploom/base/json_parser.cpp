#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "warploom/base/error.h"
#include "warploom/base/internal/keyed_entries.h"
#include "warploom/base/json.h"
#include "warploom/base/json_or_text.h"
#include "warploom/base/utf8.h"

namespace warploom {
namespace {

// Depth limit of documents: copying, printing and freeing one recurses over its levels.
constexpr int kMostLevels = 256;
// The largest documents that are read, traces of a million requests, hold a tenth. A value takes 16 to 70
// bytes of memory.
constexpr std::size_t kMostValues = 50'000'000;

void check_levels(std::string_view text, std::string_view where) {
  int level = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++level > kMostLevels)
        throw InvalidInput(
            fmt::format("{}: is nested more than {} levels deep (byte {})", where, kMostLevels, i));
    } else if (c == ']' || c == '}') {
      --level;
    }
  }
}

// Builds the document from the library's events.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Json document() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    member_ = &open_.back().entries->operator[](name);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception& error) override {
    constexpr int kNumberOverflow = 406;  // of the library
    if (error.id == kNumberOverflow)
      throw InvalidInput(fmt::format("{}: holds a number that is too large to be represented", where_));
    const std::string_view before = text_.substr(0, std::min(text_.size(), byte));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    throw InvalidInput(fmt::format("{}:{}: is not valid JSON (byte {})", where_, line, byte));
  }

 private:
  struct Open {
    Json* list;
    std::optional<KeyedEntries> entries;  // of an object
  };

  // Where the value stands now; a place stays while what is open inside it grows.
  Json& put(Json&& value) {
    if (++values_ > kMostValues)
      throw InvalidInput(fmt::format("{}: holds more than {} values", where_, kMostValues));
    if (open_.empty()) return root_ = std::move(value);
    Open& around = open_.back();
    if (around.entries) return *member_ = std::move(value);
    around.list->push_back(std::move(value));
    return around.list->back();
  }
  bool add(Json&& value) {
    put(std::move(value));
    return true;
  }
  bool open(Json&& empty) {
    Json& list = put(std::move(empty));
    open_.push_back({&list, {}});
    if (list.is_object()) open_.back().entries.emplace(list);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_, where_;
  Json root_;
  std::deque<Open> open_;
  Json* member_ = nullptr;  // of the key that was read last
  std::size_t values_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view where) {
  check_levels(text, where);
  DocumentBuilder builder(text, where);
  Json::sax_parse(text, &builder);
  return builder.document();
}

Json json_or_text(std::string_view text, std::string_view where) {
  if (const std::size_t sound = utf8_bytes(text); sound < text.size())
    throw InvalidInput(fmt::format("{}: is not UTF-8 (byte {})", where, sound + 1));
  return Json::accept(text) ? parse_json(text, where) : Json(text);
}

Json json_object(std::string_view text, std::string_view where) {
  Json document = json_or_text(text, where);
  if (!document.is_object())
    throw InvalidInput(fmt::format("{}: is '{}', expected a JSON object", where, text));
  return document;
}

Json json_entry(std::string_view key, std::string_view value, std::string_view where) {
  return {{std::string(key), json_or_text(value, where)}};
}

}  // namespace warploom
