#include "warploom/serving/workload/trace_jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {
namespace {

struct JsonlLayout {
  std::string_view name, arrival, input, output;
  double seconds_per_unit;
};

constexpr std::array kLayouts{
    JsonlLayout{"mooncake", "timestamp", "input_length", "output_length", 1e-3},
    JsonlLayout{"llmservingsim", "arrival_time_ns", "input_toks", "output_toks", 1e-9},
};

const JsonlLayout& layout_of(const Json& first, const std::string& where) {
  for (const JsonlLayout& layout : kLayouts) {
    if (first.contains(std::string(layout.input))) return layout;
  }
  if (first.contains("sub_requests")) return kLayouts.back();
  throw InvalidInput(
      fmt::format("{}: no known trace layout, expected the keys timestamp, input_length, output_length or "
                  "arrival_time_ns, input_toks, output_toks",
                  where));
}

double number(const Json& object, std::string_view key, const std::string& where) {
  const auto found = object.find(std::string(key));
  if (found == object.end() || !found->is_number()) {
    throw InvalidInput(fmt::format("{}: '{}' is missing or not a number", where, key));
  }
  return found->get<double>();
}

constexpr std::size_t kTokensOfStretch = 16;
constexpr std::int64_t kHashBlockTokens = 512;  // of Mooncake's hash_ids

// Stretches of kTokensOfStretch tokens, named by what they hold.
std::vector<ContentSegment> content_of_tokens(const Json& ids, std::int64_t input_tokens,
                                              const std::string& where) {
  if (!ids.is_array() || std::int64_t(ids.size()) != input_tokens)
    throw InvalidInput(fmt::format("{}: {} 'input_tok_ids', expected one for each of {} tokens", where,
                                   ids.size(), input_tokens));
  std::vector<ContentSegment> content;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i].is_number_integer())
      throw InvalidInput(fmt::format("{}: 'input_tok_ids' holds no whole number", where));
    if (i % kTokensOfStretch == 0) content.push_back({0, 0});
    ContentSegment& last = content.back();
    last.content = hash_combine(last.content, std::uint64_t(ids[i].get<std::int64_t>()));
    ++last.tokens;
  }
  return content;
}

// The blocks that "hash_ids" names; the last one may be part of a block.
std::vector<ContentSegment> content_of(const Json& object, std::int64_t input_tokens,
                                       const std::string& where) {
  if (input_tokens < 1 || input_tokens > kMaxRequestTokens) return {};  // the row is refused with its length
  if (object.contains("input_tok_ids"))
    return content_of_tokens(object["input_tok_ids"], input_tokens, where);
  const auto found = object.find("hash_ids");
  if (found == object.end()) return {};
  if (!found->is_array()) throw InvalidInput(fmt::format("{}: 'hash_ids' is no list", where));
  std::vector<ContentSegment> content;
  std::int64_t left = input_tokens;
  for (const Json& id : *found) {
    if (!id.is_number_integer())
      throw InvalidInput(fmt::format("{}: 'hash_ids' holds no whole number", where));
    if (left <= 0) break;
    content.push_back(
        {std::uint64_t(id.get<std::int64_t>()), std::int32_t(std::min(left, kHashBlockTokens))});
    left -= kHashBlockTokens;
  }
  if (left > 0 && content.empty()) return {};
  if (left > 0) content.back().tokens += std::int32_t(left);  // fewer ids than blocks: the rest is its own
  return content;
}

std::string session_of(const Json& object) {
  const auto found = object.find("session_id");
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::int64_t count(const Json& object, std::string_view key, const std::string& where) {
  const double value = number(object, key, where);
  if (!(value >= -1e15 && value <= 1e15) || value != double(std::int64_t(value))) {
    throw InvalidInput(fmt::format("{}: '{}' is {}, expected a whole number", where, key, value));
  }
  return std::int64_t(value);
}

// A session of LLMServingSim: the requests follow each other, tools run in between.
void add_session(TraceRows& rows, const Json& object, std::size_t line, const std::string& where) {
  if (!object["sub_requests"].is_array())
    throw InvalidInput(fmt::format("{}: 'sub_requests' is no list", where));
  std::int64_t delay_ns = 0;
  for (const Json& sub : object["sub_requests"]) {
    if (!sub.is_object()) throw InvalidInput(fmt::format("{}: 'sub_requests' holds no object", where));
    TraceRow row{.line = line,
                 .arrival_ns = count(object, "arrival_time_ns", where),
                 .input_tokens = count(sub, "input_toks", where),
                 .output_tokens = count(sub, "output_toks", where),
                 .session = fmt::format("line {}", line),
                 .delay_ns = delay_ns};
    seconds_to_ns(double(row.arrival_ns) * 1e-9, where);
    row.content = content_of(sub, row.input_tokens, where);
    rows.add(row);
    delay_ns = sub.contains("tool_duration_ns") ? count(sub, "tool_duration_ns", where) : 0;
    if (delay_ns < 0)
      throw InvalidInput(fmt::format("{}: 'tool_duration_ns' is {}, expected at least 0", where, delay_ns));
  }
}

}  // namespace

RecordedTrace read_trace_jsonl(const std::filesystem::path& path, std::int64_t max_requests) {
  const std::string text = read_file(path);
  TraceRows rows(path);
  const JsonlLayout* layout = nullptr;
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < text.size() && !rows.full(max_requests);) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row(text.data() + begin, end - begin);
    begin = end + 1;
    ++line;
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}:{}", path.string(), line);
    const Json object = parse_json(row, where);
    if (!object.is_object()) throw InvalidInput(fmt::format("{}: not a JSON object", where));
    if (layout == nullptr) layout = &layout_of(object, where);
    if (object.contains("sub_requests")) {
      add_session(rows, object, line, where);
      continue;
    }
    TraceRow read{.line = line,
                  .input_tokens = count(object, layout->input, where),
                  .output_tokens = count(object, layout->output, where),
                  .session = session_of(object)};
    if (object.contains("priority")) read.priority = count(object, "priority", where);
    if (object.contains("delay")) read.delay_ns = seconds_to_ns(number(object, "delay", where) * 1e-3, where);
    if (object.contains(std::string(layout->arrival)) || read.session.empty())
      read.arrival_ns =
          seconds_to_ns(number(object, layout->arrival, where) * layout->seconds_per_unit, where);
    read.content = content_of(object, read.input_tokens, where);
    rows.add(read);
  }
  Workload workload = rows.take(true);
  return {std::move(workload), std::string(layout->name)};
}

}  // namespace warploom
