// What a GPU costs at each hour of the day.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "warploom/hardware/gpu_catalog.h"

namespace warploom {

constexpr std::size_t kHoursOfDay = 24;
using DayPrices = std::array<double, kHoursOfDay>;  // $ for one GPU for one hour, from midnight on

// A price that holds from one hour to another, past midnight where the second is the smaller.
struct PriceWindow {
  std::string gpu;  // canonical name
  std::size_t from = 0, to = 0;
  double usd_per_gpu_hour = 0;
};

// "H200@8-20=4.5". Throws InvalidInput "day_price: ...", NotFound (a GPU).
PriceWindow price_window_from_text(std::string_view text, const GpuCatalog& catalog);
void set_window(DayPrices& prices, const PriceWindow& window);
double mean_price(const DayPrices& prices);

}  // namespace warploom
