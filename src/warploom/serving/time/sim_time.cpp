#include "warploom/serving/time/sim_time.h"

#include <fmt/format.h>

#include "warploom/base/error.h"

namespace warploom::detail {

void refuse_sim_time(Seconds seconds) {
  throw InvalidInput(fmt::format(
      "simulated time: {:.4g} s, expected at most 9e9 s (285 years): an arrival rate is too low, or a "
      "step, a delay or an interval too long",
      seconds.value()));
}

}  // namespace warploom::detail
