#include "warploom/baselines/pipeweave/published_pipes.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom::published {

void check_positive(std::int64_t value, const char* what) {
  if (value < 1) throw InvalidInput(fmt::format("published features: {} is {}, expected >= 1", what, value));
}

}  // namespace warploom::published
