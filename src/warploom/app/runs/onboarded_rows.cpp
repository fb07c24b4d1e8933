#include "warploom/app/runs/onboarded_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "warploom/app/predict/latency_models.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/fields.h"
#include "warploom/base/measured_time.h"
#include "warploom/kernels/operator_json.h"

namespace warploom {
namespace {

constexpr std::string_view kQuantised = "quantised";

// A product whose rows are those of `op`: what is quantised does not depend on its columns.
Gemm product_after(const Operator& op, std::string_view scheme, const std::string& where) {
  Gemm product{.scheme = parse_enum<MatmulScheme>(scheme, where + ": quantised")};
  const auto rows = [&](std::int64_t count, std::int64_t width) {
    product.m = count;
    product.n = product.k = width;
  };
  if (const auto* norm = std::get_if<RmsNorm>(&op))
    rows(norm->tokens, norm->width);
  else if (const auto* activation = std::get_if<Activation>(&op))
    rows(activation->tokens, activation->width);
  else if (const auto* pass = std::get_if<Quantize>(&op))
    rows(pass->rows, pass->width);
  else
    throw InvalidInput(
        fmt::format("{}: quantised: expected with a norm, an activation or a pass of quantising", where));
  return product;
}

}  // namespace

std::vector<MeasuredSum> read_onboarded_rows(const std::filesystem::path& path, const ServingSetup& setup) {
  std::vector<MeasuredSum> sums;
  if (!std::filesystem::exists(path)) return sums;
  CsvReader csv(path);
  const std::size_t latency = csv.column("latency_us"), entry = csv.column("rows");
  const std::string schemes = scheme_label(setup.model);
  const KernelContext engine{setup.kernels.framework, setup.kernels.version, {}};
  while (csv.next()) {
    const std::string where = csv.where(entry);
    Json document = parse_json(std::string(csv.cell(entry)), where);
    std::string scheme;
    if (document.is_object() && document.contains(kQuantised)) {
      if (!document[kQuantised].is_string())
        throw InvalidInput(
            fmt::format("{}: quantised is {}, expected a scheme", where, document[kQuantised].dump()));
      scheme = document[kQuantised].get<std::string>();
      document.erase(std::string(kQuantised));
    }
    const Operator op = operator_from_json(document, where);
    if (!works_on_rows(op))
      throw InvalidInput(fmt::format("{}: {}, expected an operator on rows", where, name_of(family_of(op))));
    const Seconds measured = microseconds(measured_time(csv, latency, kMicroseconds));
    const LatencyEstimate price = setup.latency->estimate(op, *setup.gpu, engine);
    Seconds predicted;
    // Rows that the model's own products do not read are other kernels than its steps have.
    if (!scheme.empty() && schemes.find(scheme) == std::string::npos) continue;
    if (!scheme.empty())
      predicted += quantising_part(*setup.latency, product_after(op, scheme, where), *setup.gpu, engine);
    const bool scaled = group_of(op, price.bound).has_value();
    if (!scaled) continue;
    // A pass by itself is what a product's price holds of it.
    if (scheme.empty() || !std::holds_alternative<Quantize>(op)) predicted += price.p50;
    MeasuredSum sum{.measured = measured, .measured_rows = measured};
    sum.predicted[std::size_t(KernelGroup::Rows)] = predicted;
    if (predicted > Seconds(0.0)) sums.push_back(sum);
  }
  return sums;
}

}  // namespace warploom
