// links: kv_reports profiles sqlite3
// Tables as an SQLite file: the library itself reads back every cell, with its type, and the units.
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "profiles/table_database.h"
#include "tests/support/test_program.h"

namespace table_database_test {

using namespace kvantage;
using std::filesystem::path;

class TableDatabaseTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;

  path file() const { return path(temporary_.path().toStdString()) / "tables.sqlite"; }
  /// Of each row its values as SQL literals, so that types show.
  static std::vector<std::string> rows_of(const path& database, const std::string& table, int columns) {
    std::vector<std::string> rows;
    sqlite3* connection = nullptr;
    if (sqlite3_open_v2(database.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(connection, ("SELECT * FROM \"" + table + "\"").c_str(), -1, &statement, nullptr);
      while (statement != nullptr && sqlite3_step(statement) == SQLITE_ROW) {
        std::string& row = rows.emplace_back();
        for (int column = 0; column < columns; ++column) {
          const int type = sqlite3_column_type(statement, column);
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
          row += std::string(column == 0 ? "" : "|") + (type == SQLITE_TEXT ? "'" : "") +
                 (type == SQLITE_NULL ? "NULL" : text) + (type == SQLITE_TEXT ? "'" : "");
        }
      }
      sqlite3_finalize(statement);
    }
    sqlite3_close(connection);
    return rows;
  }

 private slots:
  void theLibraryReadsEveryCell() {
    ColumnTable cells{"cells", {}, {{"plan", "{\"a\": 1}"}}};
    cells.columns.emplace_back("name", ColumnType::text);
    cells.columns.emplace_back("a \"quoted\" one", ColumnType::whole, "B");
    cells.columns.emplace_back("seconds", ColumnType::real, "s");
    cells.columns.emplace_back("flag", ColumnType::flag);
    cells.add_row({std::string_view("it's; DROP TABLE cells"), std::int64_t{9'007'199'254'740'993}, 0.1, true});
    cells.add_row({TableCell(), TableCell(), TableCell(), false});
    ColumnTable empty{"empty", {}, {}};
    empty.columns.emplace_back("only", ColumnType::real, "1/s");
    const std::vector<ColumnTable> tables{cells, empty};
    QVERIFY(write_table_database(file(), tables));
    QCOMPARE(rows_of(file(), "cells", 4),
             (std::vector<std::string>{"'it's; DROP TABLE cells'|9007199254740993|0.1|1", "NULL|NULL|NULL|0"}));
    QVERIFY(rows_of(file(), "empty", 1).empty());
    QCOMPARE(rows_of(file(), "columns", 4),
             (std::vector<std::string>{"'cells'|'name'|'text'|''", "'cells'|'a \"quoted\" one'|'whole'|'B'",
                                       "'cells'|'seconds'|'real'|'s'", "'cells'|'flag'|'flag'|''",
                                       "'empty'|'only'|'real'|'1/s'"}));
    QCOMPARE(rows_of(file(), "facts", 3), std::vector<std::string>{"'cells'|'plan'|'{\"a\": 1}'"});
    QCOMPARE(std::filesystem::status(file()).permissions(),
             std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  void aFileIsReplacedAsAWhole() {
    ColumnTable one{"one", {}, {}};
    one.columns.emplace_back("number", ColumnType::whole, "1");
    one.add_row({std::int64_t{1}});
    QVERIFY(write_table_database(file(), std::vector<ColumnTable>{one}));
    one.name = "two";
    QVERIFY(write_table_database(file(), std::vector<ColumnTable>{one}));
    QVERIFY(rows_of(file(), "one", 1).empty());
    QCOMPARE(rows_of(file(), "two", 1), std::vector<std::string>{"1"});
    const auto nowhere = write_table_database("/nowhere/tables.sqlite", std::vector<ColumnTable>{one});
    QVERIFY(!nowhere && nowhere.error().code == ErrorCode::rejected_input);
  }
};

KV_TEST_GUILESS_MAIN(TableDatabaseTest)

}  // namespace table_database_test

#include "table_database_test.moc"
