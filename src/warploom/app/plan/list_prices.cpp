#include "warploom/app/plan/list_prices.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "warploom/base/file.h"
#include "warploom/base/request_fields.h"
#include "warploom/hardware/node_catalog.h"

namespace warploom {

FieldTable PricesRequest::describe() {
  using R = PricesRequest;
  return RequestFields<R>("prices")
      .add("gpus", &R::gpus, {.doc = "only of these GPUs; none: of every GPU that has a price"})
      .add("price_kind", &R::price_kind, {.doc = "only of GPUs that are rented so"})
      .add("prices", &R::prices, {.doc = "a list of prices of one's own, before the known one"})
      .table();
}

PriceListing list_prices(const PricesRequest& request) {
  GpuCatalog catalog;
  const NodeCatalog nodes(catalog);
  GpuPrices known = GpuPrices::shipped(catalog);
  if (!request.prices.empty())
    known.add_document(read_json_file(request.prices), request.prices.string(), catalog);
  std::vector<std::string> asked;
  for (const std::string& name : request.gpus) {
    const std::string gpu = catalog.load_gpu(name, request.files).name;
    if (std::find(asked.begin(), asked.end(), gpu) == asked.end()) asked.push_back(gpu);
  }
  PriceListing listing;
  std::set<std::string> priced;
  std::set<std::pair<std::string, PriceKind>> seen;
  for (const GpuPrice& price : known.all()) {
    const bool first = seen.emplace(price.gpu, price.kind).second;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), price.gpu) == asked.end()) continue;
    if (request.price_kind && *request.price_kind != price.kind) continue;
    priced.insert(price.gpu);
    const std::int64_t at_once = price.whole_nodes ? nodes.node_of(catalog.get(price.gpu)).gpus_per_node : 1;
    listing.prices.push_back({.price = price, .gpus_at_once = at_once, .planned = first});
  }
  std::stable_sort(listing.prices.begin(), listing.prices.end(),
                   [](const ListedPrice& a, const ListedPrice& b) {
                     return std::tie(a.price.gpu, a.price.kind) < std::tie(b.price.gpu, b.price.kind);
                   });
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(listing.unknown),
               [&](const std::string& gpu) { return !priced.contains(gpu); });
  return listing;
}

}  // namespace warploom
