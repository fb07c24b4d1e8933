#include "warploom/app/tune/tune_pick.h"

#include <fmt/format.h>

#include "warploom/base/error.h"
#include "warploom/base/request_fields.h"
#include "warploom/tuner/expert_rows.h"
#include "warploom/tuner/tile_sample.h"

namespace warploom {
namespace {

// Checks that a grouped GEMM of so many experts was meant.
void check_expert_rows(const TileKernel& kernel, const std::vector<std::int64_t>& rows) {
  if (kernel.kind != TileKernelKind::GroupedGemm)
    throw InvalidInput(fmt::format("tune pick: expert_rows: the table is of a {}, expected a grouped_gemm",
                                   name_of(kernel.kind)));
  if (std::int64_t(rows.size()) != kernel.experts)
    throw InvalidInput(
        fmt::format("tune pick: expert_rows: {} numbers, expected one for each of the table's {} experts",
                    rows.size(), kernel.experts));
}

void check_rows_given(const TunePickRequest& request) {
  if (request.m.has_value() == request.expert_rows.empty()) {
    if (!request.expert_rows.empty() && request.best > 1)
      throw InvalidInput("tune pick: best: rows of experts have one pick, expected m with it");
    return;
  }
  throw InvalidInput(request.m ? "tune pick: m, expert_rows: both are given, expected one of them"
                               : "tune pick: expected m, or expert_rows of a grouped_gemm");
}

}  // namespace

FieldTable TunePickRequest::describe() {
  using R = TunePickRequest;
  return RequestFields<R>("tune_pick")
      .add("table", &R::table, {.doc = "a table that `tune fit` wrote", .required = true})
      .add("m", &R::m, {.doc = "rows (pairs, queries, sequences)"})
      .add("expert_rows", &R::expert_rows,
           {.doc = "in place of m, for a grouped_gemm: the rows of each expert", .min = 0})
      .add("n", &R::n, {.doc = "columns (keys)", .required = true})
      .add("k", &R::k, {.doc = "depth (batch x heads)", .required = true})
      .add("best", &R::best, {.doc = "the best few of all configurations instead", .min = 1})
      .table();
}

TunePickResult tune_pick(const TunePickRequest& request) {
  check_rows_given(request);
  const RuntimeTable table = RuntimeTable::open(request.table);
  if (!request.m) check_expert_rows(table.kernel(), request.expert_rows);
  const TileShape shape{request.m.value_or(pairs_of(request.expert_rows)), request.n, request.k};
  check_shape(shape, "tune pick");
  std::vector<TilePick> picks;
  if (!request.m)
    picks = {table.pick(request.expert_rows, shape.n, shape.k)};
  else if (request.best > 1)
    picks = table.best(shape, std::size_t(request.best));
  else
    picks = {table.pick(shape)};
  TunePickResult result{.shape = shape, .picks = {}};
  for (const TilePick& pick : picks)
    result.picks.push_back(
        {.pick = pick, .error_bound = table.error_bound(shape, pick), .tier = table.tier()});
  return result;
}

FieldTable TuneExportRequest::describe() {
  using R = TuneExportRequest;
  static const std::vector<std::string_view> formats = [] {
    std::vector<std::string_view> names;
    for (const auto& [engine, name] : EnumNames<MoeEngine>::kNames) names.push_back(name);
    names.insert(names.end(), {kKernelTunerFormat, kTableFormat});
    return names;
  }();
  return RequestFields<R>("tune_export")
      .add("table", &R::table, {.doc = "a table that `tune fit` wrote", .required = true})
      .add("n", &R::n, {.doc = "columns (keys)", .required = true})
      .add("k", &R::k, {.doc = "depth (batch x heads)", .required = true})
      .add("m", &R::m, {.doc = "kernel_tuner: the shape's m"})
      .add("format", &R::format,
           {.doc = "fused_moe JSON of an engine, results of Kernel Tuner, or the table itself",
            .choices = formats})
      .add("output", &R::output, {.doc = "file, or for an engine a folder", .required = true})
      .table();
}

}  // namespace warploom
