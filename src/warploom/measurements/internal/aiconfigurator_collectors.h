// What the collector of one framework does in its own way, as data: read by the importers of its tables.
#pragma once

#include <array>
#include <string_view>

namespace warploom {

struct AiconfiguratorCollector {
  std::string_view framework;
  // Distinct weights that a product rotates through: as many as exceed L2, at most 5; else 6.
  bool rotates_past_l2 = false;
  bool keeps_one_scaled_weight = false;   // one weight for fp8 with blocks and nvfp4
  bool counts_the_current_token = false;  // the length of an MLA module holds it
  // Versions whose fp8 products with blocks were timed eagerly: a CPU launch floor of 50 to 250 us.
  std::array<std::string_view, 2> eager_block_fp8{};
  // The version whose MLA kernels show a floor of 100 to 340 us at one token and one request, ten times every
  // other framework's on the same GPU: the CPU's launches.
  std::string_view eager_mla{};

  bool times_block_fp8_eagerly(std::string_view version) const;
  bool times_mla_eagerly(std::string_view version) const;
};

// The collector of a framework; one without ways of its own for those that are not listed.
const AiconfiguratorCollector& collector_of(std::string_view framework);

}  // namespace warploom
