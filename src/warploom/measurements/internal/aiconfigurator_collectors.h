// What the collector of one framework does in its own way, as data: read by the importers of its tables.
#pragma once

#include <string_view>

namespace warploom {

struct AiconfiguratorCollector {
  std::string_view framework;
  // Distinct weights that a product rotates through: as many as exceed L2, at most 5; else 6.
  bool rotates_past_l2 = false;
  bool keeps_one_scaled_weight = false;   // one weight for fp8 with blocks and nvfp4
  bool counts_the_current_token = false;  // the length of an MLA module holds it
  // Launches the kernels of a block one by one from the host: those of prompts, or all where the engine has
  // no kernels of its own (GPUs without tensor memory).
  bool launches_prompts = false, launches_older = false;
  bool times_block_sparse = true;  // its rows of block-sparse attention are kernels' times
  // The version whose convolutions of few sequences (KDA) are faster than their bytes allow; empty: none.
  std::string_view too_fast_convolution = {};
};

// The collector of a framework; one without ways of its own for those that are not listed.
const AiconfiguratorCollector& collector_of(std::string_view framework);

}  // namespace warploom
