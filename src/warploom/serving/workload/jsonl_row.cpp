#include "warploom/serving/workload/internal/jsonl_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {
namespace {

constexpr std::size_t kTokensOfStretch = 16;
constexpr std::int64_t kMooncakeBlock = 512;

// Blocks of so many tokens are `ids` for `tokens` tokens; at most one power of two has so many.
std::int64_t block_of(std::int64_t tokens, std::int64_t ids) {
  for (std::int64_t block = kMooncakeBlock / 2; block >= 1; block /= 2)
    if ((tokens + block - 1) / block == ids) return block;
  return kMooncakeBlock;
}

}  // namespace

JsonlRow::JsonlRow(Json object, std::size_t line, std::string where)
    : object_(std::move(object)), line_(line), where_(std::move(where)) {
  if (!object_.is_object()) refuse("not a JSON object");
}

void JsonlRow::refuse(std::string_view what) const {
  throw InvalidInput(fmt::format("{}: {}", where_, what));
}

bool JsonlRow::has(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  return found != object_.end() && !found->is_null();
}

const Json& JsonlRow::at(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  if (found == object_.end()) refuse(fmt::format("'{}' is missing", key));
  return *found;
}

double JsonlRow::number(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  if (found == object_.end() || !found->is_number())
    refuse(fmt::format("'{}' is missing or not a number", key));
  return found->get<double>();
}

std::int64_t JsonlRow::count(std::string_view key) const {
  const double value = number(key);
  if (!(value >= -1e15 && value <= 1e15) || value != double(std::int64_t(value)))
    refuse(fmt::format("'{}' is {}, expected a whole number", key, value));
  return std::int64_t(value);
}

std::int64_t JsonlRow::time_ns(std::string_view key, double unit_s) const {
  return seconds_to_ns(number(key) * unit_s, where_);
}

std::string JsonlRow::name(std::string_view key) const {
  if (!has(key)) return {};
  const Json& value = at(key);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::vector<JsonlRow> JsonlRow::rows(std::string_view key) const {
  std::vector<JsonlRow> rows;
  if (!has(key)) return rows;
  const Json& list = at(key);
  if (!list.is_array()) refuse(fmt::format("'{}' is no list", key));
  for (const Json& each : list) {
    if (!each.is_object()) refuse(fmt::format("'{}' holds no object", key));
    rows.emplace_back(each, line_, where_);
  }
  return rows;
}

std::string_view JsonlRow::which(std::string_view key, std::string_view alias) const {
  return !object_.contains(std::string(key)) && object_.contains(std::string(alias)) ? alias : key;
}

std::vector<ContentSegment> JsonlRow::content_of_tokens(std::int64_t input_tokens) const {
  const Json& ids = at("input_tok_ids");
  if (!ids.is_array() || std::int64_t(ids.size()) != input_tokens)
    refuse(fmt::format("{} 'input_tok_ids', expected one for each of {} tokens", ids.size(), input_tokens));
  std::vector<ContentSegment> content;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].is_number_integer()) refuse("'input_tok_ids' holds no whole number");
    if (i % kTokensOfStretch == 0) content.push_back({0, 0});
    ContentSegment& last = content.back();
    last.content = hash_combine(last.content, std::uint64_t(ids[i].get<std::int64_t>()));
    ++last.tokens;
  }
  return content;
}

std::vector<ContentSegment> JsonlRow::content(std::int64_t input_tokens, std::int64_t block_tokens,
                                              std::uint64_t scope) const {
  if (input_tokens < 1 || input_tokens > kMaxRequestTokens) return {};  // the row is refused with its length
  if (object_.contains("input_tok_ids")) return content_of_tokens(input_tokens);
  const auto found = object_.find("hash_ids");
  if (found == object_.end() || found->is_null()) return {};
  if (!found->is_array()) refuse("'hash_ids' is no list");
  const std::int64_t block = block_tokens > 0 ? block_tokens : block_of(input_tokens, std::ssize(*found));
  std::vector<ContentSegment> content;
  std::int64_t left = input_tokens;
  for (const Json& id : *found) {
    if (!id.is_number_integer()) refuse("'hash_ids' holds no whole number");
    if (left <= 0) break;
    const auto own = std::uint64_t(id.get<std::int64_t>());
    content.push_back({scope == 0 ? own : hash_combine(scope, own), std::int32_t(std::min(left, block))});
    left -= block;
  }
  if (left > 0 && content.empty()) return {};
  if (left > 0) content.back().tokens += std::int32_t(left);  // fewer ids than blocks: the rest is its own
  return content;
}

void read_jsonl(const std::filesystem::path& path, const std::string& text,
                const std::function<bool(const JsonlRow&)>& read) {
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row(text.data() + begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}:{}", path.string(), line);
    if (!read(JsonlRow(parse_json(row, where), line, where))) return;
  }
}

}  // namespace warploom
