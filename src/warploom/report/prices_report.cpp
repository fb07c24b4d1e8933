#include "warploom/report/prices_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "warploom/report/text_table.h"

namespace warploom {
namespace {

// Where each provider's prices stand, each place once.
std::string sources_text(const PriceListing& listing) {
  std::vector<std::pair<std::string, std::string>> places;
  for (const ListedPrice& row : listing.prices)
    if (const std::pair place(row.price.provider, row.price.source);
        std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  std::string text = "Sources:\n";
  for (const auto& place : places)
    text += fmt::format("  {}{}{}\n", place.first, place.first.empty() ? "" : ": ", place.second);
  return text;
}

}  // namespace

std::string prices_text(const PriceListing& listing) {
  std::string text;
  if (!listing.prices.empty()) {
    TextTable table({{"GPU", Align::Left},
                     {"kind", Align::Left},
                     {"$/GPU/h"},
                     {"at once"},
                     {"provider", Align::Left},
                     {"read", Align::Left}});
    for (const ListedPrice& row : listing.prices)
      table.add_row({row.price.gpu, std::string(name_of(row.price.kind)),
                     fmt::format("{:.2f}", row.price.usd_per_gpu_hour), std::to_string(row.gpus_at_once),
                     row.price.provider, row.price.date});
    text = table.text() + "\n" + sources_text(listing);
  }
  if (!listing.unknown.empty())
    text += fmt::format("No such price is known of {}: give `plan` one, as in --price {}=2.5\n",
                        fmt::join(listing.unknown, ", "), listing.unknown.front());
  return text;
}

Json prices_json(const PriceListing& listing) {
  Json document = {{"prices", Json::array()}, {"without_price", listing.unknown}};
  for (const ListedPrice& row : listing.prices) {
    Json record = to_json(row.price);
    record["gpus_at_once"] = row.gpus_at_once;
    record["planned"] = row.planned;
    document["prices"].push_back(std::move(record));
  }
  return document;
}

}  // namespace warploom
