// Use case `prices`: what GPUs cost by the hour, as far as it is known.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "warploom/base/fields.h"
#include "warploom/base/file_scope.h"
#include "warploom/planner/gpu_prices.h"

namespace warploom {

struct PricesRequest {
  std::vector<std::string> gpus;  // empty: all
  std::optional<PriceKind> price_kind;
  std::filesystem::path prices;            // a list of one's own, before the shipped one
  FileScope files = FileScope::machine();  // where names may be paths
  static FieldTable describe();
};

struct ListedPrice {
  GpuPrice price;
  std::int64_t gpus_at_once = 1;  // that are rented together: those of a node, where only nodes are
  bool planned = true;            // `plan` takes it: no other of the GPU and the kind comes before it
};

struct PriceListing {
  std::vector<ListedPrice> prices;   // by GPU, then kind, in the order of the lists
  std::vector<std::string> unknown;  // GPUs that were asked for and have no price
};

// Throws NotFound on names, and what GpuPrices::add_document throws.
PriceListing list_prices(const PricesRequest& request);

}  // namespace warploom
