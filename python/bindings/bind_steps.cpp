#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "warploom/answers/step_prices.h"

namespace nb = nanobind;

namespace warploom::python {
namespace {

using PriceTuple = std::tuple<double, double, double, double>;  // p10, p50, p90, host; microseconds

PriceTuple price_tuple(const StepPrice& price) {
  return {to_microseconds(price.p10), to_microseconds(price.p50), to_microseconds(price.p90),
          to_microseconds(price.host)};
}

// Milliseconds of the whole step, for loops that want one number.
double decode_ms(StepPrices& prices, std::int64_t requests, std::int64_t context) {
  return to_milliseconds(prices.decode(requests, context).time());
}

PriceTuple mixed(StepPrices& prices, const std::vector<std::int64_t>& contexts,
                 const std::vector<std::tuple<std::int64_t, std::int64_t>>& prompts) {
  std::vector<PromptPart> parts;
  parts.reserve(prompts.size());
  for (const auto& [tokens, context] : prompts) parts.push_back({tokens, context});
  return price_tuple(prices.mixed(contexts, parts));
}

}  // namespace

void bind_steps(nb::module_& m) {
  nb::class_<StepPrices>(m, "Step")
      .def(
          "__init__",
          [](StepPrices* self, const Session& session, const std::string& setup, const nb::object& noted) {
            new (self) StepPrices(session, parse_json(setup, "step"), notes_to(noted));
          },
          nb::arg("session"), nb::arg("setup"), nb::arg("noted") = nb::none(), nb::keep_alive<1, 2>())
      .def("decode_ms", &decode_ms, nb::arg("requests"), nb::arg("context"))
      .def(
          "decode",
          [](StepPrices& prices, std::int64_t requests, std::int64_t context) {
            return price_tuple(prices.decode(requests, context));
          },
          nb::arg("requests"), nb::arg("context"))
      .def("mixed", &mixed, nb::arg("contexts"), nb::arg("prompts"));
}

}  // namespace warploom::python
