#include "warploom/app/tune/tuned_times.h"

#include <fmt/format.h>

#include <map>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/measured_time.h"

namespace warploom {
namespace {

std::int64_t positive(const CsvReader& csv, std::size_t column) {
  const std::int64_t value = csv.integer(column);
  if (value < 1) throw InvalidInput(fmt::format("{} is {}, expected at least 1", csv.where(column), value));
  return value;
}

std::size_t best_column(const CsvReader& csv) {
  if (const auto found = csv.find_column("best_duration_us")) return *found;
  return csv.column("best_us");
}

}  // namespace

std::vector<TunedTime> read_tuned_times(const std::filesystem::path& path, const GpuCatalog& catalog) {
  CsvReader csv(path);
  const std::size_t gpu = csv.column("hardware"), tokens = csv.column("M"), experts = csv.column("E"),
                    top_k = csv.column("topk"), hidden = csv.column("H"), intermediate = csv.column("N"),
                    best = best_column(csv);
  std::vector<TunedTime> result;
  while (csv.next()) {
    const GpuSpec* spec = catalog.find(csv.cell(gpu));
    if (spec == nullptr) continue;
    const double us = measured_time(csv, best, kMicroseconds);
    result.push_back({.op = FusedMoe{.tokens = positive(csv, tokens),
                                     .hidden = positive(csv, hidden),
                                     .intermediate = positive(csv, intermediate),
                                     .experts = positive(csv, experts),
                                     .top_k = positive(csv, top_k),
                                     .pass = MoePass::GateUp},
                      .gpu = spec->name,
                      .best = microseconds(us)});
  }
  if (result.empty())
    throw InvalidInput(fmt::format("{}: no row of a known GPU, expected tuned times", path.string()));
  return result;
}

std::vector<TunedRow> match_tuned_times(const std::vector<TunedTime>& tuned, const Dataset& dataset) {
  std::map<std::pair<std::uint64_t, std::string>, Seconds> best;
  for (const TunedTime& entry : tuned) {
    const auto [place, inserted] = best.try_emplace({shape_hash(entry.op), entry.gpu}, entry.best);
    if (!inserted) place->second = std::min(place->second, entry.best);
  }
  std::vector<TunedRow> rows;
  for (std::uint32_t row = 0; row < dataset.size(); ++row) {
    const auto found = best.find({dataset.shape(row), dataset.gpu(row)});
    if (found != best.end()) rows.push_back({row, dataset.latency(row) / found->second});
  }
  return rows;
}

}  // namespace warploom
