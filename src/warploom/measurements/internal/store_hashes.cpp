#include "warploom/measurements/internal/store_hashes.h"

#include <array>
#include <bit>

#include "warploom/base/hash.h"

namespace warploom {
namespace {

struct HashedTable {
  std::string_view name, columns;  // i: a whole number, r: a real, t: a text
  const char* rows;
};

// By the table itself: an index may hold other values than the rows.
constexpr std::array kTables{
    HashedTable{"gpus", "it", "SELECT id, name FROM gpus NOT INDEXED"},
    HashedTable{"contexts", "ittt", "SELECT id, framework, version, kernel FROM contexts NOT INDEXED"},
    HashedTable{"operators", "iitt", "SELECT id, hash, family, operator FROM operators NOT INDEXED"},
    HashedTable{"measurements", "iiiirii",
                "SELECT operator, gpu, context, layout, latency_s, n_samples, marks FROM measurements"}};

std::uint64_t row_hash(const SqliteStatement& rows, std::string_view columns) {
  std::uint64_t hash = columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = int(i);
    const std::uint64_t value = columns[i] == 'i'   ? std::uint64_t(rows.integer(column))
                                : columns[i] == 'r' ? std::bit_cast<std::uint64_t>(rows.real(column))
                                                    : hash_bytes(rows.text(column));
    hash = hash_combine(hash, value);
  }
  return hash;
}

std::string table_hash(const SqliteConnection& connection, const HashedTable& table) {
  SqliteStatement rows(connection, table.rows);
  std::uint64_t sum = 0;
  while (rows.step()) sum += row_hash(rows, table.columns);
  return fmt::format("{:016x}", sum);
}

std::string key_of(const HashedTable& table) { return fmt::format("hash_{}", table.name); }

}  // namespace

void write_store_hashes(SqliteConnection& connection) {
  SqliteStatement insert(connection, "INSERT OR REPLACE INTO info VALUES (?, ?)");
  for (const HashedTable& table : kTables) {
    const std::string key = key_of(table), hash = table_hash(connection, table);
    insert.bind(0, key).bind(1, hash).run();
  }
}

void check_store_hashes(const SqliteConnection& connection) {
  for (const HashedTable& table : kTables) {
    SqliteStatement known(connection, "SELECT value FROM info NOT INDEXED WHERE key = ?");
    const std::string key = key_of(table);
    known.bind(0, key);
    if (!known.step() || known.text(0) != table_hash(connection, table))
      throw IoError(
          fmt::format("{}: the store is damaged: its table `{}` is not the one that was written; "
                      "expected a copy of the file, or the same data imported into a new store",
                      connection.path(), table.name));
  }
}

}  // namespace warploom
