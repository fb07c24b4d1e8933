#include "warploom/serving/pricing/batch_overlap.h"

#include <algorithm>

namespace warploom {

bool BatchOverlap::splits(const StepBatch& batch) const {
  const std::int64_t from = batch.chunk_tokens > 0 ? prompts_from : decode_from;
  if (from <= 0) return false;
  const std::int64_t smallest = batch.narrowest_rank_tokens > 0
                                    ? std::min(batch.narrowest_rank_tokens, batch.tokens())
                                    : batch.tokens();
  return smallest >= std::max<std::int64_t>(2, from);
}

double overlapped_seconds(double share, double computing, double exchange, std::int64_t layers) {
  if (exchange <= 0 || computing <= 0) return 0;
  const double exposed = exchange / (2.0 * double(std::max<std::int64_t>(1, layers)));
  const double beside = exchange - exposed;
  // While the rest of the exchange runs, so much is computed.
  const double computed = std::min(computing, beside * share);
  const double together = exposed + beside + (computing - computed);
  return std::max(0.0, computing + exchange - together);
}

}  // namespace warploom
