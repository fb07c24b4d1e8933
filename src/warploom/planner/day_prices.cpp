#include "warploom/planner/day_prices.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "warploom/base/error.h"

namespace warploom {
namespace {

constexpr double kMostPerGpuHour = 1e6;  // $; above it a number is a slip

template <class Number>
bool read_whole(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

PriceWindow price_window_from_text(std::string_view text, const GpuCatalog& catalog) {
  const std::size_t at = std::min(text.rfind('@'), text.size());
  const std::size_t dash = std::min(text.find('-', at), text.size());
  const std::size_t equals = std::min(text.find('=', dash), text.size());
  PriceWindow window;
  const bool read = equals < text.size() && read_whole(text.substr(at + 1, dash - at - 1), window.from) &&
                    read_whole(text.substr(dash + 1, equals - dash - 1), window.to) &&
                    read_whole(text.substr(equals + 1), window.usd_per_gpu_hour);
  if (!read || window.from >= kHoursOfDay || window.to > kHoursOfDay || window.from == window.to ||
      !(window.usd_per_gpu_hour > 0) || window.usd_per_gpu_hour > kMostPerGpuHour)
    throw InvalidInput(fmt::format(
        "day_price: '{}' is no price, expected GPU@FROM-TO=DOLLARS_PER_HOUR with hours from 0 to 24, for "
        "example H200@8-20=4.5",
        text));
  window.gpu = catalog.get(text.substr(0, at)).name;
  return window;
}

void set_window(DayPrices& prices, const PriceWindow& window) {
  for (std::size_t hour = window.from; hour % kHoursOfDay != window.to % kHoursOfDay || hour == window.from;
       ++hour)
    prices[hour % kHoursOfDay] = window.usd_per_gpu_hour;
}

double mean_price(const DayPrices& prices) {
  return std::accumulate(prices.begin(), prices.end(), 0.0) / double(kHoursOfDay);
}

}  // namespace warploom
