// links: kv_base
// Tables with typed columns: what goes in comes out, empty cells are empty, and texts are valid UTF-8.
#include <QtTest>

#include <cmath>
#include <limits>

#include "core/base/column_table.h"
#include "tests/support/test_program.h"

namespace column_table_test {

using namespace kvantage;

class ColumnTableTest : public QObject {
  Q_OBJECT

  static ColumnTable sample() {
    return {"sample",
            {{"count", ColumnType::whole, "B"},
             {"value", ColumnType::real, "s"},
             {"yes", ColumnType::flag},
             {"name", ColumnType::text}},
            {}};
  }

 private slots:
  void whatGoesInComesOut() {
    ColumnTable table = sample();
    QCOMPARE(table.rows(), std::size_t{0});
    table.add_row({std::int64_t{-7}, 0.1, true, "dr\xc3\xa4m"});
    table.add_row({{}, {}, {}, {}});
    table.add_row({std::numeric_limits<std::int64_t>::max(), -0.0, false, ""});
    QCOMPARE(table.rows(), std::size_t{3});
    const std::vector<std::vector<TableCell>> rows{{std::int64_t{-7}, 0.1, true, "dr\xc3\xa4m"},
                                                   {{}, {}, {}, {}},
                                                   {std::numeric_limits<std::int64_t>::max(), -0.0, false, ""}};
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t c = 0; c < table.columns.size(); ++c)
        QVERIFY2(table.columns[c].at(row) == rows[row][c], table.columns[c].name().c_str());
    QCOMPARE(table.find("value")->unit(), std::string("s"));
    QVERIFY(table.find("Value") == nullptr);
  }

  // As a module is handed them.
  void valuesArePacked() {
    ColumnTable table = sample();
    table.add_row({std::int64_t{1}, 2.5, true, "ab"});
    table.add_row({{}, {}, {}, {}});
    table.add_row({std::int64_t{3}, 4.5, false, "c"});
    const auto same = [](const auto& packed, const auto& wanted) {
      return std::vector(packed.begin(), packed.end()) == wanted;
    };
    for (const TableColumn& column : table.columns)
      QVERIFY2(same(column.present(), std::vector<std::uint8_t>{1, 0, 1}), column.name().c_str());
    QVERIFY(same(table.columns[0].wholes(), std::vector<std::int64_t>{1, 0, 3}));
    QVERIFY(same(table.columns[1].reals(), std::vector<double>{2.5, 0, 4.5}));
    QVERIFY(same(table.columns[2].flags(), std::vector<std::uint8_t>{1, 0, 0}));
    QCOMPARE(table.columns[3].texts(), std::string_view("abc"));
    QVERIFY(same(table.columns[3].starts(), std::vector<std::int64_t>{0, 2, 2, 3}));
  }

  // An answer may end within a character.
  void textsAreValid() {
    ColumnTable table{"texts", {{"name", ColumnType::text}}, {}};
    table.add_row({"ab\xc3"});
    table.add_row({std::string_view("a\0b", 3)});
    QCOMPARE(std::get<std::string_view>(table.columns[0].at(0)), std::string_view("ab\xef\xbf\xbd"));
    QCOMPARE(std::get<std::string_view>(table.columns[0].at(1)), std::string_view("a\0b", 3));
  }

  void cellsOfWhatMayBeMissing() {
    QVERIFY(cell_of(std::nullopt) == TableCell() && cell_of(0.0) == TableCell(0.0));
    QVERIFY(text_or_nothing("") == TableCell() && text_or_nothing("a") == TableCell("a"));
    QVERIFY(whole_cell(5) == TableCell(std::int64_t{5}));
    QVERIFY(whole_cell(~std::uint64_t{0}) == TableCell(std::numeric_limits<std::int64_t>::max()));
  }
};

KV_TEST_APPLESS_MAIN(ColumnTableTest)

}  // namespace column_table_test

#include "column_table_test.moc"
