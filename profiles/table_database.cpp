#include "profiles/table_database.h"

#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/sqlite/sqlite.h"

namespace kvantage::inline profiles {

namespace fs = std::filesystem;

namespace {

/// An identifier of SQL, whatever it contains.
std::string table_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

const char* sql_type_of(ColumnType type) {
  switch (type) {
    case ColumnType::whole:
    case ColumnType::flag:
      return "INTEGER";
    case ColumnType::real:
      return "REAL";
    case ColumnType::text:
      break;
  }
  return "TEXT";
}

const char* name_of_type(ColumnType type) {
  constexpr const char* names[] = {"whole", "real", "flag", "text"};
  return names[static_cast<std::size_t>(type)];
}

void bind_cell(Statement& statement, int parameter, const TableCell& cell) {
  std::visit(
      [&]<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, std::monostate>)
          statement.bind_null(parameter);
        else if constexpr (std::is_same_v<Value, bool>)
          statement.bind(parameter, static_cast<std::int64_t>(value ? 1 : 0));
        else
          statement.bind(parameter, value);
      },
      cell);
}

Status insert_rows(Database& database, const ColumnTable& table) {
  std::string columns, marks;
  for (const TableColumn& column : table.columns) {
    columns += (columns.empty() ? "" : ", ") + table_identifier(column.name()) + " " + sql_type_of(column.type());
    marks += marks.empty() ? "?" : ", ?";
  }
  KV_TRY(database.execute("CREATE TABLE " + table_identifier(table.name) + " (" + columns + ")"));
  KV_ASSIGN(auto insert, database.prepare("INSERT INTO " + table_identifier(table.name) + " VALUES (" + marks + ")"));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      bind_cell(insert, static_cast<int>(column) + 1, table.columns[column].at(row));
    KV_TRY(insert.run());
  }
  return {};
}

Status describe_tables(Database& database, std::span<const ColumnTable> tables) {
  KV_TRY(
      database.execute("CREATE TABLE columns (table_name TEXT, column_name TEXT, type TEXT, unit TEXT);"
                       "CREATE TABLE facts (table_name TEXT, key TEXT, value TEXT)"));
  KV_ASSIGN(auto column_row, database.prepare("INSERT INTO columns VALUES (?, ?, ?, ?)"));
  KV_ASSIGN(auto fact_row, database.prepare("INSERT INTO facts VALUES (?, ?, ?)"));
  for (const ColumnTable& table : tables) {
    const std::string_view name = table.name;
    for (const TableColumn& column : table.columns) {
      column_row.bind(1, name).bind(2, std::string_view(column.name()));
      column_row.bind(3, std::string_view(name_of_type(column.type()))).bind(4, std::string_view(column.unit()));
      KV_TRY(column_row.run());
    }
    for (const auto& [key, value] : table.facts) {
      fact_row.bind(1, name).bind(2, std::string_view(key)).bind(3, std::string_view(value));
      KV_TRY(fact_row.run());
    }
  }
  return {};
}

Status fill_database(const fs::path& file, std::span<const ColumnTable> tables) {
  KV_ASSIGN(auto database, Database::open(file, DatabaseMode::create));
  KV_ASSIGN(auto transaction, Transaction::begin(database));
  for (const ColumnTable& table : tables) KV_TRY(insert_rows(database, table));
  KV_TRY(describe_tables(database, tables));
  return transaction.commit();
}

}  // namespace

Status write_table_database(const fs::path& file, std::span<const ColumnTable> tables) {
  // Made on this machine: file systems of several machines may lack the locks that SQLite needs.
  KV_ASSIGN(const auto folder, make_temporary_folder("kvantage-tables"));
  const fs::path made = folder / "tables.sqlite";
  Status status = fill_database(made, tables);
  if (status) {
    const auto bytes = read_text_file(made);
    status = bytes ? write_text_file(file, *bytes) : Status(tl::unexpected(bytes.error()));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return status;
}

}  // namespace kvantage::inline profiles
