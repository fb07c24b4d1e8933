// Figures of the network between nodes bear on nothing where no node is left.
#pragma once

#include "warploom/app/serving/serving_setup.h"

namespace warploom {

// Throws InvalidInput when `request` has such a figure and the GPUs of one replica share a link domain. Not
// for pools, whose caches cross the network, and not for plans, whose configurations differ.
void check_network_scope(const ServingSetupRequest& request, const ServingSetup& setup);

// The first field of `network` that is given, by its name; empty: none is.
std::string_view first_given(const NodeNetwork& network);

}  // namespace warploom
