// What a GPU costs by the hour: the records of data/prices and the user's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/json.h"
#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

enum class PriceKind { OnDemand, Reserved, Spot };
template <>
struct EnumNames<PriceKind> {
  static constexpr std::array<std::pair<PriceKind, std::string_view>, 3> kNames{
      {{PriceKind::OnDemand, "on_demand"}, {PriceKind::Reserved, "reserved"}, {PriceKind::Spot, "spot"}}};
};

struct GpuPrice {
  std::string gpu;  // canonical name
  PriceKind kind = PriceKind::OnDemand;
  double usd_per_gpu_hour = 0;
  bool whole_nodes = false;            // rented as nodes alone, at that price for each of their GPUs
  std::string provider, source, date;  // date: when the source was read, YYYY-MM-DD
  static FieldTable describe();
};

// The GPU that such a text names.
std::string gpu_of_price(std::string_view text);

class GpuPrices {
 public:
  // Without a price.
  GpuPrices() = default;
  // Those of data/prices. `catalog` names the GPUs.
  static GpuPrices shipped(const GpuCatalog& catalog);

  // {"schema": "warploom_gpu_prices", "version": 1, "prices": [GpuPrice...]}; its prices come before those
  // that are there. Throws InvalidInput (a key, a price that is not above 0, a date), NotFound (a GPU),
  // Unsupported (a newer version).
  void add_document(const Json& document, std::string_view where, const GpuCatalog& catalog);
  // "H200=2.5", for every kind, or "H200:spot=1.9" for one. Throws InvalidInput "price: ...", NotFound.
  void add_text(std::string_view text, const GpuCatalog& catalog);

  // The first of that kind; nothing when there is none.
  std::optional<GpuPrice> find(std::string_view gpu, PriceKind kind) const;
  // The same; throws InvalidInput that says how to give one, or, of a part of the rent, what could be rented.
  GpuPrice require(std::string_view gpu, PriceKind kind, bool part_of_rent = false) const;
  const std::vector<GpuPrice>& all() const { return prices_; }

 private:
  std::vector<GpuPrice> prices_;  // first match rules
};

}  // namespace warploom
