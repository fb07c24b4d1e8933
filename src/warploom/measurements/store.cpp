#include "warploom/measurements/store.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "warploom/base/file.h"
#include "warploom/base/json.h"
#include "warploom/base/nearest_name.h"
#include "warploom/kernels/operator_json.h"
#include "warploom/measurements/internal/sqlite_statement.h"
#include "warploom/measurements/internal/store_hashes.h"

namespace warploom {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSchema = "warploom.measurements";
constexpr std::int64_t kVersion = 2, kVersionWithHashes = 2;

constexpr const char* kTables = R"sql(
CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO info VALUES ('schema', 'warploom.measurements'), ('version', '2'), ('created_by', 'warploom');
CREATE TABLE gpus (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE contexts (id INTEGER PRIMARY KEY, framework TEXT NOT NULL, version TEXT NOT NULL,
                       kernel TEXT NOT NULL, UNIQUE (framework, version, kernel));
CREATE TABLE operators (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL UNIQUE, family TEXT NOT NULL,
                        operator TEXT NOT NULL);
CREATE TABLE measurements (operator INTEGER NOT NULL, gpu INTEGER NOT NULL, context INTEGER NOT NULL,
                           layout INTEGER NOT NULL, latency_s REAL NOT NULL, n_samples INTEGER NOT NULL,
                           marks INTEGER NOT NULL,
                           PRIMARY KEY (operator, gpu, context, layout)) WITHOUT ROWID;
)sql";

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(SqliteConnection& connection, const char* begin = "BEGIN IMMEDIATE")
      : connection_(connection) {
    connection_.execute(begin);
  }
  ~Transaction() {
    if (!done_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    connection_.execute("COMMIT");
    done_ = true;
  }

 private:
  SqliteConnection& connection_;
  bool done_ = false;
};

std::int64_t row_count(const SqliteConnection& connection) {
  SqliteStatement count(connection, "SELECT count(*) FROM measurements");
  count.step();
  return count.integer(0);
}

}  // namespace

struct MeasurementStore::State {
  State(const fs::path& path, int flags) : connection(path, flags) {}

  bool is_empty_file() const {
    SqliteStatement tables(connection, "SELECT count(*) FROM sqlite_master");
    tables.step();
    return tables.integer(0) == 0;
  }

  void check_version() {
    std::string schema;
    try {
      SqliteStatement info(connection, "SELECT key, value FROM info");
      while (info.step()) {
        if (info.text(0) == "schema") schema = info.text(1);
        if (info.text(0) == "version") version = std::atoll(std::string(info.text(1)).c_str());
      }
    } catch (const IoError&) {
      schema.clear();
    }
    if (schema != kSchema) throw InvalidInput(fmt::format("{}: is no measurement store", connection.path()));
    if (version > kVersion) {
      throw Unsupported(fmt::format("{}: has format version {}, this program knows up to {}",
                                    connection.path(), version, kVersion));
    }
  }

  // Row ids in the store of the data set's entries. An entry that is new is written.
  std::vector<std::int64_t> write_gpus(const Dataset& dataset);
  std::vector<std::int64_t> write_contexts(const Dataset& dataset);
  std::vector<std::int64_t> write_operators(const Dataset& dataset);

  void check_hashes() const {
    if (version >= kVersionWithHashes) check_store_hashes(connection);
  }

  mutable SqliteConnection connection;
  std::int64_t version = 0;
  bool writable = false;
};

std::vector<std::int64_t> MeasurementStore::State::write_gpus(const Dataset& dataset) {
  SqliteStatement insert(connection, "INSERT OR IGNORE INTO gpus (name) VALUES (?)");
  std::vector<std::int64_t> ids;
  for (const std::string& name : dataset.gpus()) {
    insert.bind(0, name).run();
    SqliteStatement find(connection, "SELECT id FROM gpus NOT INDEXED WHERE name = ?");
    find.bind(0, name).step();
    ids.push_back(find.integer(0));
  }
  return ids;
}

std::vector<std::int64_t> MeasurementStore::State::write_contexts(const Dataset& dataset) {
  SqliteStatement insert(connection,
                         "INSERT OR IGNORE INTO contexts (framework, version, kernel) VALUES (?, ?, ?)");
  std::vector<std::int64_t> ids;
  for (std::uint32_t i = 0; i < dataset.context_count(); ++i) {
    const KernelContext context = dataset.context_at(i);
    insert.bind(0, context.framework).bind(1, context.version).bind(2, context.kernel).run();
    SqliteStatement find(connection,
                         "SELECT id FROM contexts NOT INDEXED "
                         "WHERE framework = ? AND version = ? AND kernel = ?");
    find.bind(0, context.framework).bind(1, context.version).bind(2, context.kernel).step();
    ids.push_back(find.integer(0));
  }
  return ids;
}

std::vector<std::int64_t> MeasurementStore::State::write_operators(const Dataset& dataset) {
  std::unordered_map<std::int64_t, std::int64_t> known;  // identity hash -> id
  std::int64_t next_id = 1;
  {
    SqliteStatement all(connection, "SELECT id, hash FROM operators");
    while (all.step()) {
      known.emplace(all.integer(1), all.integer(0));
      next_id = std::max(next_id, all.integer(0) + 1);
    }
  }
  SqliteStatement insert(connection,
                         "INSERT INTO operators (id, hash, family, operator) VALUES (?, ?, ?, ?)");
  std::vector<std::int64_t> ids(dataset.operator_count());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    const auto hash = static_cast<std::int64_t>(dataset.operator_identity(i));
    const auto [entry, inserted] = known.try_emplace(hash, next_id);
    ids[i] = entry->second;
    if (!inserted) continue;
    const std::string text = operator_to_json(dataset.operator_at(i)).dump();
    insert.bind(0, next_id).bind(1, hash).bind(2, name_of(dataset.operator_family(i))).bind(3, text).run();
    ++next_id;
  }
  return ids;
}

MeasurementStore::MeasurementStore(const fs::path& path, Mode mode) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  if (error)
    throw IoError(
        fmt::format("{}: the measurement store cannot be opened: {}", path.string(), error.message()));
  if (mode == Mode::ReadOnly) {
    if (!exists) throw IoError(fmt::format("{}: no such measurement store", path.string()));
    state_ = std::make_unique<State>(path, SQLITE_OPEN_READONLY);
  } else {
    if (!exists && path.has_parent_path()) fs::create_directories(path.parent_path(), error);
    state_ = std::make_unique<State>(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    state_->writable = true;
    if (state_->is_empty_file()) {
      Transaction transaction(state_->connection);
      if (state_->is_empty_file()) {  // another that makes it may have been first
        state_->connection.execute(kTables);
        write_store_hashes(state_->connection);
      }
      transaction.commit();
    }
  }
  state_->check_version();
}

MeasurementStore::~MeasurementStore() = default;
MeasurementStore::MeasurementStore(MeasurementStore&&) noexcept = default;
MeasurementStore& MeasurementStore::operator=(MeasurementStore&&) noexcept = default;

std::size_t MeasurementStore::size() const { return static_cast<std::size_t>(row_count(state_->connection)); }

MeasurementStore::AppendReport MeasurementStore::append(const Dataset& dataset) {
  SqliteConnection& connection = state_->connection;
  if (!state_->writable) throw IoError(fmt::format("{}: was opened for reading only", connection.path()));
  // EXTRA: on the disk at the commit, with the folder that the journal is taken out of.
  connection.execute("PRAGMA synchronous = EXTRA; PRAGMA cache_size = -262144; PRAGMA temp_store = MEMORY");
  Transaction transaction(connection);
  state_->check_version();  // another program may have written since
  state_->check_hashes();
  const std::int64_t before = row_count(connection);
  const std::vector<std::int64_t> gpus = state_->write_gpus(dataset),
                                  contexts = state_->write_contexts(dataset),
                                  operators = state_->write_operators(dataset);
  // In key order the tree grows at its end, which is several times faster.
  std::vector<std::uint32_t> order(dataset.size());
  for (std::uint32_t row = 0; row < order.size(); ++row) order[row] = row;
  const auto key = [&](std::uint32_t row) {
    return std::tuple(operators[dataset.operator_index(row)], gpus[dataset.gpu_index(row)],
                      contexts[dataset.context_index(row)], dataset.layout(row), row);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  SqliteStatement insert(connection, "INSERT OR REPLACE INTO measurements VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const std::uint32_t row : order) {
    insert.bind(0, operators[dataset.operator_index(row)])
        .bind(1, gpus[dataset.gpu_index(row)])
        .bind(2, contexts[dataset.context_index(row)])
        .bind(3, static_cast<std::int64_t>(dataset.layout(row)))
        .bind(4, dataset.latency(row).value())
        .bind(5, dataset.n_samples(row))
        .bind(6, static_cast<std::int64_t>(dataset.marks(row).bits()))
        .run();
  }
  const auto added = static_cast<std::size_t>(row_count(connection) - before);
  write_store_hashes(connection);
  connection.execute("UPDATE info SET value = '2' WHERE key = 'version'");
  transaction.commit();
  state_->version = kVersion;
  return {.added = added, .replaced = dataset.size() - added};
}

namespace {

// "(1,2,3)" of the GPUs that the filter names.
std::string gpu_list(const SqliteConnection& connection, std::span<const std::string> names) {
  std::vector<std::string> known;
  std::string list;
  SqliteStatement all(connection, "SELECT id, name FROM gpus NOT INDEXED ORDER BY id");
  std::vector<std::int64_t> ids;
  while (all.step()) {
    ids.push_back(all.integer(0));
    known.emplace_back(all.text(1));
  }
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw NotFound(
          fmt::format("{}: holds no rows of GPU '{}'{}", connection.path(), name, did_you_mean(name, known)));
    }
    list +=
        fmt::format("{}{}", list.empty() ? "" : ",", ids[static_cast<std::size_t>(found - known.begin())]);
  }
  return list;
}

std::string family_list(std::span<const Family> families) {
  std::string list;
  for (const Family family : families)
    list += fmt::format("{}'{}'", list.empty() ? "" : ",", name_of(family));
  return list;
}

}  // namespace

Dataset MeasurementStore::load(const ImportFilter& filter) const {
  SqliteConnection& connection = state_->connection;
  // One state of the store from here to the end.
  Transaction reading(connection, "BEGIN");
  state_->check_version();
  state_->check_hashes();
  Dataset dataset;
  // An operator that is not found is named, not left out: a damaged tree hides rows.
  std::string sql =
      "SELECT m.operator, m.gpu, m.context, m.layout, m.latency_s, m.n_samples, m.marks, o.operator "
      "FROM measurements m LEFT JOIN operators o ON o.id = m.operator WHERE 1";
  if (!filter.gpus.empty()) sql += fmt::format(" AND m.gpu IN ({})", gpu_list(connection, filter.gpus));
  if (!filter.families.empty())
    sql += fmt::format(" AND (o.family IN ({}) OR o.id IS NULL)", family_list(filter.families));
  sql += " ORDER BY m.operator, m.gpu, m.context, m.layout";

  std::unordered_map<std::int64_t, std::uint32_t> gpus, contexts;
  SqliteStatement gpu_rows(connection, "SELECT id, name FROM gpus NOT INDEXED");
  while (gpu_rows.step()) gpus.emplace(gpu_rows.integer(0), dataset.intern_gpu(gpu_rows.text(1)));
  SqliteStatement context_rows(connection, "SELECT id, framework, version, kernel FROM contexts NOT INDEXED");
  while (context_rows.step()) {
    contexts.emplace(
        context_rows.integer(0),
        dataset.intern_context({context_rows.text(1), context_rows.text(2), context_rows.text(3)}));
  }

  SqliteStatement rows(connection, sql);
  std::int64_t last_operator = -1;
  std::uint32_t op = 0;
  const auto known = [&](const std::unordered_map<std::int64_t, std::uint32_t>& numbers, int column) {
    const auto found = numbers.find(rows.integer(column));
    if (found == numbers.end())
      throw IoError(fmt::format("{}: a measurement of the unknown {} {}: the store is damaged",
                                connection.path(), column == 1 ? "GPU" : "context", rows.integer(column)));
    return found->second;
  };
  while (rows.step()) {
    const std::int64_t layout = rows.integer(3);
    if (layout < 0 || layout >= std::int64_t(EnumNames<Layout>::kNames.size()))
      throw IoError(
          fmt::format("{}: a measurement of layout {}: the store is damaged", connection.path(), layout));
    if (rows.integer(0) != last_operator) {
      last_operator = rows.integer(0);
      const std::string where = fmt::format("{}: operator {}", connection.path(), last_operator);
      if (rows.text(7).empty())
        throw IoError(
            fmt::format("{}: a measurement of it, but it is not there: the store is damaged", where));
      op = dataset.intern_operator(operator_from_json(parse_json(rows.text(7), where), where), where);
    }
    dataset.add_row({.op = op,
                     .gpu = known(gpus, 1),
                     .context = known(contexts, 2),
                     .latency = Seconds(rows.real(4)),
                     .n_samples = rows.integer(5),
                     .layout = static_cast<Layout>(layout),
                     .marks = Marks::from_bits(static_cast<std::uint8_t>(rows.integer(6)))},
                    connection.path());
  }
  return dataset;
}

}  // namespace warploom
