#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "warploom/app/emit/bench_script.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/json.h"

namespace warploom {
namespace {

constexpr std::int64_t kBlockTokens = 512;  // of Mooncake's hash_ids
constexpr double kMillisecondsPerSecond = 1e3;

// Numbers for blocks in the order in which they are first seen.
class BlockNumbers {
 public:
  // The number of each block of a prompt. Blocks are equal when all tokens up to their end are.
  std::vector<std::int64_t> of(std::span<const ContentSegment> content, std::int64_t tokens) {
    std::vector<std::int64_t> ids;
    std::uint64_t prefix = 0;
    std::int64_t filled = 0;
    const auto close = [&] {
      ids.push_back(numbers_.try_emplace(prefix, std::int64_t(numbers_.size())).first->second);
      filled = 0;
    };
    for (const ContentSegment& segment : content) {
      for (std::int64_t at = 0; at < segment.tokens;) {
        const std::int64_t part = std::min<std::int64_t>(segment.tokens - at, kBlockTokens - filled);
        prefix = hash_combine(hash_combine(prefix, segment.content), std::uint64_t(at + part));
        at += part;
        filled += part;
        if (filled == kBlockTokens) close();
      }
    }
    if (filled > 0) close();
    const std::size_t blocks = std::size_t((tokens + kBlockTokens - 1) / kBlockTokens);
    return ids.size() == blocks ? ids : std::vector<std::int64_t>();
  }

 private:
  std::map<std::uint64_t, std::int64_t> numbers_;
};

}  // namespace

std::string mooncake_trace(const Workload& workload) {
  BlockNumbers blocks;
  std::string text;
  const auto& requests = workload.requests;
  std::vector<std::size_t> first(requests.size());  // turn of the session
  std::vector<bool> followed(requests.size(), false);
  for (const WorkloadRequest& request : requests) {
    if (request.after < 0) continue;
    if (followed[std::size_t(request.after)] || request.from_sending || !workload.further_parents.empty())
      throw Unsupported(
          "emit: the load has branches, which AIPerf's traces do not hold, expected sessions without them "
          "(`branch_share` 0)");
    followed[std::size_t(request.after)] = true;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const WorkloadRequest& request = requests[i];
    Json line;
    std::int64_t input = request.input_tokens;
    first[i] = request.after >= 0 ? first[std::size_t(request.after)] : i;
    if (request.after >= 0) {
      // AIPerf sends each turn behind the ones before and their answers.
      const WorkloadRequest& before = requests[std::size_t(request.after)];
      input = std::max<std::int64_t>(1, input - before.input_tokens - before.output_tokens);
      line["delay"] = std::round(request.delay.seconds().value() * kMillisecondsPerSecond);
    } else if (!workload.concurrency) {
      line["timestamp"] =
          std::round((request.arrival - SimTime()).seconds().value() * kMillisecondsPerSecond);
    }
    line["input_length"] = input;
    line["output_length"] = request.output_tokens;
    if (request.after >= 0 || followed[i]) {
      line["session_id"] = std::to_string(first[i]);
    } else if (const auto ids = blocks.of(workload.content_of(i), input); !ids.empty()) {
      line["hash_ids"] = ids;
    }
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace warploom
