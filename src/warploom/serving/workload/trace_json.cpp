#include "warploom/serving/workload/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/serving/workload/trace_rows.h"

namespace warploom {
namespace {

constexpr std::int64_t kLeastTokens = 4, kMostPrompt = 1024, kMostTogether = 2048;

std::int64_t tokens_of(const Json& message, const std::string& where) {
  if (!message.is_object() || !message.contains("value") || !message["value"].is_string())
    throw InvalidInput(fmt::format("{}: a message without 'value', expected a text", where));
  const auto bytes = double(message["value"].get_ref<const std::string&>().size());
  return std::max<std::int64_t>(1, std::llround(bytes / kShareGptBytesPerToken));
}

RecordedTrace read_sharegpt(const Json& document, const std::filesystem::path& path,
                            std::int64_t max_requests) {
  TraceRows rows(path);
  std::size_t number = 0;
  for (const Json& conversation : document) {
    if (rows.full(max_requests)) break;
    const std::string where = fmt::format("{}: conversation {}", path.string(), number++);
    if (!conversation.is_object() || !conversation.contains("conversations") ||
        !conversation["conversations"].is_array())
      throw InvalidInput(fmt::format("{}: has no list 'conversations'", where));
    const Json& messages = conversation["conversations"];
    if (messages.size() < 2) continue;
    const std::int64_t input = tokens_of(messages[0], where), output = tokens_of(messages[1], where);
    if (input < kLeastTokens || output < kLeastTokens || input > kMostPrompt ||
        input + output > kMostTogether)
      continue;
    rows.add({.line = number, .input_tokens = input, .output_tokens = output});
  }
  return {rows.take(false), "sharegpt"};
}

std::vector<double> numbers_of(const Json& document, const char* key, const std::filesystem::path& path) {
  const auto found = document.find(key);
  if (found == document.end()) return {};
  if (!found->is_array())
    throw InvalidInput(fmt::format("{}: '{}' is no list, expected one of numbers", path.string(), key));
  std::vector<double> numbers;
  for (const Json& value : *found) {
    if (!value.is_number())
      throw InvalidInput(fmt::format("{}: '{}' holds what is not a number", path.string(), key));
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

RecordedTrace read_vllm_bench(const Json& document, const std::filesystem::path& path,
                              std::int64_t max_requests) {
  const auto inputs = numbers_of(document, "input_lens", path);
  const auto outputs = numbers_of(document, "output_lens", path);
  const auto starts = numbers_of(document, "start_times", path);
  if (inputs.empty() || inputs.size() != outputs.size()) {
    throw InvalidInput(fmt::format(
        "{}: {} input_lens and {} output_lens, expected as many of both (vllm bench serve --save-detailed)",
        path.string(), inputs.size(), outputs.size()));
  }
  if (!starts.empty() && starts.size() != inputs.size()) {
    throw InvalidInput(fmt::format("{}: {} start_times, expected {}: one for each request", path.string(),
                                   starts.size(), inputs.size()));
  }
  std::vector<std::size_t> order(inputs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!starts.empty())
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return starts[a] < starts[b]; });
  TraceRows rows(path);
  for (const std::size_t i : order) {
    if (rows.full(max_requests)) break;
    if (outputs[i] == 0) continue;  // failed
    const std::string where = fmt::format("{}: request {}", path.string(), i);
    for (const double tokens : {inputs[i], outputs[i]})
      if (!(tokens >= 0 && tokens <= double(kMaxRequestTokens)))
        throw InvalidInput(fmt::format("{}: {} tokens, expected 1 to {}", where, tokens, kMaxRequestTokens));
    TraceRow row{
        .line = i, .input_tokens = std::int64_t(inputs[i]), .output_tokens = std::int64_t(outputs[i])};
    if (!starts.empty()) row.arrival_ns = seconds_to_ns(starts[i] - starts[order[0]], where);
    rows.add(row);
  }
  return {rows.take(!starts.empty()), "vllm_bench"};
}

}  // namespace

RecordedTrace read_trace_json(const std::filesystem::path& path, std::int64_t max_requests) {
  const Json document = parse_json(read_file(path), path.string());
  if (document.is_array()) return read_sharegpt(document, path, max_requests);
  if (document.is_object() && document.contains("input_lens"))
    return read_vllm_bench(document, path, max_requests);
  throw InvalidInput(fmt::format(
      "{}: no known workload, expected a list of ShareGPT conversations or a result of vllm bench "
      "serve with input_lens and output_lens",
      path.string()));
}

}  // namespace warploom
