// What `tune pick` asks of a table, whichever method made it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "warploom/app/tune/tune_fit.h"
#include "warploom/base/json.h"

namespace warploom {

struct AskedPicks {
  std::string table;
  std::vector<std::int64_t> expert_rows;
  std::optional<std::int64_t> m;
  std::int64_t n = 4096, k = 4096;
  std::size_t best = 1;
  bool json = false;
};

// A table's answers. All of them live as long as the table.
struct PickSource {
  const TileKernel* kernel = nullptr;
  std::function<TilePick(const std::vector<std::int64_t>& rows, std::int64_t n, std::int64_t k)> pick_rows;
  std::function<TilePick(const TileShape& shape)> pick;
  std::function<std::vector<TilePick>(const TileShape& shape, std::size_t count)> best;
  // Adds to a pick's document how far its time is to be trusted.
  std::function<void(Json& document, const TileShape& shape, const TilePick& pick)> add_trust;
};

template <class Table>
PickSource pick_source(const Table& table, const TileKernel& kernel,
                       decltype(PickSource::add_trust) add_trust) {
  return {.kernel = &kernel,
          .pick_rows = [&table](const std::vector<std::int64_t>& rows, std::int64_t n,
                                std::int64_t k) { return table.pick(rows, n, k); },
          .pick = [&table](const TileShape& shape) { return table.pick(shape); },
          .best = [&table](const TileShape& shape, std::size_t count) { return table.best(shape, count); },
          .add_trust = std::move(add_trust)};
}

// Prints them. Throws InvalidInput on a shape or on rows of experts that the kernel does not have.
void print_picks(const AskedPicks& asked, const PickSource& source);

// Whether the file is a table of the published wave model. Throws IoError.
bool is_published_table(const std::string& table);
// The same of such a table. The program warploom-judge has it; others throw JudgingElsewhere.
void print_published_picks(const AskedPicks& asked);

}  // namespace warploom
