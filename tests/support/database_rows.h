// A database as SQLite itself reads it, beside whoever is writing to it.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kvantage::test {

/// The rows of a query as text; none when the file is not there yet or holds no such table.
inline std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& database, const char* query) {
  std::vector<std::vector<std::string>> rows;
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
    sqlite3_busy_timeout(connection, 2000);
    if (sqlite3_prepare_v2(connection, query, -1, &statement, nullptr) == SQLITE_OK) {
      while (sqlite3_step(statement) == SQLITE_ROW) {
        std::vector<std::string>& row = rows.emplace_back();
        for (int i = 0; i < sqlite3_column_count(statement); ++i) {
          const unsigned char* text = sqlite3_column_text(statement, i);
          row.emplace_back(text == nullptr ? "" : reinterpret_cast<const char*>(text));
        }
      }
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return rows;
}

}  // namespace kvantage::test
