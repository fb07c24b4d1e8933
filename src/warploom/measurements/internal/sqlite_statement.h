// RAII over sqlite3 statements and connections; private to the store.
#pragma once

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "warploom/base/error.h"

namespace warploom {

class SqliteConnection {
 public:
  // How long one waits for another that writes: an import of the largest public tables takes less.
  static constexpr int kPatienceMs = 60'000;

  SqliteConnection(const std::filesystem::path& path, int flags) : path_(path.string()) {
    if (sqlite3_open_v2(path_.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
      const std::string reason = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
      sqlite3_close_v2(handle_);
      throw IoError(fmt::format("{}: cannot be opened as a measurement store: {}", path_, reason));
    }
    sqlite3_busy_timeout(handle_, kPatienceMs);
  }
  ~SqliteConnection() { sqlite3_close_v2(handle_); }
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  void execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() const {
    if (sqlite3_errcode(handle_) == SQLITE_NOTADB) {
      throw InvalidInput(fmt::format("{}: is no measurement store (not an SQLite file)", path_));
    }
    throw IoError(fmt::format("{}: {}", path_, sqlite3_errmsg(handle_)));
  }
  sqlite3* handle() const { return handle_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

// Columns and parameters count from 0.
class SqliteStatement {
 public:
  SqliteStatement(const SqliteConnection& connection, std::string_view sql) : connection_(connection) {
    const int size = static_cast<int>(sql.size());
    if (sqlite3_prepare_v2(connection.handle(), sql.data(), size, &handle_, nullptr) != SQLITE_OK)
      connection.fail();
  }
  ~SqliteStatement() { sqlite3_finalize(handle_); }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  SqliteStatement& bind(int parameter, std::int64_t value) {
    return check(sqlite3_bind_int64(handle_, parameter + 1, value));
  }
  SqliteStatement& bind(int parameter, double value) {
    return check(sqlite3_bind_double(handle_, parameter + 1, value));
  }
  // The text must live until the statement has run.
  SqliteStatement& bind(int parameter, std::string_view text) {
    return check(
        sqlite3_bind_text(handle_, parameter + 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
  }
  // True when there is a row; false at the end.
  bool step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) connection_.fail();
    return false;
  }
  // Runs a statement that gives no rows, ready for the next bindings.
  void run() {
    step();
    sqlite3_reset(handle_);
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  double real(int column) const { return sqlite3_column_double(handle_, column); }
  std::string_view text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return data == nullptr
               ? std::string_view{}
               : std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
  }

 private:
  SqliteStatement& check(int code) {
    if (code != SQLITE_OK) connection_.fail();
    return *this;
  }
  const SqliteConnection& connection_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace warploom
