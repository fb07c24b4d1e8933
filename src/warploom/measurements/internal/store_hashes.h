// What tells a damaged store: a hash of each table, kept in its table `info`.
//
// A row's hash is one of all its columns; a table's is their sum, so that the order of rows does not matter.
#pragma once

#include "warploom/measurements/internal/sqlite_statement.h"

namespace warploom {

// Writes the hashes of all tables as they are. Inside the transaction that changed them.
void write_store_hashes(SqliteConnection& connection);

// Throws IoError naming the table when one is not what was written, or its hash is missing.
void check_store_hashes(const SqliteConnection& connection);

}  // namespace warploom
