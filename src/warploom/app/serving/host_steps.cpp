#include "warploom/app/serving/host_steps.h"

#include <fmt/format.h>

#include "warploom/app/serving/price_step.h"
#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/measured_time.h"

namespace warploom {
namespace {

StepShape measured_shape(const std::string& kind, const std::string& batch, const std::string& where) {
  const std::size_t plus = batch.find('+');
  if ((kind == "mixed") != (plus != batch.npos))
    throw InvalidInput(fmt::format("{}: '{}' is no batch of kind {}, expected BxC+T for mixed steps alone",
                                   where, batch, kind));
  const BatchShape first = parse_batch_shape(batch.substr(0, plus), where);
  StepShape shape;
  if (kind == "prefill") {
    shape = StepShape::whole_prompts(first.requests, first.tokens);
  } else {
    shape = StepShape::one_token_each(first.requests, first.tokens);
  }
  if (plus != batch.npos) {
    const BatchShape prompt = parse_batch_shape("1x" + batch.substr(plus + 1), where);
    shape.prefill.push_back({1, prompt.tokens, 0});
    ++shape.logits_rows;
  }
  return shape;
}

}  // namespace

std::vector<MeasuredStep> read_measured_steps(const std::filesystem::path& path) {
  CsvReader csv(path);
  const std::size_t kind = csv.column("kind"), batch = csv.column("batch"), wall = csv.column("wall_ms");
  const std::optional<std::size_t> kernels = csv.find_column("kernel_sum_ms"),
                                   rows = csv.find_column("rows_ms"), core = csv.find_column("core_ms");
  std::vector<MeasuredStep> steps;
  while (csv.next()) {
    const std::string kind_text(csv.cell(kind)), batch_text(csv.cell(batch));
    if (kind_text != "prefill" && kind_text != "decode" && kind_text != "mixed")
      throw InvalidInput(
          fmt::format("{}: '{}' is unknown, expected prefill, decode or mixed", csv.where(kind), kind_text));
    const double ms = measured_time(csv, wall, kMilliseconds);
    if (!(ms < 1e6))
      throw InvalidInput(fmt::format("{}: {} ms, expected below 1,000 s", csv.where(wall), ms));
    steps.push_back(
        {batch_text, measured_shape(kind_text, batch_text, csv.where(batch)), milliseconds(ms), {}});
    const auto time_if = [&](const std::optional<std::size_t>& column) -> std::optional<Seconds> {
      if (!column || csv.cell(*column).empty()) return std::nullopt;
      return milliseconds(measured_time(csv, *column, kMilliseconds));
    };
    steps.back().kernels = time_if(kernels);
    steps.back().rows = time_if(rows);
    steps.back().core = time_if(core);
  }
  if (steps.empty()) throw InvalidInput(fmt::format("{}: no step, expected at least one row", path.string()));
  return steps;
}

}  // namespace warploom
