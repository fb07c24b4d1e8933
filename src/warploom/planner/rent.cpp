#include "warploom/planner/rent.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr double kRounding = 1e-9;  // 0.3 of ten instances are three

RentPart part_from_text(std::string_view text) {
  const std::size_t equals = text.find('=');
  RentPart part;
  part.kind = parse_enum<PriceKind>(std::string(text.substr(0, equals)), "rent");
  if (equals == std::string_view::npos) return part;
  const std::string_view number = text.substr(equals + 1);
  double share = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), share);
  if (error != std::errc() || end != number.data() + number.size() || !(share > 0) || share > 1)
    throw InvalidInput(
        fmt::format("rent: '{}' is no share, expected KIND=SHARE above 0 and at most 1, for example "
                    "reserved=0.6,spot",
                    text));
  part.share = share;
  return part;
}

// Instances of each part, of a pool of `instances`; `first`: of the first one, where it says no share.
std::vector<std::int64_t> counts_of(const std::vector<RentPart>& parts, std::int64_t instances,
                                    std::int64_t first) {
  std::vector<std::int64_t> counts;
  double shares = 0;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    shares += parts[i].share.value_or(0);
    std::int64_t until = instances;
    if (i + 1 < parts.size())
      until = parts[i].share ? std::int64_t(std::ceil(shares * double(instances) - kRounding)) : first;
    until = std::clamp(until, given, instances);
    counts.push_back(until - given);
    given = until;
  }
  return counts;
}

bool is_first_free(const std::vector<RentPart>& parts) { return parts.size() > 1 && !parts[0].share; }

double hour_price(const RentPart& part, std::size_t gpu, std::int64_t instance,
                  std::span<const double> held) {
  if (part.kind == PriceKind::Reserved || held.empty()) return part.gpu_hour_price[gpu];
  double dollars = 0;
  for (std::size_t hour = 0; hour < kHoursOfDay; ++hour) {
    const std::size_t at = std::size_t(instance) * kHoursOfDay + hour;
    const double price = part.day_prices.empty() ? part.gpu_hour_price[gpu] : part.day_prices[gpu][hour];
    if (at < held.size()) dollars += price * held[at];
  }
  return dollars;
}

// The instances from `from` to before `to` of a pool, while they are held.
double pool_dollars(const RentPart& part, const EngineShape& shape, std::int64_t from, std::int64_t to,
                    std::span<const double> held) {
  const std::int64_t node = part.node_gpus.empty() ? 1 : part.node_gpus[shape.gpu], own = shape.gpus();
  const std::int64_t together = node > own ? node / own : 1;
  const std::int64_t gpus = node > own ? node : (own + node - 1) / node * node;
  double dollars = 0;
  for (std::int64_t k = from; k < to; k += together)
    dollars += double(gpus) * hour_price(part, shape.gpu, k, held);
  return dollars;
}

// What each part of a pool costs that holds its instances for some of the time.
struct PoolRent {
  std::vector<std::int64_t> counts;
  std::vector<double> dollars;
  double sum = 0;
};

PoolRent pool_rent(const std::vector<RentPart>& parts, const EngineShape& shape, std::int64_t instances,
                   std::span<const double> held, std::int64_t first) {
  PoolRent rent{.counts = counts_of(parts, instances, first), .dollars = {}};
  // While the last ones drain more may be held than the pool's size.
  const auto most = std::max<std::int64_t>(instances, std::int64_t(held.size() / kHoursOfDay));
  std::int64_t from = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::int64_t to = i + 1 == parts.size() && !held.empty() ? most : from + rent.counts[i];
    rent.dollars.push_back(pool_dollars(parts[i], shape, from, to, held));
    rent.sum += rent.dollars.back();
    from += rent.counts[i];
  }
  return rent;
}

PoolRent cheapest_pool_rent(const std::vector<RentPart>& parts, const EngineShape& shape,
                            std::int64_t instances, std::span<const double> held) {
  if (!is_first_free(parts) || held.empty()) return pool_rent(parts, shape, instances, held, instances);
  PoolRent best = pool_rent(parts, shape, instances, held, 0);
  for (std::int64_t first = 1; first <= instances; ++first) {
    PoolRent next = pool_rent(parts, shape, instances, held, first);
    if (next.sum < best.sum) best = std::move(next);
  }
  return best;
}

}  // namespace

std::vector<RentPart> rent_parts(const std::vector<std::string>& texts, bool scales) {
  std::vector<RentPart> parts;
  double shares = 0;
  for (const std::string& text : texts) {
    RentPart part = part_from_text(text);
    for (const RentPart& other : parts)
      if (other.kind == part.kind)
        throw InvalidInput(
            fmt::format("rent: {} is there twice, expected each kind once", name_of(part.kind)));
    shares += part.share.value_or(0);
    parts.push_back(std::move(part));
  }
  if (shares > 1 + kRounding)
    throw InvalidInput(fmt::format("rent: the shares add up to {:g}, expected at most 1", shares));
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (!parts[i].share && !(scales && parts.size() == 2))
      throw InvalidInput(
          fmt::format("rent: {} has no share, expected for example {}=0.5; without one, the first of two is "
                      "as large as is cheapest, where pools scale (`max_instances`)",
                      name_of(parts[i].kind), name_of(parts[i].kind)));
  if (!parts.empty() && parts.back().share && shares < 1 - kRounding)
    throw InvalidInput(
        fmt::format("rent: the shares add up to {:g}, expected 1, or the last without a share", shares));
  return parts;
}

std::vector<RentedShare> rented_shares(const std::vector<RentPart>& parts, const Configuration& configuration,
                                       const Fleet& fleet, std::span<const double> held,
                                       std::span<const double> held_decode) {
  const EngineShape& shape = configuration.shape;
  const PoolRent first = cheapest_pool_rent(parts, shape, fleet.instances, held);
  PoolRent decode;
  if (configuration.decode)
    decode = cheapest_pool_rent(parts, *configuration.decode, fleet.decode, held_decode);
  std::vector<RentedShare> shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const RentPart& part = parts[i];
    RentedShare share{.kind = part.kind, .fleet = {first.counts[i], 0}};
    if (configuration.decode) share.fleet.decode = decode.counts[i];
    const auto price = [&](const EngineShape& of) { return part.gpu_hour_price[of.gpu]; };
    if (held.empty()) {
      Configuration of_part = configuration;
      if (i > 0) of_part.encoders = 0;  // all of them are of the first part
      share.rented = rented_gpus(part.node_gpus, of_part, share.fleet);
      share.dollars = price(shape) * double(share.rented.first);
      if (configuration.decode) share.dollars += price(*configuration.decode) * double(share.rented.decode);
    } else {
      share.rented = rented_gpus(part.node_gpus, {.shape = shape, .decode = {}}, {share.fleet.instances, 0});
      share.dollars = first.dollars[i];
      if (configuration.decode) {
        const RentedGpus other = rented_gpus(part.node_gpus, {.shape = *configuration.decode, .decode = {}},
                                             {share.fleet.decode, 0});
        share.rented.decode = other.first;
        share.rented.nodes += other.nodes;
        share.dollars += decode.dollars[i];
      }
    }
    shares.push_back(share);
  }
  return shares;
}

double least_rent_of(const std::vector<RentPart>& parts, const Configuration& configuration,
                     const Fleet& fleet, std::int64_t least) {
  const auto cheapest = [](const RentPart& part, std::size_t gpu) {
    if (part.kind == PriceKind::Reserved || part.day_prices.empty()) return part.gpu_hour_price[gpu];
    return *std::min_element(part.day_prices[gpu].begin(), part.day_prices[gpu].end());
  };
  const auto pool = [&](const EngineShape& shape, std::int64_t instances) {
    const std::int64_t always = std::min(least, instances);
    if (is_first_free(parts))
      return double(shape.gpus() * always) *
             std::min(cheapest(parts[0], shape.gpu), cheapest(parts[1], shape.gpu));
    const std::vector<std::int64_t> counts = counts_of(parts, instances, instances);
    double dollars = 0;
    std::int64_t from = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t paid = parts[i].kind == PriceKind::Reserved
                                    ? counts[i]
                                    : std::clamp<std::int64_t>(always - from, 0, counts[i]);
      dollars += cheapest(parts[i], shape.gpu) * double(shape.gpus() * paid);
      from += counts[i];
    }
    return dollars;
  };
  return pool(configuration.shape, fleet.instances) +
         (configuration.decode ? pool(*configuration.decode, fleet.decode) : 0);
}

}  // namespace warploom
