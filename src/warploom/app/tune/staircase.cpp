#include "warploom/app/tune/staircase.h"

#include <cmath>

#include "warploom/base/request_fields.h"

namespace warploom {
namespace {

constexpr std::size_t kShownPoints = 200;  // as many as a chart of a screen's width can tell apart

}  // namespace

FieldTable TuneShowRequest::describe() {
  using R = TuneShowRequest;
  return RequestFields<R>("tune_show")
      .add("table", &R::table, {.doc = "a table that `tune fit` wrote", .required = true})
      .add("m", &R::m, {.doc = "the largest m", .min = 1})
      .add("n", &R::n, {.doc = "columns (keys)", .min = 1, .required = true})
      .add("k", &R::k, {.doc = "depth (batch x heads)", .min = 1, .required = true})
      .add("samples", &R::samples, {.doc = "measured times, of which those at this n and k are shown"})
      .table();
}

std::vector<StaircasePoint> staircase(const RuntimeTable& table, std::int64_t most_m, std::int64_t n,
                                      std::int64_t k, std::size_t count) {
  check_shape({most_m, n, k}, "tune show");
  std::vector<StaircasePoint> points;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double part = count < 2 ? 1.0 : double(i) / double(count - 1);
    const auto m = static_cast<std::int64_t>(std::llround(std::pow(double(most_m), part)));
    if (m == last) continue;
    last = m;
    const TileShape shape{m, n, k};
    points.push_back({.shape = shape,
                      .chosen = table.pick(shape),
                      .default_us = table.predict_us(shape, table.default_config()).value_or(0)});
  }
  return points;
}

TuneShowResult tune_show(const TuneShowRequest& request) {
  TuneShowResult result{.table = RuntimeTable::open(request.table), .n = request.n, .k = request.k};
  result.points = staircase(result.table, request.m, request.n, request.k, kShownPoints);
  if (request.samples.empty()) return result;
  for (const TileSample& sample : read_tile_samples(request.samples).rows) {
    const TileShape& at = sample.shape;
    if (at.n == request.n && at.k == request.k && at.m <= request.m &&
        sample.config == result.table.pick(at).config)
      result.measured.push_back(sample);
  }
  return result;
}

}  // namespace warploom
