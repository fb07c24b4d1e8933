#include "warploom/planner/gpu_prices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "warploom/base/error.h"
#include "warploom/base/json_members.h"
#include "warploom_embedded/gpu_price_files.h"

namespace warploom {
namespace {

constexpr std::int64_t kPriceVersion = 1;
constexpr double kMostPerHour = 1e4;  // $; above it a price was given for something else

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

FieldTable GpuPrice::describe() {
  using G = GpuPrice;
  return FieldList<G>("gpu_price")
      .add("gpu", &G::gpu, {.doc = "name of the GPU", .required = true})
      .add("kind", &G::kind, {.doc = "how it is rented", .required = true})
      .add("usd_per_gpu_hour", &G::usd_per_gpu_hour, {.unit = "$/h", .max = kMostPerHour, .required = true})
      .add("whole_nodes", &G::whole_nodes, {.doc = "rented as whole nodes alone, at that price for each GPU"})
      .add("provider", &G::provider, {.doc = "who rents it out"})
      .add("source", &G::source, {.doc = "where the price stands", .required = true})
      .add("date", &G::date, {.doc = "when it was read there, YYYY-MM-DD", .required = true})
      .table();
}

GpuPrices GpuPrices::shipped(const GpuCatalog& catalog) {
  GpuPrices prices;
  for (const EmbeddedFile& file : embedded::gpu_price_files())
    prices.add_document(parse_json(file.contents, file.name), file.name, catalog);
  return prices;
}

std::string gpu_of_price(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of(":=")));
}

void GpuPrices::add_document(const Json& document, std::string_view where, const GpuCatalog& catalog) {
  if (!document.is_object() || text_member_or(document, "schema", "") != "warploom_gpu_prices")
    throw InvalidInput(
        fmt::format("{}: is no list of prices, expected \"schema\": \"warploom_gpu_prices\"", where));
  if (document_version(document) > kPriceVersion)
    throw Unsupported(fmt::format("{}: is of version {}, expected at most {}", where,
                                  document["version"].dump(), kPriceVersion));
  if (!document.contains("prices") || !document["prices"].is_array())
    throw InvalidInput(fmt::format("{}: 'prices' is missing, expected a list", where));
  std::vector<GpuPrice> added;
  for (const Json& entry : document["prices"]) {
    const std::string place = fmt::format("{}: price {}", where, added.size());
    GpuPrice price = object_from_json<GpuPrice>(entry, place);
    price.gpu = catalog.get(price.gpu).name;
    if (!(price.usd_per_gpu_hour > 0))
      throw InvalidInput(
          fmt::format("{}: usd_per_gpu_hour is {}, expected above 0", place, price.usd_per_gpu_hour));
    if (!is_date(price.date))
      throw InvalidInput(fmt::format("{}: date is '{}', expected YYYY-MM-DD", place, price.date));
    added.push_back(std::move(price));
  }
  prices_.insert(prices_.begin(), added.begin(), added.end());
}

void GpuPrices::add_text(std::string_view text, const GpuCatalog& catalog) {
  const std::size_t equals = text.find('=');
  double value = 0;
  const std::string_view number =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (number.empty() || error != std::errc() || end != number.data() + number.size() || !(value > 0) ||
      value > kMostPerHour)
    throw InvalidInput(fmt::format(
        "price: '{}' is no price, expected GPU=DOLLARS_PER_HOUR or GPU:KIND=DOLLARS_PER_HOUR, for "
        "example H200=3.5 or H200:spot=1.9",
        text));
  const std::string gpu = catalog.get(gpu_of_price(text)).name;
  const std::string_view named = text.substr(0, equals);
  const std::size_t colon = named.find(':');
  std::optional<PriceKind> only;
  if (colon != std::string_view::npos)
    only = parse_enum<PriceKind>(std::string(named.substr(colon + 1)), "price");
  std::vector<GpuPrice> own;
  for (const auto& kind : EnumNames<PriceKind>::kNames)
    if (!only || *only == kind.first)
      own.push_back({.gpu = gpu,
                     .kind = kind.first,
                     .usd_per_gpu_hour = value,
                     .provider = "own",
                     .source = "given with the command",
                     .date = ""});
  prices_.insert(prices_.begin(), own.begin(), own.end());
}

std::optional<GpuPrice> GpuPrices::find(std::string_view gpu, PriceKind kind) const {
  const auto found = std::find_if(prices_.begin(), prices_.end(), [&](const GpuPrice& price) {
    return price.gpu == gpu && price.kind == kind;
  });
  return found == prices_.end() ? std::nullopt : std::optional(*found);
}

GpuPrice GpuPrices::require(std::string_view gpu, PriceKind kind, bool part_of_rent) const {
  if (const auto found = find(gpu, kind)) return *found;
  std::vector<std::string_view> others;
  for (const auto& [other, name] : EnumNames<PriceKind>::kNames)
    if (find(gpu, other)) others.push_back(name);
  // A price without a kind would take the place of those that are known too.
  const std::string own = others.empty() ? std::string(gpu) : fmt::format("{}:{}", gpu, name_of(kind));
  std::string known;
  if (!others.empty())
    known = part_of_rent ? fmt::format(", or parts of `rent` that have a price ({})", fmt::join(others, ", "))
                         : fmt::format(", `price_kind` {}", fmt::join(others, " or `price_kind` "));
  throw InvalidInput(
      fmt::format("price: of {} there is no {} price{}, expected `price` {}=DOLLARS_PER_HOUR{} "
                  "a file of `prices`{}{}",
                  gpu, name_of(kind), part_of_rent ? ", which `rent` asks for" : "", own,
                  part_of_rent && others.empty() ? " or" : ",", known,
                  part_of_rent ? "" : ", or another `objective` than cost"));
}

}  // namespace warploom
