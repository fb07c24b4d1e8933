// What an operator can change of a server, for a forecast of what each does.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

struct Lever {
  std::string change;  // "max_num_batched_tokens 4096"
  std::function<void(ServingConfig&)> set;
};

// The server's own budgets doubled and halved, what can be switched, twice the GPUs of a replica and one more
// replica. `prefixes`: whether prompts were found in the prefix cache.
std::vector<Lever> levers_of(const ServingConfig& config, bool prefixes);

}  // namespace warploom
