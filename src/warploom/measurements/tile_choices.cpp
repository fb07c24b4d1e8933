#include "warploom/measurements/tile_choices.h"

#include <fmt/format.h>

#include "warploom/base/csv.h"
#include "warploom/base/error.h"

namespace warploom {
namespace {

std::int64_t at_least(CsvReader& reader, std::size_t column, std::int64_t least) {
  const std::int64_t value = reader.integer(column);
  if (value < least)
    throw InvalidInput(
        fmt::format("{}{}, expected a whole number of at least {}", reader.where(column), value, least));
  return value;
}

MatmulScheme scheme_at(CsvReader& reader, std::size_t column) {
  for (const auto& [scheme, name] : EnumNames<MatmulScheme>::kNames)
    if (name == reader.cell(column) && tile_family(scheme)) return scheme;
  throw InvalidInput(fmt::format("{}'{}', expected bf16, fp16, fp8, fp8_static, fp8_block or int8",
                                 reader.where(column), reader.cell(column)));
}

}  // namespace

TileObservations read_tile_choices(const std::filesystem::path& path) {
  CsvReader reader(path);
  const auto column = [&](std::string_view name) { return reader.column(name); };
  const std::size_t gpu = column("gpu"), library = column("library"), sms = column("sms"),
                    scheme = column("scheme"), layout = column("layout"), m = column("m"), n = column("n"),
                    k = column("k"), rank = column("rank"), tile_m = column("tile_m"),
                    tile_n = column("tile_n"), split = column("split_k"), latency = column("latency_us");
  TileObservations found;
  while (reader.next()) {
    if (found.gpu.empty()) {
      found.gpu = reader.cell(gpu);
      found.library = reader.cell(library);
    } else if (reader.cell(gpu) != found.gpu) {
      throw InvalidInput(fmt::format("{}'{}' after '{}', expected one GPU a file", reader.where(gpu),
                                     reader.cell(gpu), found.gpu));
    }
    if (reader.cell(layout) != "tn" && reader.cell(layout) != "nn")
      throw InvalidInput(fmt::format("{}'{}', expected tn or nn", reader.where(layout), reader.cell(layout)));
    TileObservation row;
    row.query = {.scheme = scheme_at(reader, scheme),
                 .inner_first = reader.cell(layout) == "nn",
                 .m = at_least(reader, m, 1),
                 .n = at_least(reader, n, 1),
                 .k = at_least(reader, k, 1)};
    row.sms = at_least(reader, sms, 1);
    row.rank = int(at_least(reader, rank, 0));
    row.tile = {at_least(reader, tile_m, 0), at_least(reader, tile_n, 0),
                std::max<std::int64_t>(1, reader.integer(split))};
    if (!reader.empty(latency)) {
      const double microseconds = reader.real(latency);
      if (microseconds <= 0)
        throw InvalidInput(fmt::format("{}{}, expected a time above 0", reader.where(latency), microseconds));
      row.latency = microseconds * 1e-6;
    }
    if (row.tile.tile_m == 0 || row.tile.tile_n == 0)
      ++found.left_out;
    else
      found.rows.push_back(row);
  }
  if (found.rows.empty()) throw InvalidInput(fmt::format("{}: no rows of choices", path.string()));
  return found;
}

}  // namespace warploom
