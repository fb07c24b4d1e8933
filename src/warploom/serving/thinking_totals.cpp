#include "warploom/serving/thinking_totals.h"

#include <algorithm>

namespace warploom {

std::optional<ThinkingTotals> thinking_of(std::span<const RequestRecord> records) {
  const auto thinks = [](const RequestRecord& record) { return record.thinking_tokens > 0; };
  if (std::none_of(records.begin(), records.end(), thinks)) return std::nullopt;
  ThinkingTotals totals;
  std::vector<double> times;
  for (const RequestRecord& record : records) {
    if (!record.completed()) continue;
    totals.thinking_tokens += record.thinking_tokens;
    totals.answer_tokens += record.output_tokens - record.thinking_tokens;
    totals.cut += record.thinking_cut ? 1 : 0;
    times.push_back((record.first_answer - record.arrival).seconds().value());
  }
  totals.ttfat = summarize(std::move(times));
  return totals;
}

}  // namespace warploom
