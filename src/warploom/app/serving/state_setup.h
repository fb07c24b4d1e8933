// States of recurrent layers in a serving setup: which the engine keeps, where, and what they limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "warploom/models/memory_footprint.h"
#include "warploom/serving/engines/engine_spec.h"

namespace warploom {

// Where the engine keeps states. `asked_requests`: max_num_seqs where it was asked for.
void add_states(KvCapacityOptions& options, const EngineLaunch& launch, const std::string& version,
                std::optional<std::int64_t> asked_requests);
// Takes over the pool, which limits how many requests run. Throws InvalidInput where one was asked for
// and the model has no states.
void take_state_pool(ServingConfig& config, const StatePool& pool, const std::string& model);
// Throws Unsupported where states are kept for prefixes, and `tiers` below the GPU's memory for the rest.
void check_tiers_of_states(const ServingConfig& config, bool tiers, const std::string& model);

}  // namespace warploom
