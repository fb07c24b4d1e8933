#include "warploom/judge/validate/validate_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "warploom/app/predict/tier_requirement.h"
#include "warploom/base/error.h"
#include "warploom/base/hash.h"
#include "warploom/base/parallel.h"
#include "warploom/base/request_fields.h"
#include "warploom/base/statistics.h"
#include "warploom/hardware/gpu_catalog.h"
#include "warploom/kernels/gemm/gemm_model.h"
#include "warploom/measurements/tile_choices.h"
#include "warploom/predictor/training/tile_ranking_fit.h"

namespace warploom {

FieldTable ValidateTilesRequest::describe() {
  using R = ValidateTilesRequest;
  return RequestFields<R>("validate_tiles")
      .add("data", &R::data, {.doc = "tiles.csv of warploom-collect", .required = true})
      .add("gpu", &R::gpu, {.doc = "record of that GPU; absent: by the name in the file"})
      .add("shipped", &R::shipped, {.doc = "judge the program's own ranking, learn nothing"})
      .add("require_tier", &R::require_tier,
           {.doc = "measured: refuse a ranking that learned nothing on the GPU"})
      .add("leave_out_sms", &R::leave_out_sms,
           {.doc = "also learn without each count of SMs and judge at it"})
      .add("rows", &R::rows, {.doc = "choices that a family learns from, at most", .min = 1})
      .add("write", &R::write, {.doc = "file for what was learned"})
      .add("threads", &R::threads,
           {.doc = "0: as many as cores; no effect on results", .min = 0, .max = 4096})
      .table();
}

namespace {

constexpr std::uint64_t kJudgedPart = 5;  // one of so many hashes

std::uint64_t shape_hash(const TileQueryKey& query) {
  return hash_combine(hash_combine(hash_combine(0, std::uint64_t(query.m)), std::uint64_t(query.n)),
                      std::uint64_t(query.k));
}

// Products are shapes: one that is timed or judged in a type is judged in all.
struct Split {
  std::vector<const TileObservation*> learned, judged;
  std::map<TileQueryKey, std::vector<const TileObservation*>> timed;
};

Split split(const TileObservations& data) {
  Split parts;
  std::set<std::uint64_t> timed_shapes;
  for (const TileObservation& row : data.rows) {
    if (!row.latency) continue;
    parts.timed[row.query].push_back(&row);
    timed_shapes.insert(shape_hash(row.query));
  }
  for (const TileObservation& row : data.rows) {
    if (row.latency || row.rank > 0) continue;
    const std::uint64_t hash = shape_hash(row.query);
    if (hash % kJudgedPart == 0 || timed_shapes.count(hash) > 0)
      parts.judged.push_back(&row);
    else if (!row.query.inner_first)
      parts.learned.push_back(&row);
  }
  // Any beginning of the list is a fair sample.
  std::stable_sort(parts.learned.begin(), parts.learned.end(), [](const auto* a, const auto* b) {
    return hash_combine(shape_hash(a->query), std::uint64_t(a->sms)) <
           hash_combine(shape_hash(b->query), std::uint64_t(b->sms));
  });
  return parts;
}

struct Judge {
  const GpuSpec& gpu;
  const Split& parts;

  TileProblem problem(const TileObservation& row) const {
    return *tile_problem(row.query.op(), gpu, row.sms);
  }

  // Asked for fewer SMs than there are, the library picks whole-number kernels by other rules.
  bool teaches(const TileObservation& row, TileFamily family, std::int64_t without) const {
    return row.sms != without && tile_family(row.query.scheme) == family &&
           (family != TileFamily::Int8 || row.sms == gpu.sm_count || without == gpu.sm_count);
  }

  TileRanking learn(const ValidateTilesRequest& request, std::int64_t without) const {
    TileRanking ranking;
    for (const auto& [family, name] : EnumNames<TileFamily>::kNames) {
      std::vector<ChosenTile> choices;
      for (const TileObservation* row : parts.learned) {
        if (choices.size() >= request.rows) break;
        if (teaches(*row, family, without)) choices.push_back({problem(*row), row->tile});
      }
      ranking[family] = fit_tile_constants(choices);
    }
    return ranking;
  }

  // PipeWeave's way: the training product at the least plain distance in (m, n, k), of the same type and
  // count of SMs; without such products those of the whole GPU lend theirs.
  LibraryTile nearest(const TileObservation& row, std::int64_t without) const {
    const std::int64_t sms = row.sms == without ? gpu.sm_count : row.sms;
    const TileObservation* best = nullptr;
    double least = 0;
    for (const TileObservation* other : parts.learned) {
      if (other->sms != sms || other->query.scheme != row.query.scheme) continue;
      const double dm = double(other->query.m - row.query.m), dn = double(other->query.n - row.query.n),
                   dk = double(other->query.k - row.query.k), distance = dm * dm + dn * dn + dk * dk;
      if (best == nullptr || distance < least) {
        best = other;
        least = distance;
      }
    }
    return best != nullptr ? best->tile : LibraryTile{};
  }

  // The least over the tilings of the structural model, with its typical constants.
  LibraryTile minimum(const TileObservation& row) const {
    GpuSpec part = gpu;
    part.sm_count = row.sms;
    GemmPrice price;
    GemmModel(row.query.scheme, part).price(row.query.op(), price);
    const GemmTileShape tile = gemm_tile_shape(price.tile);
    return {tile.rows, tile.columns, price.splits};
  }

  double fastest(const TileQueryKey& query) const {
    double least = INFINITY;
    for (const TileObservation* row : parts.timed.at(query)) least = std::min(least, *row->latency);
    return least;
  }
};

double share(std::size_t count, std::size_t all) { return all > 0 ? double(count) / double(all) : NAN; }

using Guess = std::function<LibraryTile(const TileObservation&)>;

TileSourceErrors judge_source(const std::string& name, const Judge& judge,
                              const std::vector<const TileObservation*>& rows, const Guess& guess) {
  std::size_t tiles = 0, both = 0, waves = 0;
  std::vector<double> regrets, library;
  for (const TileObservation* row : rows) {
    const LibraryTile tile = guess(*row);
    const bool same = tile.tile_m == row->tile.tile_m && tile.tile_n == row->tile.tile_n;
    const TileProblem problem = judge.problem(*row);
    tiles += same;
    both += same && tile.splits == row->tile.splits;
    waves += std::ceil(problem.waves(tile)) == std::ceil(problem.waves(row->tile));
    const auto timed = judge.parts.timed.find(row->query);
    if (timed == judge.parts.timed.end() || row->sms != judge.gpu.sm_count) continue;
    const double least = judge.fastest(row->query);
    const TileObservation *chosen = nullptr, *first = nullptr;
    for (const TileObservation* other : timed->second) {
      if (other->tile == tile) chosen = other;
      if (other->rank == 0) first = other;
    }
    if (chosen == nullptr || first == nullptr) continue;
    regrets.push_back(*chosen->latency / least - 1);
    library.push_back(*first->latency / least - 1);
  }
  return {.source = name,
          .tile = share(tiles, rows.size()),
          .tile_and_split = share(both, rows.size()),
          .waves = share(waves, rows.size()),
          .timed = std::int64_t(regrets.size()),
          .mean_regret = mean(regrets),
          .median_regret = quantile(regrets, 0.5),
          .p90_regret = quantile(regrets, 0.9),
          .library_regret = mean(library)};
}

// `without`: the count of SMs that the ranking did not see, judged alone; 0: it saw all, and the whole GPU is
// judged apart from all smaller counts.
std::vector<TileCell> judge_cells(const Judge& judge, const TileRanking& ranking, std::int64_t without) {
  std::map<std::tuple<MatmulScheme, bool, bool>, std::vector<const TileObservation*>> groups;
  for (const TileObservation* row : judge.parts.judged)
    if (without == 0 || row->sms == without)
      groups[{row->query.scheme, row->query.inner_first, row->sms == judge.gpu.sm_count}].push_back(row);
  std::vector<TileCell> cells;
  for (const auto& [key, rows] : groups) {
    TileCell cell;
    cell.learned = without == 0 ? "all" : fmt::format("without {}", without);
    cell.scheme = name_of(std::get<0>(key));
    cell.layout = std::get<1>(key) ? "nn" : "tn";
    const bool whole = std::get<2>(key);
    cell.sms = whole ? judge.gpu.sm_count : without;
    cell.products = std::int64_t(rows.size());
    if (whole)
      cell.timed_products = std::count_if(rows.begin(), rows.end(), [&](const TileObservation* row) {
        return judge.parts.timed.count(row->query) > 0;
      });
    cell.sources = {
        judge_source(
            "ranking", judge, rows,
            [&](const TileObservation& row) { return ranking.rank(judge.problem(row)).front().tile; }),
        judge_source("nearest", judge, rows,
                     [&](const TileObservation& row) { return judge.nearest(row, without); }),
        judge_source("minimum", judge, rows, [&](const TileObservation& row) { return judge.minimum(row); })};
    cells.push_back(std::move(cell));
  }
  return cells;
}

// A ranking that is learned here is learned on the GPU of the choices; the shipped one may be another's.
void check_learned_on(const GpuSpec& gpu, const ValidateTilesRequest& request, const GpuCatalog& catalog) {
  if (!requires_measured(request.require_tier) || !request.shipped) return;
  const std::string& from = TileRanking::cublas().gpu();
  if (!from.empty() && catalog.get(from).name == gpu.name) return;
  throw Unsupported(
      fmt::format("require_tier: the shipped ranking was learned on {}, so no choice on {} is answered from "
                  "measurements of its GPU",
                  from.empty() ? "an unknown GPU" : from, gpu.name));
}

void write_ranking(const ValidateTilesRequest& request, const TileRanking& ranking,
                   const TileObservations& data) {
  Json document = ranking.to_json();
  document["gpu"] = data.gpu;
  document["created_by"] = "warploom validate tiles";
  document["source"] = fmt::format("{}, {}", data.gpu, data.library);
  write_json_file(request.write, document);
}

}  // namespace

TileValidation validate_tiles(const ValidateTilesRequest& request) {
  check(request, "validate tiles");
  request.files.check_writes(request.write, "write");
  if (request.shipped && (request.leave_out_sms || !request.write.empty()))
    throw InvalidInput("shipped: nothing is learned, expected neither `leave_out_sms` nor `write`");
  const TileObservations data = read_tile_choices(request.data);
  GpuCatalog catalog;
  const GpuSpec gpu = catalog.load_gpu(request.gpu.empty() ? data.gpu : request.gpu, request.files);
  check_learned_on(gpu, request, catalog);
  const Split parts = split(data);
  if (parts.learned.empty() || parts.judged.empty())
    throw InvalidInput(fmt::format("{}: {} choices to learn from and {} to judge, expected some of both",
                                   request.data.string(), parts.learned.size(), parts.judged.size()));
  const Judge judge{gpu, parts};
  std::vector<std::int64_t> without{0};
  if (request.leave_out_sms) {
    std::set<std::int64_t> counts;
    for (const TileObservation* row : parts.judged) counts.insert(row->sms);
    if (counts.size() < 2)
      throw InvalidInput(fmt::format("{}: choices for one count of SMs, `leave_out_sms` expects several",
                                     request.data.string()));
    without.insert(without.end(), counts.rbegin(), counts.rend());
  }
  std::vector<std::vector<TileCell>> cells(without.size());
  parallel_for(without.size(), std::size_t(request.threads), [&](std::size_t i) {
    const TileRanking ranking = request.shipped ? TileRanking::cublas() : judge.learn(request, without[i]);
    cells[i] = judge_cells(judge, ranking, without[i]);
    if (request.shipped)
      for (TileCell& cell : cells[i]) cell.learned = "shipped";
    if (i == 0 && !request.write.empty()) write_ranking(request, ranking, data);
    if (request.progress) request.progress(fmt::format("{} of {} rankings", i + 1, without.size()));
  });
  TileValidation result{.gpu = data.gpu, .library = data.library, .cells = {}};
  result.learned = request.shipped ? 0 : std::int64_t(parts.learned.size());
  result.judged = std::int64_t(parts.judged.size());
  for (std::vector<TileCell>& part : cells)
    std::move(part.begin(), part.end(), std::back_inserter(result.cells));
  std::vector<double> regrets;
  for (const auto& [query, rows] : parts.timed)
    for (const TileObservation* row : rows)
      if (row->rank == 0) regrets.push_back(*row->latency / judge.fastest(query) - 1);
  result.library_mean_regret = mean(regrets);
  result.library_median_regret = quantile(regrets, 0.5);
  return result;
}

}  // namespace warploom
