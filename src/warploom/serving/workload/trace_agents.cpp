#include "warploom/serving/workload/trace_agents.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/serving/workload/internal/jsonl_row.h"
#include "warploom/serving/workload/trace_tree.h"

namespace warploom {
namespace {

constexpr double kSecond = 1, kMillisecond = 1e-3;
constexpr std::int64_t kBailianBlock = 16;
constexpr std::string_view kAgenticSchema = "dynamo.agentic_mooncake";

std::string named(const JsonlRow& row, std::string_view key) {
  std::string name = row.name(key);
  if (name.empty()) throw InvalidInput(fmt::format("{}: '{}' is missing", row.where(), key));
  return name;
}

std::uint64_t number_of(std::string_view name) {
  std::uint64_t hash = 1;
  for (const char c : name) hash = hash_combine(hash, std::uint64_t(static_cast<unsigned char>(c)));
  return hash;
}

std::int64_t checked_block(const JsonlRow& head) {
  const std::int64_t block = head.count("block_size");
  if (block < 1 || block > kMaxRequestTokens)
    throw InvalidInput(fmt::format("{}: 'block_size' is {}, expected at least 1", head.where(), block));
  return block;
}

std::int64_t checked_head(const JsonlRow& head) {
  const std::string schema = head.name("schema");
  const std::int64_t version = head.count("version");
  if (schema != kAgenticSchema || version != 2)
    throw InvalidInput(fmt::format("{}: schema '{}' of version {}, expected '{}' of version 2", head.where(),
                                   schema, version, kAgenticSchema));
  return checked_block(head);
}

TraceDependency dependency_of(const JsonlRow& row) {
  const std::string trigger = named(row, "trigger");
  if (trigger != "completion" && trigger != "dispatch")
    throw InvalidInput(
        fmt::format("{}: 'trigger' is '{}', expected completion or dispatch", row.where(), trigger));
  return {named(row, "request_id"), row.has("delay_ms") ? row.time_ns("delay_ms", kMillisecond) : 0,
          trigger == "dispatch"};
}

// One number of tokens or seconds for each turn.
std::vector<double> list_of_turns(const JsonlRow& row, std::string_view key, std::int64_t turns) {
  const Json& list = row.at(key);
  if (!list.is_array() || std::ssize(list) != turns)
    throw InvalidInput(
        fmt::format("{}: '{}' is no list of {} numbers, one for each of num_turns", row.where(), key, turns));
  std::vector<double> numbers;
  for (const Json& each : list) {
    if (!each.is_number() || !(each.get<double>() >= 0 && each.get<double>() <= 1e9))
      throw InvalidInput(
          fmt::format("{}: '{}' holds {}, expected numbers of 0 to 1e9", row.where(), key, each.dump()));
    numbers.push_back(each.get<double>());
  }
  return numbers;
}

void add_tool_calls(TraceRows& rows, const JsonlRow& row) {
  constexpr std::int64_t kMostTurns = 1'000'000;
  const std::int64_t turns = row.count("num_turns");
  if (turns < 0 || turns > kMostTurns)
    throw InvalidInput(
        fmt::format("{}: 'num_turns' is {}, expected 0 to {}", row.where(), turns, kMostTurns));
  const auto answers = list_of_turns(row, "assistant_response_length", turns);
  const auto results = list_of_turns(row, "tool_call_output_length", turns);
  const auto latencies = list_of_turns(row, "tool_call_latency", turns);
  TraceRow turn{.line = row.line(), .session = fmt::format("line {}", row.line())};
  double tokens = double(row.count("input_prompt_length"));
  for (std::size_t i = 0; i <= std::size_t(turns); ++i) {
    const bool last = i == std::size_t(turns);
    turn.input_tokens = std::int64_t(std::min(tokens, 2.0 * double(kMaxRequestTokens)));  // refused there
    turn.output_tokens = last ? row.count("final_assistant_response_length") : std::int64_t(answers[i]);
    turn.delay_ns = i == 0 ? 0 : seconds_to_ns(latencies[i - 1], row.where());
    if (turn.input_tokens >= 1 && turn.input_tokens <= kMaxRequestTokens)
      turn.content = {{number_of(turn.session), std::int32_t(turn.input_tokens)}};
    rows.add(turn);
    if (!last) tokens += answers[i] + results[i];
  }
}

}  // namespace

TraceRow mooncake_lengths(const JsonlRow& row, std::int64_t block_tokens, std::uint64_t scope) {
  TraceRow read{.line = row.line(),
                .input_tokens = row.count(row.which("input_length", "input_tokens")),
                .output_tokens = row.count(row.which("output_length", "output_tokens"))};
  if (row.has("priority")) read.priority = row.count("priority");
  read.content = row.content(read.input_tokens, block_tokens, scope);
  return read;
}

RecordedTrace read_agentic(const std::filesystem::path& path, const std::string& text,
                           std::int64_t max_requests) {
  TraceTree tree(path);
  read_jsonl(path, text, [&](const JsonlRow& row) {
    TraceNode node{.id = named(row, "request_id"), .row = mooncake_lengths(row), .waits_for = {}};
    std::int64_t delay_ns = 0;
    for (const std::string_view key : {row.which("delay", "delay_ms"), std::string_view("tool_wait_ms")})
      if (row.has(key)) delay_ns += row.time_ns(key, kMillisecond);
    if (row.has("wait_for")) {
      const Json& ids = row.at("wait_for");
      if (!ids.is_array()) throw InvalidInput(fmt::format("{}: 'wait_for' is no list", row.where()));
      for (const Json& id : ids)
        node.waits_for.push_back({id.is_string() ? id.get<std::string>() : id.dump(), delay_ns});
    }
    if (node.waits_for.empty())
      node.row.arrival_ns = row.time_ns(row.which("timestamp", "created_time"), kMillisecond);
    tree.add(std::move(node));
    return true;
  });
  return {tree.take(true, max_requests), "dynamo_agentic"};
}

RecordedTrace read_agentic_dependencies(const std::filesystem::path& path, const std::string& text,
                                        std::int64_t max_requests) {
  TraceTree tree(path);
  std::int64_t block = 0;
  read_jsonl(path, text, [&](const JsonlRow& row) {
    if (block == 0) {
      block = checked_head(row);
      return true;
    }
    const std::string play = named(row, "play_id");
    TraceNode node{.id = named(row, "request_id"),
                   .row = mooncake_lengths(row, block, number_of(play)),
                   .waits_for = {}};
    for (const JsonlRow& each : row.rows("dependencies")) node.waits_for.push_back(dependency_of(each));
    tree.add(std::move(node));
    return true;
  });
  return {tree.take(false, max_requests), "dynamo_agentic"};
}

RecordedTrace read_bailian(const std::filesystem::path& path, const std::string& text,
                           std::int64_t max_requests) {
  TraceTree tree(path);
  std::vector<TraceNode> nodes;
  std::unordered_map<std::string, std::int64_t> recorded;
  read_jsonl(path, text, [&](const JsonlRow& row) {
    TraceNode node{.id = named(row, "chat_id"), .row = mooncake_lengths(row, kBailianBlock), .waits_for = {}};
    node.row.arrival_ns = row.time_ns("timestamp", kSecond);
    if (const std::string parent = row.name("parent_chat_id"); !parent.empty())
      node.waits_for.push_back({parent});
    recorded[node.id] = node.row.arrival_ns;
    nodes.push_back(std::move(node));
    return true;
  });
  for (TraceNode& node : nodes) {
    // The recording began in the middle: a parent may lie before it.
    std::erase_if(node.waits_for, [&](const TraceDependency& d) { return !recorded.contains(d.id); });
    for (TraceDependency& each : node.waits_for)
      each.delay_ns = std::max<std::int64_t>(0, node.row.arrival_ns - recorded.at(each.id));
    tree.add(std::move(node));
  }
  return {tree.take(true, max_requests), "bailian"};
}

RecordedTrace read_tool_calls(const std::filesystem::path& path, const std::string& text,
                              std::int64_t max_requests) {
  TraceRows rows(path);
  read_jsonl(path, text, [&](const JsonlRow& row) {
    add_tool_calls(rows, row);
    return !rows.full(max_requests);
  });
  return {rows.take(false), "applied_compute"};
}

}  // namespace warploom
