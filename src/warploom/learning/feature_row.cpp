#include "warploom/learning/feature_row.h"

#include "warploom/learning/many_log2.h"

namespace warploom {

void FeatureRow::take_logs() {
  for (int i = pending_count; i % 8 != 0; ++i) pending[std::size_t(i)] = 1;
  log2_all(pending.data(), std::size_t(pending_count));
  for (int i = 0; i < pending_count; ++i) values[pending_slots[std::size_t(i)]] = pending[std::size_t(i)];
  pending_count = 0;
}

}  // namespace warploom
