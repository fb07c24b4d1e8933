// Known prices as text and as JSON.
#pragma once

#include <string>

#include "warploom/app/plan/list_prices.h"
#include "warploom/base/json.h"

namespace warploom {

std::string prices_text(const PriceListing& listing);
// {"prices": [record as in data/prices, with "gpus_at_once" and "planned"], "without_price": [GPU]}
Json prices_json(const PriceListing& listing);

}  // namespace warploom
