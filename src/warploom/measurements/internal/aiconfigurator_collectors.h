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
};

// The collector of a framework; one without ways of its own for those that are not listed.
const AiconfiguratorCollector& collector_of(std::string_view framework);

}  // namespace warploom
