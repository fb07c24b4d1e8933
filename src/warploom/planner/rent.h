// How the GPUs of a deployment are rented: all in one way, or parts reserved, on demand and spot.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warploom/planner/day_prices.h"
#include "warploom/planner/gpu_prices.h"
#include "warploom/planner/rented_gpus.h"

namespace warploom {

struct RentPart {
  PriceKind kind = PriceKind::OnDemand;
  // Share of each pool's instances; where it scales, of what it may grow to. Absent of the last part: the
  // rest. Absent of the first of two: as many as it is cheapest to pay for at any time.
  std::optional<double> share;
  // Price of each GPU of the space, $, in the mean over the day; all 1 where prices are unknown.
  std::vector<double> gpu_hour_price;
  std::vector<DayPrices> day_prices;  // the same by hour; empty: the mean at any hour
  // GPUs in a node of each GPU of the space that is rented as whole nodes; 1: singly. Empty: all singly.
  std::vector<std::int64_t> node_gpus;
};

// "reserved=0.6", "spot": kinds and shares, without prices. Throws InvalidInput "rent: ..." on no kind, a
// kind twice, shares that are not above 0 or exceed 1 together, and a part without a share that is neither
// the last nor, with `scales`, the first of two.
std::vector<RentPart> rent_parts(const std::vector<std::string>& texts, bool scales);

// What a deployment pays for one of the parts.
struct RentedShare {
  PriceKind kind = PriceKind::OnDemand;
  Fleet fleet;         // instances of it, of the largest size of pools that scale
  RentedGpus rented;   // for them
  double dollars = 0;  // per hour, without power
  bool operator==(const RentedShare&) const = default;
};

// Instances of a pool are rented in the order of the parts, so that the first ones are those that are held
// longest. `held`, of each pool that scales: of the time of a run in each hour of the day, the share in which
// at least k instances were held, for k from 1 on, 24 numbers each; what is not reserved is paid while it is
// held. Empty: all instances are held always. Pools that scale share no nodes. O(instances^2).
std::vector<RentedShare> rented_shares(const std::vector<RentPart>& parts, const Configuration& configuration,
                                       const Fleet& fleet, std::span<const double> held,
                                       std::span<const double> held_decode);

// The least that they can come to where each pool holds `least` instances or more.
double least_rent_of(const std::vector<RentPart>& parts, const Configuration& configuration,
                     const Fleet& fleet, std::int64_t least);

}  // namespace warploom
